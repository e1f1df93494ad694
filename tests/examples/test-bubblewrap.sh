#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/bubblewrap and examples/directory: a sandbox of bubblewrap without a network, and one directory that brings LFP
# Time limit: 200 s
. "$(dirname "$0")/../system/lib.sh"
needs curl bwrap patchelf
bwrap --unshare-all --ro-bind / / true 2>"$work/err" || skip "bubblewrap cannot make namespaces here: $(cat "$work/err")"
. "$here/outside.sh"
outside_up www.example.com=203.0.113.5 evil.example.net=203.0.113.6
echo "the answer" >"$work/www/data"

dir=$work/d # below /tmp, of which a sandbox has its own
printf 'allow connect www.example.com:80,443\nallow listen tcp 127.0.0.1:7080\ndefault deny\n' >"$work/rules"
check "a directory" into "$work/out" "${on_host[@]}" "$top/examples/directory/lfp-directory" "$dir" "$work/rules" 127.0.0.1:7080:8080
cat "$work/out"
control() { LFP_ROOT=$dir "$@"; }
stop_directory() { control lfpd-ctl stop LINUX >/dev/null 2>&1; }
at_exit_too=(stop_directory)
control lfpd-admin -i LINUX -s >/dev/null || die "lfpd does not run: $(cat "$dir/run/vselfpd/LINUX/log")"

mkdir "$work/project" && cd "$work/project" && cp "$ca" ca.pem || exit 1
export CURL_CA_BUNDLE=$work/project/ca.pem
sandbox() { timeout 60 "${on_host[@]}" "$top/examples/bubblewrap/sandbox" "$dir" "$@"; }
fetch=(curl -q -sS --noproxy '*' --max-time 20)
check_eq "$(sandbox "${fetch[@]}" https://www.example.com/data)" "the answer" "an allowed name"
check_exit 6 "another name" into "$work/err" sandbox "${fetch[@]}" https://evil.example.net/data
check_exit 7 "an address" into "$work/err" sandbox "${fetch[@]}" http://203.0.113.6/data
check_eq "$(sandbox env -i /usr/bin/curl -q -sS --max-time 20 http://www.example.com/data)" "the answer" "without an environment"
if [ -x /usr/bin/busybox ] || [ -x /bin/busybox ]; then
	check_eq "$(sandbox busybox wget -q -O - http://www.example.com/data)" "the answer" "a static program"
else
	skip_part "busybox is not installed"
fi
check_eq "$(sandbox sh -c 'tail -n +3 /proc/net/dev | grep -v " lo: *0"; ls /lfp; touch /lfp/x 2>&1')" "bin
lib
run
touch: cannot touch '/lfp/x': Read-only file system" "no network, and a directory that it cannot write"
background server timeout 100 "${on_host[@]}" "$top/examples/bubblewrap/sandbox" "$dir" python3 -c '
import socket
s = socket.create_server(("", 8080))
c, peer = s.accept()
c.sendall(b"from the sandbox")'
wait_listen 7080 || fail "no port is published"
check_eq "$(python3 -c 'import socket; print(socket.create_connection(("127.0.0.1", 7080), 20).makefile().read())')" "from the sandbox" "a published port"

echo 'default deny' >"$dir/rules"
check "new rules" into "$work/out" control lfpd-ctl reload LINUX
check_exit 6 "count from then on" into "$work/err" sandbox "${fetch[@]}" https://www.example.com/data
check_eq "$(grep '"event":"lookup"' "$dir/connections" | grep '"program":"curl"' | grep '"name":"evil.example.net"' | grep -c '"refused_by":"rule"')" 1 "the log"
check "the end" into "$work/out" control lfpd-ctl stop LINUX
check_exit 69 "after which nothing starts" into "$work/err" sandbox true
finish
