#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/kubernetes: the containers of the DaemonSet and of the pod, with the manifests' users, rights and volumes, started by podman
# Time limit: 300 s
. "$(dirname "$0")/../apps/users.sh"
. "$(dirname "$0")/../system/lib.sh"
needs podman runc patchelf go curl
go=$(command -v go)
[ "$(id -u)" = 0 ] || skip "the node's directory is made by root"
. "$here/outside.sh"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "python3-yaml is not installed"
outside_up api.example.com=203.0.113.5 packages.example.com=203.0.113.6
echo "the answer" >"$work/www/data"
mount -t tmpfs tmpfs /run || skip "no /run of its own"
for file in hosts resolv.conf nsswitch.conf; do mount --bind "$work/$file" "/etc/$file" || skip "files can't be bound here"; done

# An engine for machines without systemd, as in test-podman.sh, and with a place of its own
cat >"$work/containers.conf" <<'END_OF_CONF'
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=500:500"]
log_driver = "k8s-file"
END_OF_CONF
export CONTAINERS_CONF=$work/containers.conf HOME=$work
engine=(timeout 60 podman --root "$work/storage" --runroot "$work/runroot" --tmpdir "$work/tmp" --storage-driver vfs)
cleanup() { "${engine[@]}" rm -af -t 1 >/dev/null 2>&1; }
at_exit_too=(cleanup)
image() { tar -C "$work/$1" -c . | "${engine[@]}" import -q - "$2" >/dev/null; }

# The image of lfpd: what the packages, Debian's shell and its tools have, and patchelf. That of the job: one shell and a static program.
node=$work/node-image job=$work/job-image
mkdir -p "$node"/{bin,usr/bin,usr/lib,usr/share/vselfpd,etc,tmp,run} "$job"/{bin,etc}
echo "root:x:0:0::/:/bin/sh" >"$node/etc/passwd"
cp "$bin"/lfp{d,d-ctl,d-admin,-run} "$node/usr/bin/"
cp "$O/lib/libvsesock-preload.so" "$node/usr/lib/"
cp -r "$top/examples" "$node/usr/share/vselfpd/"
for tool in sh bash install tail cmp sleep cp mkdir ln cat readlink dirname basename sed awk ldd patchelf; do
	cp -L "$(PATH=/usr/bin:/bin command -v $tool)" "$node/bin/" || die "no $tool"
done
for program in "$node"/bin/* "$node"/usr/bin/*; do ldd "$program" 2>/dev/null; done | grep -o '/[^ ]*' | grep -v : | sort -u | while read -r library; do
	mkdir -p "$node$(dirname "$library")" && cp -L "$library" "$node$library"
done
gconv=$(dirname "$(find /usr/lib /usr/lib64 -path '*/gconv/EBCDIC-US.so' | head -n 1)")
mkdir -p "$node$gconv" && cp -r "$gconv"/{gconv-modules*,EBCDIC-US.so} "$node$gconv/" || die "no code pages"
cp "$(command -v busybox)" "$job/bin/busybox" || skip "busybox is not installed"
ln -s busybox "$job/bin/sh"
cp "$ca" "$job/etc/ca.pem"
(cd "$work" && GOCACHE=$O/tests/apps/go-cache GOPATH=$work/gopath GO111MODULE=off GOENV=off CGO_ENABLED=0 GOFLAGS='' \
	"$go" build -o "$job/bin/fetch" "$here/fetch.go") || die "no static program"
printf '#!/bin/sh\nSSL_CERT_FILE=/etc/ca.pem exec /bin/fetch "https://${1:-api.example.com}/data"\n' >"$job/bin/job" && chmod +x "$job/bin/job"
{ image job-image registry.example.com/job:1 && "${engine[@]}" run --rm --network=none registry.example.com/job:1 /bin/sh -c 'exit 7'; } 2>"$work/err"
[ $? = 7 ] || skip "podman runs no container here: $(tail -n 1 "$work/err")"
image node-image registry.example.com/vselfpd:1.0.0 || die "no image"

# containers MANIFEST KIND: in the array "words", a line each
containers() { mapfile -t words < <(/usr/bin/python3 "$here/kubernetes/containers.py" "$top/examples/kubernetes/$1" "$2" "$work/configmaps"); }
mkdir -p "$work/configmaps/lfpd-rules"
/usr/bin/python3 -c '
import sys, yaml
print(next(d for d in yaml.safe_load_all(open(sys.argv[1])) if d["kind"] == "ConfigMap")["data"]["rules"], end="")' \
	"$top/examples/kubernetes/lfpd.yaml" >"$work/configmaps/lfpd-rules/rules"
chmod -R a+rX "$work" # the user of the containers reads the rules
containers lfpd.yaml DaemonSet
check_eq "${#words[@]}" 2 "the DaemonSet has two containers"
mkdir /run/lfp
check "the first makes the directory" into "$work/out" eval "\"\${engine[@]}\" run --rm --network=none ${words[0]}" || cat "$work/out"
check_eq "$(stat -c '%a %u %g' /run/lfp)" "700 64999 64999" "for the user of lfpd"
check "the second starts" into "$work/out" eval "\"\${engine[@]}\" run -d --network=host ${words[1]}" || cat "$work/out"
answers() { setpriv --reuid 64999 --regid 64999 --clear-groups env LFP_ROOT=/run/lfp "$bin/lfpd-admin" -i LINUX -s >/dev/null 2>&1; }
check "lfpd runs in it" wait_for 60 answers || "${engine[@]}" logs lfpd
containers pod.yaml Pod
job() { eval "\"\${engine[@]}\" run --rm --network=none --volume=/etc/resolv.conf:/etc/resolv.conf:ro ${words[0]} $*" 2>"$work/err"; }
check_eq "$(job)" "the answer" "the pod's container reaches what the ConfigMap allows" || cat "$work/err"
check_exit 1 "and no other name" job db.example.com
check "which does not exist" grep -q "no such host" "$work/err"
check_exit 1 "nor an address" job 203.0.113.5
printf 'allow connect tcp packages.example.com:443 sni\ndefault deny\n' >"$work/configmaps/lfpd-rules/rules"
now() { [ "$(job packages.example.com)" = "the answer" ] && ! job >/dev/null; }
check "a change of the ConfigMap counts" wait_for 30 now || "${engine[@]}" logs lfpd
logged() { "${engine[@]}" logs lfpd 2>&1 | grep -q '"name":"db.example.com".*"refused_by":"rule"'; }
check "the log is the container's" wait_for 30 logged
check "its end" into "$work/out" "${engine[@]}" stop -t 20 lfpd
check_eq "$("${engine[@]}" inspect -f '{{.State.ExitCode}}' lfpd)" 0 "is in order"
finish
