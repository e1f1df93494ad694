#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/vm/lfp-vm: a program in a virtual machine without a network device, with rules and a log. `make check-vsock`
# Time limit: 200 s
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
here=$top/tests/vsock
# shellcheck source=tests/vsock/lib-guest.sh
. "$here/lib-guest.sh"
needs python3

mkdir -p "$work/www" "$work/root/bin" "$work/root/data"
head -c 300000 /dev/urandom >"$work/www/data"
background www python3 -m http.server --directory "$work/www" --bind 10.0.0.1 8000
wait_listen 8000 || die "the HTTP server does not listen"
cp "$(command -v busybox)" "$work/root/bin/"
cat >"$work/root/data/run" <<'END'
echo "$1"
/bin/busybox ls /sys/class/net 2>&1
/bin/busybox awk -F: 'NR > 2 { print $1 }' /proc/net/dev
/bin/busybox wget -qO- http://10.0.0.1:8000/data | /bin/busybox sha256sum
/bin/busybox wget -qO- http://10.0.0.1:8001/data
/bin/bash -c 'exec 3<>/dev/tcp/10.0.0.1/8000 && echo "bash is connected"'
/musl && /static
/bin/busybox wget -qO- http://10.0.0.1:8002/data | /bin/busybox sha256sum
exit 7
END
# The same program, by musl and linked statically; and one that is linked dynamically, with its libraries
cat >"$work/connects.c" <<'END'
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <sys/socket.h>
int main(int argc, char **argv)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(8000)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)argc;
	inet_pton(AF_INET, "10.0.0.1", &addr.sin_addr);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		printf("%s: %s\n", argv[0], strerror(errno));
	else
		printf("%s is connected\n", argv[0]);
	return 0;
}
END
libcs=static
gcc -static -o "$work/root/static" "$work/connects.c" || die "no static program"
if command -v musl-gcc >/dev/null; then
	libcs+=" musl"
	musl-gcc -o "$work/root/musl" "$work/connects.c" || die "no program for musl"
	loader=$(ldd "$work/root/musl" 2>&1 | grep -o '/lib[^ ]*ld-musl[^ ]*' | head -n 1)
	install -D "${loader:=/lib/ld-musl-x86_64.so.1}" "$work/root/lib/ld-musl-x86_64.so.1"
else
	skip_part "no musl-gcc: scripts/packages install vsock"
	ln -s static "$work/root/musl"
fi
for file in /bin/bash $(ldd /bin/bash | grep -o '/[^ ]*'); do install -D "$file" "$work/root$file"; done
kernel=$(echo "$O"/vsock-guest/kernel/boot/vmlinuz-*)
modules=$(echo "$O"/vsock-guest/kernel/lib/modules/*)
PATH=$bin:$(dirname "$vhost"):$PATH
lfp_vm=$top/examples/vm/lfp-vm
vm() {
	TMPDIR=$work timeout 100 "$lfp_vm" --root "$work/root" --kernel "$kernel" --modules "$modules" --log "$work/connections" "$@"
}
check_exit 7 "a program in a machine: its exit code" into "$work/out" vm --deny 10.0.0.1:8002 --allow 10.0.0.0/24:8000-8002 --deny 10.0.0.1:8001 -- /bin/busybox sh /data/run "it's here"
check_eq "$(head -n 1 "$work/out")" "it's here" "- its arguments"
check_eq "$(grep -cx ' *lo' "$work/out")" 1 "- no network device but lo"
check_eq "$(grep -E 'VLF|reboot:' "$work/out" | grep -v '^VLFD170W .*8002')" "" \
	"- nothing of the kernel, the instance or lfpd among its output but the refusal"
check "- a file from a server that is allowed" grep -q "$(sha256sum <"$work/www/data" | cut -d ' ' -f 1)" "$work/out"
check "- a program that is linked dynamically connects" grep -q "bash is connected" "$work/out"
for libc in $libcs; do check "- so does one of $libc" grep -qx "/$libc is connected" "$work/out"; done
check "- the log has the connection" grep -q '"event":"connect".*10.0.0.1.*8000' "$work/connections"
check "- and the refusal of a port that is denied first" grep -q '8002.*"refused_by":"rule"' "$work/connections" || cat "$work/connections"
check_eq "$(find "$work" -maxdepth 1 -name 'tmp.*')" "" "nothing is left"

# The rules are those of lfp-run --private; a server in the machine is published.
cat >"$work/root/data/serve" <<'END'
/bin/busybox httpd -p 8080 -h /data
/bin/busybox wget -qO- http://10.0.0.1:8001/ && exit 9
until false; do
	/bin/busybox wget -qO- http://10.0.0.1:8000/stop >/dev/null 2>&1 && exit 0
done
END
echo served >"$work/root/data/page"
background served vm --deny 10.0.0.1:8001 --publish 10.0.0.1:8003:8080 -- /bin/busybox sh /data/serve
served=$!
got_page() { [ "$(curl -sS --max-time 5 http://10.0.0.1:8003/page)" = served ]; }
check "--publish: a server in the machine is reached at the host's port" wait_for 60 got_page || cat "$work/served.log"
touch "$work/www/stop"
check "- --deny alone: all else is allowed" wait "$served" || cat "$work/served.log"

# errors: CODE TEXT ARGUMENT...: the message, without a machine
errors() {
	local code=$1 text=$2
	shift 2
	check_exit "$code" "$text" into "$work/out" timeout 20 "$lfp_vm" "$@"
	check "- is said" grep -q "^lfp-vm: $text" "$work/out" || cat "$work/out"
}
some=(--root "$work/root" --kernel "$kernel" --modules "$modules")
check "--help" into "$work/out" "$lfp_vm" --help
check "- prints each option" grep -q -- '--publish' "$work/out"
errors 64 "--root is missing" -- true
errors 64 "--root /nowhere: no such folder" --root /nowhere -- true
errors 64 "no program is named" "${some[@]}"
errors 64 "/none is not in $work/root" "${some[@]}" -- /none
errors 64 "no such option: --net" "${some[@]}" --net x -- /bin/busybox
errors 64 "--rules excludes" "${some[@]}" --rules /dev/null --allow x:1 -- /bin/busybox
errors 69 "cannot read the kernel /nowhere" "${some[@]}" --kernel /nowhere -- /bin/busybox
errors 69 "no modules in /nowhere" "${some[@]}" --modules /nowhere -- /bin/busybox
errors 69 "no module vmw_vsock_virtio_transport in $work/www" "${some[@]}" --modules "$work/www" -- /bin/busybox
errors 69 "the rules or the log: .*rules:1: " "${some[@]}" --allow "not a rule at all" -- /bin/busybox
echo "deny all of it" >"$work/bad-rules"
errors 69 "the rules or the log: .*bad-rules:1: " "${some[@]}" --rules "$work/bad-rules" -- /bin/busybox
errors 69 "the rules or the log: .*rules:1: " "${some[@]}" --upstream "gopher://10.0.0.1" -- /bin/busybox
mkdir "$work/few"
for tool in bash sed uname cat grep id dirname; do ln -s "$(command -v $tool)" "$work/few/"; done
check_exit 69 "without QEMU" into "$work/out" env PATH="$work/few" HOME="$work" "$lfp_vm" "${some[@]}" -- /bin/busybox
check "- is said" grep -q "^lfp-vm: qemu-system-x86_64 is not in PATH: " "$work/out" || cat "$work/out"
check_eq "$(find "$work" -maxdepth 1 -name 'tmp.*')" "" "nothing is left of all that"
finish
