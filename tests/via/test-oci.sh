#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The OCI image of the appliance: whole, and run by podman without root and without a writable file system, with a z/VSE beside it
# Time limit: 300 s
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../apps/users.sh"
. "$(dirname "$0")/../system/lib.sh"
needs python3 curl
why=$("$top/scripts/via-image" x86_64 "$O/via/x86_64" 2>&1) || skip "no image: $(tail -n 1 <<<"$why")"
oci=$O/via/x86_64/oci

# Each blob has its name's sum; the index names a manifest, it a configuration and a layer, and all sizes are right.
check "the image is whole" python3 - "$oci" <<'END'
import hashlib, json, os, sys, tarfile
top = sys.argv[1]
def blob(ref):
    path = os.path.join(top, "blobs", *ref["digest"].split(":"))
    data = open(path, "rb").read()
    assert len(data) == ref["size"] and hashlib.sha256(data).hexdigest() == ref["digest"].split(":")[1], path
    return data, path
assert json.load(open(top + "/oci-layout")) == {"imageLayoutVersion": "1.0.0"}
index = json.load(open(top + "/index.json"))
manifest = json.loads(blob(index["manifests"][0])[0])
config = json.loads(blob(manifest["config"])[0])
layer, path = blob(manifest["layers"][0])
assert config["rootfs"]["diff_ids"] == [manifest["layers"][0]["digest"]]
assert config["config"]["User"] == "900:900" and config["config"]["Entrypoint"] == ["/init"]
for member in tarfile.open(path):
    assert member.issym() or not member.mode & 0o222, member.name
    assert member.uid == member.gid == member.mtime == 0, member.name
assert len(os.listdir(top + "/blobs/sha256")) == 3
END

command -v podman >/dev/null && command -v runc >/dev/null || { skip_part "podman is not installed"; finish; }
own_users lfpuser secret
user=$work/home/lfpuser uid=64101
mkdir "$user/run" "$user/via.d" "$user/volume" && chown -R $uid:$uid "$user" && chmod 700 "$user/run"
cat >"$work/containers.conf" <<'END'
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=500:500"]
log_driver = "k8s-file"
END
printf '[storage]\ndriver = "vfs"\n' >"$work/storage.conf"
as_user() {
	(cd "$user" && setpriv --reuid $uid --regid $uid --clear-groups --inh-caps=-all -- env -i PATH="$PATH" HOME="$user" \
		XDG_RUNTIME_DIR="$user/run" CONTAINERS_CONF="$work/containers.conf" CONTAINERS_STORAGE_CONF="$work/storage.conf" timeout 60 "$@")
}
cleanup() {
	as_user podman rm -af
	# The process that keeps podman's namespaces
	kill "$(cat "$user/run/libpod/tmp/pause.pid")"
} >/dev/null 2>&1
at_exit_too=(cleanup)
# Its user namespace has one user, as that of a user without subordinate ids.
echo "CONTROLLER = user 0" >"$user/via.d/via.conf"
lfpd_conf VSE1 TRANSPORT=unix VMID=LINVIA PEER_IUCV_VMID=VSER01 VSE_HOSTID=10.0.0.1 RESTRICT_TO_HOSTID=yes CONNECTION_LOG=
cp "$conf" "$user/via.d/"
"$bin/lfp-via" config "$user/via.d" "$user/disk" >/dev/null && chmod 644 "$user/disk" || die "no disk"
tar -C "$oci" -c . | as_user podman load >"$work/podman.log" 2>&1 || skip_part "podman loads no image here: $(tail -n 1 "$work/podman.log")"
[ "$skipped" = 0 ] || finish
as_user podman run --detach --name via --read-only --network=host --user 0:0 --volume "$user/disk:/via.disk:ro" \
	--volume "$user/volume:/run" "lfp-via:1.0.0" >"$work/podman.log" 2>&1 || skip_part "podman runs no container here: $(tail -n 1 "$work/podman.log")"
[ "$skipped" = 0 ] || finish
logged() { as_user podman logs via 2>&1 | grep -q "$1"; }
check "podman runs it" wait_for 60 logged VLFD550I || as_user podman logs via
via() { as_user "$work/lfp-via" -t "unix:$user/volume/via/control" "$@"; }
cp "$bin/lfp-via" "$work/" && chmod 755 "$work/lfp-via"
via_says() { via "${@:2}" | grep -qE "$1"; }
check "QUERY" wait_for 60 via_says "1, of which 1 serve" query
check "QUERY PROCESSES" via_says "^1 user 0 init /init" query processes
check_eq "$(via query processes | awk '{ print $3, $4 }' | sort | xargs)" "0 init 0 lfpd" "- but lfpd, each as the user that has started the container"
writes=$(via query files | awk '$1 != "ro" && $5 !~ "^/run" && $2 !~ /^120/ { print $5 }' | grep -vE '^/(proc|sys|dev|tmp|var/tmp)(/|$)|^/etc/(hosts|hostname|mtab)$')
check_eq "$writes" "" "its files are read-only"
check "STATUS" via_says "Local VM ID.*LINVIA" status vse1
check_exit 69 "another user is refused" into "$work/refused" "$bin/lfp-via" -t "unix:$user/volume/via/control" query

# The z/VSE finds lfpd at the volume.
mkdir -p "$LFP_ROOT/run" && ln -s "$user/volume/vselfpd" "$LFP_ROOT/run/vselfpd"
statements 01 IucvDestAppName=VSE1 IucvDestVMId=LINVIA
env LFP_VMID=VSER01 "$bin/ijblfpop" START "$start_file" >"$work/start.log" 2>&1
check "a z/VSE connects" wait_for 60 instance_up 01 || cat "$work/start.log"
echo "the answer" >"$work/answer"
background www python3 -m http.server --directory "$work" --bind 10.0.0.1 8000
wait_listen 8000 || die "the HTTP server does not listen"
check_eq "$(on_lfp curl -sS http://10.0.0.1:8000/answer)" "the answer" "- and curl on it gets a file through the container"
check "SHUTDOWN" via_says "ends" shutdown
exited() { [ "$(as_user podman inspect --format '{{.State.Status}} {{.State.ExitCode}}' via)" = "exited 0" ]; }
check "- ends the container" wait_for 60 exited
finish
