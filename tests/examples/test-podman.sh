#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/podman: rootless containers without a network, of images that have nothing of LFP: glibc, musl, static Go; two services
# Time limit: 300 s
# podman-compose, before the test has no way out
tests=$(cd "$(dirname "$0")/.." && pwd)
compose=${O:-$tests/../build}/tests/examples/podman-compose
[ -n "${LFP_TEST_NET:-}" ] || [ -e "$compose/podman_compose.py" ] || PIP_ROOT_USER_ACTION=ignore timeout 60 /usr/bin/python3 -m pip install -q \
	--no-deps --target "$compose" podman-compose==1.6.0
. "$(dirname "$0")/../apps/users.sh"
. "$(dirname "$0")/../system/lib.sh"
needs podman runc patchelf musl-gcc go curl setpriv
own_users lfpuser secret
. "$here/outside.sh"
outside_up www.example.com=203.0.113.5 evil.example.net=203.0.113.6
echo "the answer" >"$work/www/data"

user=$work/home/lfpuser uid=64101
mkdir "$user/run" && chown $uid:$uid "$user/run" && chmod 700 "$user/run"
# An engine for machines without systemd: cgroups as they are, and limits that an ordinary user may set.
cat >"$work/containers.conf" <<'END'
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
infra_image = "localhost/lfp-pause:latest"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=500:500"]
log_driver = "k8s-file"
END
printf '[storage]\ndriver = "vfs"\n' >"$work/storage.conf"
as_user=("${on_host[@]}" setpriv --reuid $uid --regid $uid --clear-groups --inh-caps=-all --
	env -i PATH="$PATH" HOME="$user" XDG_RUNTIME_DIR="$user/run" CONTAINERS_CONF="$work/containers.conf"
	CONTAINERS_STORAGE_CONF="$work/storage.conf" timeout 60)
as_user() { (cd "$user" && "${as_user[@]}" "$@"); }
dir=$user/d
cleanup() {
	LFP_ROOT=$dir lfpd-ctl stop LINUX
	as_user podman rm -af
	# The process that keeps podman's namespaces
	kill "$(cat "$user/run/libpod/tmp/pause.pid")"
} >/dev/null 2>&1
at_exit_too=(cleanup)

# image NAME: of the files in $work/NAME
image() { tar -C "$work/$1" -c . | as_user podman import -q - "lfp-$1" >/dev/null; }
mkdir -p "$work"/{glibc/lib64,glibc/lib/x86_64-linux-gnu,musl/lib,go,box/bin,box/backend,box/web/cgi-bin}
export GOCACHE=$O/tests/apps/go-cache GOPATH=$work/gopath GOPROXY=off GO111MODULE=off GOENV=off CGO_ENABLED=0 GOFLAGS=
HOME=$work go build -o "$work/go/fetch" "$top/tests/apps/net.go" || die "no static program"
musl-gcc -o "$work/musl/fetch" "$here/fetch.c" && gcc -o "$work/glibc/fetch" "$here/fetch.c" || die "no programs"
linker=$(patchelf --print-interpreter "$work/glibc/fetch")
mkdir -p "$work/glibc$(dirname "$linker")"
cp -L "$linker" "$work/glibc$linker" && cp -L "$(ldd "$work/glibc/fetch" | awk '$1 == "libc.so.6" { print $3 }')" "$work/glibc/lib/x86_64-linux-gnu/"
cp -L "$(patchelf --print-interpreter "$work/musl/fetch")" "$work/musl/lib/"
# Without arguments it ends with 64.
{ image musl && as_user podman run --rm --network=none lfp-musl /fetch; } 2>"$work/err"
[ $? = 64 ] || skip "podman runs no container here: $(tail -n 1 "$work/err")"
image glibc && image go || die "no images"

printf 'allow connect tcp www.example.com:80\ndefault deny\n' >"$work/rules"
check "the directory" into "$work/out" as_user "$top/examples/directory/lfp-directory" "$dir" "$work/rules" 127.0.0.1:7080:80
on() { as_user env "LFP_MODE=${mode:-seccomp}" "$top/examples/podman/run" "$dir" "$@" 2>"$work/err"; }
answer() { tail -n 1; }
for name in musl glibc; do
	check_eq "$(on lfp-$name /fetch www.example.com 80 /data | answer)" "the answer" "$name: an allowed name"
	check_exit 6 "$name: another name" on lfp-$name /fetch evil.example.net 80 /data
	check_exit 7 "$name: an address" on lfp-$name /fetch 203.0.113.6 80 /data
done
check_eq "$(mode=both on lfp-glibc /fetch www.example.com 80 /data | answer)" "the answer" "glibc: by the library"
check "static Go: an allowed name" on lfp-go /fetch fetch http://www.example.com/data "$(md5sum <"$work/www/data" | cut -d ' ' -f 1)"
check_exit 1 "static Go: another name" on lfp-go /fetch fetch http://evil.example.net/data x
check "does not exist" grep -q "no such host" "$work/err"
connected() { grep '"event":"connect"' "$dir/connections" | grep '"protocol":"tcp"' | grep -c '"name":"www.example.com".*"rule":1,"result":"OK"'; }
check "the log has the connections" [ "$(connected)" -ge 4 ]
check_eq "$(grep -c '"uid":64101' "$dir/connections")" "$(wc -l <"$dir/connections")" "as those of the user"

# Two services
busybox=$(command -v busybox) || skip "busybox is not installed"
cp "$busybox" "$work/box/bin/busybox"
for name in sh httpd wget sleep; do ln -s busybox "$work/box/bin/$name"; done
echo "the backend's" >"$work/box/backend/data"
printf '#!/bin/sh\nprintf "\\n"\nexec /bin/wget -q -O - http://127.0.0.1:8001/data\n' >"$work/box/web/cgi-bin/ask"
printf '#!/bin/sh\nprintf "\\n"\nexec /bin/wget -q -O - http://203.0.113.6/data 2>&1\n' >"$work/box/web/cgi-bin/out"
chmod +x "$work/box/web/cgi-bin"/*
image box
tar -C "$work/box" -c . | as_user podman import -q -c 'ENTRYPOINT ["/bin/sleep", "1000"]' - lfp-pause >/dev/null || die "no image for pods"
cp "$top/examples/podman/services.rules" "$dir/rules" || die "no rules"
check "other rules" into "$work/out" env LFP_ROOT="$dir" lfpd-ctl reload LINUX
sed "s|DIR|$dir|; s|IMAGE|localhost/lfp-box:latest|" "$top/examples/podman/services.yaml" >"$user/services.yaml"
# The same two by Kubernetes' format and by that of compose; podman-compose 1.0.3, of Debian 12, has no "network_mode: none".
both_serve() {
	check "$1: one service asks the other" wait_for 30 ask ask "the backend's" || tail -n 5 "$dir/connections"
	check "$1: and nobody else" ask out "wget: can't connect to remote host (203.0.113.6): Connection refused"
}
check "two services" into "$work/services.log" as_user podman play kube --network=none services.yaml
ask() { [ "$(curl -q -s --noproxy '*' --max-time 20 http://127.0.0.1:7080/cgi-bin/$1)" = "$2" ]; }
both_serve kube
check "their end" into "$work/down.log" as_user podman pod rm -f -t 1 lfp-services
no_listener() { ! listens 7080; }
check "both are gone" wait_for 30 no_listener

if [ ! -e "$compose/podman_compose.py" ] || ! /usr/bin/python3 -c 'import dotenv, yaml' 2>/dev/null; then
	skip_part "podman-compose 1.6.0, or a module that it needs, is not there"
	finish
fi
cp -r "$compose" "$top/examples/podman/compose.yaml" "$user/" || die "no compose file"
compose() { as_user env IMAGE=localhost/lfp-box:latest LFP="$dir/lfp" /usr/bin/python3 "$user/podman-compose/podman_compose.py" -f compose.yaml "$@"; }
check "compose: up" into "$work/services.log" compose up -d || cat "$work/services.log"
both_serve compose
check "compose: down" into "$work/down.log" compose down -t 1 || cat "$work/down.log"
check "compose: both are gone" wait_for 30 no_listener
finish
