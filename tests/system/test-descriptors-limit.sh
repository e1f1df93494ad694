#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Out of descriptors, socket() and connect() fail with ENFILE at once, and calls that need none
# still work
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3
limit=200
want="tcp ENFILE
again ENFILE
calls work
and again a connection
tcp without waiting ENFILE
again ENFILE
calls work
and again a connection
udp ENFILE
again ENFILE
calls work
and again a connection"

# told WHO: the program's view, with WHO at its limit
told() {
	timeout 280 "${lfp_prefix[@]}" "${python[@]}" "$here/limit.py" 127.0.0.1 7000 >"$work/limit.log" 2>&1
	check_eq "$(cat "$work/limit.log")" "$want" "$1 at its limit"
	check "$1: all sockets are gone" wait_for 60 no_sockets
}
# Programs' own descriptors are none of this limit.
python=("$(python3 -c 'import sys; print(sys.executable)')")
mine=$(ulimit -n)
[ "$mine" = unlimited ] || [ "$mine" -ge 1024 ] || skip "a program may have $mine descriptors"
python3 "$top/tests/apps/echo-server.py" asyncio 127.0.0.1 7000 >"$work/server.log" 2>&1 &
pids+=($!)
wait_listen 7000 || die "no server: $(cat "$work/server.log")"

lfpd_conf LINR02
statements 01
lfpd_start LINR02 prlimit --nofile=$limit:$limit
instance_start 01
told lfpd
if [ "$transport" != local ]; then
	stop_pid "$instance"
	stop_pid "$lfpd"
	lfpd_start LINR02
	instance_start 01 prlimit --nofile=$limit:$limit
	told "the instance"
fi
check "the instance is up" instance_up 01
finish
