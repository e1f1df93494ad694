#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One user asks for more than the instance has, in every way of the control channel; another user is served
# meanwhile
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3 setpriv
[ "$(id -u)" = 0 ] || skip "not root"
needs_own_processes "the limit of descriptors is the instance's"

# The users must be able to execute it.
for python in $(python3 -c 'import sys; print(sys.executable)') $(type -aP python3) ''; do
	! setpriv --reuid 65534 --regid 65534 --clear-groups env "${python:-false}" -c '' 2>/dev/null || break
done
[ -n "$python" ] || skip "there is no python3 that others than root can execute"
cp "$here/crowd.py" "$work"
ctl=$LFP_ROOT/run/vselfp/01/ctl

# as USER-ID WORD...: crowd.py; $! in the background is its own id
as() {
	local id=$1
	shift
	exec setpriv --reuid "$id" --regid "$id" --clear-groups "$python" "$work/crowd.py" "$@"
}
# start NAME WORD...: as user 65534
start() {
	local name=$1
	shift
	: >"$work/$name.log"
	as 65534 "$@" <&"$never" >"$work/$name.log" 2>&1 &
	pids+=($!)
}
said() { grep -q "^$2" "$work/$1.log"; }

# 768 sockets are looked at for each of the calls, or once for all that wait: a second and more, or 15 ms.
lfp_up MAX_SOCKETS=1024
start refused refused "$ctl" 300
refused=$!
wait_for 60 said refused refused || die "no call is refused: $(tail -n 2 "$work/refused.log")"
(as 65533 ping "$ctl" 200 "$instance") >"$work/ping.log" 2>&1
check_le "$(<"$work/ping.log")" 400 "the longest call of another user while hundreds are refused, in ms"
check_eq "$(as 65533 make "$ctl")" "a socket" "and it has a socket"
stop_pid $refused
stop_pid "$instance"
stop_pid "$lfpd"

lfpd_start LINR02
instance_start 01 bash -c 'ulimit -n 1024 && exec "$@"' -
mkfifo "$work/go" && exec {go}<>"$work/go"
: >"$work/fill.log"
as 65534 fill "$ctl" <"$work/go" >"$work/fill.log" 2>&1 &
pids+=($!)
wait_for 60 said fill filled || die "nothing is filled: $(tail -n 2 "$work/fill.log")"
check_eq "$(as 65533 make "$ctl")" "a socket" "another user has a socket when one has all connections that it can have"
finish
