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
exit 7
END
# A program that is linked dynamically, with its libraries
for file in /bin/bash $(ldd /bin/bash | grep -o '/[^ ]*'); do install -D "$file" "$work/root$file"; done
kernel=$(echo "$O"/vsock-guest/kernel/boot/vmlinuz-*)
modules=$(echo "$O"/vsock-guest/kernel/lib/modules/*)
vm() {
	PATH=$bin:$(dirname "$vhost"):$PATH TMPDIR=$work timeout 100 "$top/examples/vm/lfp-vm" --root "$work/root" --kernel "$kernel" \
		--modules "$modules" --allow 10.0.0.1:8000 --log "$work/connections" "$@"
}
check_exit 7 "a program in a machine: its exit code" into "$work/out" vm -- /bin/busybox sh /data/run "it's here"
check_eq "$(head -n 1 "$work/out")" "it's here" "- its arguments"
check_eq "$(grep -cx ' *lo' "$work/out")" 1 "- no network device but lo"
check "- a file from a server that is allowed" grep -q "$(sha256sum <"$work/www/data" | cut -d ' ' -f 1)" "$work/out"
check "- a program that is linked dynamically connects" grep -q "bash is connected" "$work/out"
check "- the log has the connection" grep -q '"event":"connect".*10.0.0.1.*8000' "$work/connections"
check "- and the refusal of another port" grep -q '8001.*"refused_by":"rule"' "$work/connections" || cat "$work/connections"
check_eq "$(find "$work" -maxdepth 1 -name 'tmp.*')" "" "nothing is left"
check_exit 64 "without a root" into "$work/out" "$top/examples/vm/lfp-vm" -- true
finish
