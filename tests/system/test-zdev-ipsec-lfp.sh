#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An LFP instance whose traffic leaves encrypted: lfpd runs in a namespace whose only way out is zdev ipsec (zdev/examples/tunnel.sh)
# Time limit: 200 s
[ "$(id -u)" = 0 ] && [ -e /dev/net/tun ] || { echo "skipped: raw sockets and /dev/net/tun need root"; exit 77; }
if [ -z "${LFP_TEST_MOUNT:-}" ]; then
	unshare --mount --propagation private true || { echo "skipped: no mount namespace"; exit 77; }
	export LFP_TEST_MOUNT=1
	exec unshare --mount --propagation private -- "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"
needs python3 ip od
python=$(python3 -c 'import sys; print(sys.executable)')
mkdir -p /run/netns && mount -t tmpfs none /run/netns || skip "no directory for network namespaces"
echo "GLOBALCONFIG ZIIP IPSECURITY" >"$work/profile"

# Counts the frames on the cable until it is told to end: those with ESP, and IPv4 and IPv6 ones without.
watch='
import select, socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
s.bind(("cable", 0))
print("ready", flush=True)
esp = clear = 0
while True:
    ready = select.select([s, 0], [], [])[0]
    if s in ready:
        frame = s.recv(65536)
        kind = frame[12:14]
        if kind == b"\x08\x00" and frame[23] == 50: esp += 1
        elif kind in (b"\x08\x00", b"\x86\xdd"): clear += 1
    elif 0 in ready: break
print(esp, clear)
'
on() { timeout 60 "${empty_net[@]}" "$bin/lfp-run" -i 01 "$@" 2>&1; }
says() { grep -q -- "$2" "$work/$1"; }
command() { echo "$*" >&"$commands"; }

# try ZIIPS: everything, with so many assist engines
try() {
	local ziips=$1 commands watching tunnel esp clear iip iipcp
	mkfifo "$work/commands$ziips" "$work/watching$ziips"
	exec {commands}<>"$work/commands$ziips" {watching}<>"$work/watching$ziips"
	ZDEV=$bin/zdev sh "$top/zdev/examples/tunnel.sh" --cps=1 --ziips="$ziips" --tcpip="$work/profile" \
		--opt=<(echo PROJECTCPU=YES) <&$commands >"$work/tunnel$ziips.out" 2>"$work/tunnel$ziips.log" &
	tunnel=$!
	pids+=($tunnel)
	wait_for 60 says "tunnel$ziips.out" "tunnel is up" || die "$ziips zIIPs: no tunnel"
	lfpd_conf LINR02 ${by_local:+LOCAL_INSTANCE=01} PEER_IUCV_APPNAME= HOST_NETNS=vse-near
	statements 01 IucvSrcAppName=TEST01 IucvDestAppName=LINR02
	lfpd_start LINR02
	[ -n "$by_local$started" ] || instance_start 01
	started=1
	wait_for 60 instance_up 01 || die "$ziips zIIPs: the instance is not up"
	background "server$ziips" ip netns exec vse-far "$python" "$top/tests/apps/echo-server.py" thread 10.9.0.2 7000
	wait_for 60 listens_far || die "no server"
	ip netns exec vse-near "$python" -c "$watch" <&$watching >"$work/watch$ziips.out" &
	pids+=($!)
	wait_for 60 says "watch$ziips.out" ready || die "nobody watches the cable"
	command REPORT
	check "$ziips zIIPs: 1 MB there and back" on "$python" "$top/tests/apps/echo-client.py" 10.9.0.2 7000 2 524288
	check_exit 1 "$ziips zIIPs: no other way, not even to the cable's end" into "$work/out" on "$python" -c \
		'import socket; socket.create_connection(("10.9.1.2", 7000), 1)'
	command REPORT
	wait_for 60 reported || die "no report"
	echo >&"$watching"
	wait_for 60 says "watch$ziips.out" '^[0-9]'
	read -r esp clear <<<"$(tail -n 1 "$work/watch$ziips.out")"
	check "$ziips zIIPs: $esp packets on the cable have ESP, $clear have not" test "${esp:-0}" -gt 1000 -a "${clear:-1}" = 0
	iip=$(awk '$0 ~ /  IIP  / && /EXPSNGL|EXP SNGL/ { print $(NF - 3) }' "$work/tunnel$ziips.out" | tail -n 1)
	iipcp=$(awk '/  IIPCP  / { print $(NF - 2) }' "$work/tunnel$ziips.out" | tail -n 1)
	if [ "$ziips" = 0 ]; then
		check "CPs do the eligible work: IIP $iip, IIPCP $iipcp" awk "BEGIN { exit !(\"$iip\" == \"N/A\" && $iipcp > 0) }"
	else
		check "$ziips zIIPs work: IIP $iip, IIPCP $iipcp" awk "BEGIN { exit !($iip > 0) }"
	fi
	stop_pid "$lfpd"
	command STOP
	wait_for 60 ended $tunnel
	check_eq "$(ip netns list)" "" "$ziips zIIPs: all of it is gone"
	exec {commands}>&- {watching}>&-
}
by_local='' started=''
[ "$transport" != local ] || by_local=1
listens_far() { ip netns exec vse-far grep -q ":$(printf %04X 7000) [0-9A-F]*:0000 0A " /proc/net/tcp; }
reported() { [ "$(grep -c '^CPU 00' "$work/tunnel$ziips.out")" = 2 ]; }

for ziips in 0 1 2; do try $ziips; done
finish
