# SPDX-License-Identifier: Apache-2.0
"""The containers of a pod as words for "podman run", a line each, quoted for a shell: containers.py MANIFEST KIND CONFIGMAPS

CONFIGMAPS is a directory that has a directory for each ConfigMap. A field that this program does not know is an error.
"""
import shlex
import sys

import yaml


def take(source, *known, where):
    unknown = set(source) - set(known)
    if unknown:
        sys.exit(f"{where}: unknown {sorted(unknown)}")
    return [source.get(key) for key in known]


def volume(mount, volumes, configmaps):
    name, path, read_only = take(mount, "name", "mountPath", "readOnly", where="volumeMount")
    source = volumes[name]
    if "hostPath" in source:
        host = take(source["hostPath"], "path", "type", where="hostPath")[0]
    else:
        host = f"{configmaps}/{take(source['configMap'], 'name', where='configMap')[0]}"
    return f"--volume={host}:{path}{':ro' if read_only else ''}"


def security(context):
    user, group, _, escalation, capabilities, seccomp = take(
        context, "runAsUser", "runAsGroup", "runAsNonRoot", "allowPrivilegeEscalation", "capabilities", "seccompProfile", where="securityContext")
    words = [f"--user={user}:{group}"]
    words += [] if escalation else ["--security-opt=no-new-privileges"]
    words += [f"--cap-drop={name}" for name in capabilities["drop"]]
    words += ["--security-opt=seccomp=unconfined"] if seccomp == {"type": "Unconfined"} else []
    return words


def words_of(container, volumes, configmaps):
    name, image, command, env, context, mounts, resources = take(
        container, "name", "image", "command", "env", "securityContext", "volumeMounts", "resources", where="container")
    words = [f"--name={name}", *(f"--env={item['name']}={item['value']}" for item in env or [])]
    words += security(context) if context else []
    words += [f"--memory={resources['limits']['memory'].removesuffix('i').lower()}"] if resources else []
    words += [volume(mount, volumes, configmaps) for mount in mounts]
    return [*words, image, *command]


manifest, kind, configmaps = sys.argv[1:]
with open(manifest, encoding="utf-8") as f:
    document = next(d for d in yaml.safe_load_all(f) if d["kind"] == kind)
spec = document["spec"]["template"]["spec"] if kind == "DaemonSet" else document["spec"]
volumes = {item["name"]: item for item in spec["volumes"]}
for container in (spec.get("initContainers") or []) + spec["containers"]:
    print(shlex.join(words_of(container, volumes, configmaps)))
