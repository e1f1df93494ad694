#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Admission to lfpd: each refusal is a line in its log with the client and the reason
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

user=$(id -u) group=$(id -g)
log=$work/lfpd-LINR02.log

# lfpd_with KEY=VALUE...: a new lfpd
lfpd_with() {
	[ -z "${lfpd:-}" ] || stop_pid "$lfpd"
	lfpd_conf LINR02 "$@"
	lfpd_start LINR02
}

op() { env LFP_VMID="${vmid:-VSER05}" "$bin/ijblfpop" "$@" >"$work/out" 2>&1; }

# refused TEXT REASON COMMAND...: exit 69, and one more line with the reason in the log
refused() {
	local text=$1 reason=$2 before
	shift 2
	before=$(grep -Ec -- "$reason" "$log")
	check_exit 69 "$text" "$@" || cat "$work/out"
	check_eq "$(grep -Ec -- "$reason" "$log")" $((before + 1)) "and lfpd says why" || cat "$log"
}
admitted() { # TEXT COMMAND...
	local text=$1
	shift
	check_exit 0 "$text" "$@" || cat "$work/out" "$log"
	op STOP 01
}
who="The connection of TESTV of VSER05 \(process [0-9]+ of user $user\) was refused, because"

statements 01
lfpd_with
vmid=VSER06 refused "another z/VM user id" \
	"VLFD120W The connection of TESTV of VSER06 .*because z/VM user id VSER06 is not PEER_IUCV_VMID VSER05" op START "$work/start-01"
statements 01 IucvSrcAppName=OTHER
refused "another application name" \
	"VLFD120W The connection of OTHER of VSER05 .*because application name OTHER is not PEER_IUCV_APPNAME TESTV" op START "$work/start-01"
statements 01 IucvDestVMId=LINUX
refused "one that means another z/VM system" "VLFD120W $who its destination's z/VM user id LINUX is not ours, LINLFP" op START "$work/start-01"
statements 01
admitted "the right one" op START "$work/start-01"

instance_start 01
statements 02
refused "a second one" "VLFD121W $who TESTV of VSER05 is connected" op START "$work/start-02"
check "the first is not disturbed" instance_up 01
kill -KILL "$instance"
began=$(now_ms)
check_exit 0 "when the first is dead the second takes its place" op START "$work/start-02" || cat "$work/out"
check_le $(($(now_ms) - began)) 5000 "at once, in ms"
op STOP 02

lfpd_with PEER_USER=54321
refused "another user" "VLFD120W $who user $user is not PEER_USER 54321" op START "$work/start-01"
lfpd_with PEER_USER="$user"
admitted "the user, by number" op START "$work/start-01"
if name=$(id -un 2>/dev/null) && [ "$(id -u "$name" 2>/dev/null)" = "$user" ]; then
	lfpd_with PEER_USER="$name"
	admitted "and by name" op START "$work/start-01"
else
	skip_part "the user has no name here"
fi
lfpd_with PEER_GROUP=54321
refused "another group" "VLFD120W $who group $group is not PEER_GROUP 54321" op START "$work/start-01"
lfpd_with PEER_GROUP="$group" PEER_USER="$user"
admitted "the group" op START "$work/start-01"
if [ "$user" = 0 ] && command -v setpriv >/dev/null; then
	lfpd_with PEER_GROUP=54321
	as_member() { env LFP_VMID=VSER05 setpriv --groups 7,54321,8 "$bin/ijblfpop" "$@" >"$work/out" 2>&1; }
	admitted "a process with the group among its groups" as_member START "$work/start-01"
else
	skip_part "supplementary groups need root"
fi

# Whoever reaches the path can connect without end, and must not fill the log.
cat >"$work/strangers.py" <<-'END'
	import socket, sys
	path, number = sys.argv[1], int(sys.argv[2])
	for _ in range(number):
	    one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
	    one.connect(path)
	    try:
	        one.send(bytes(64))
	        one.settimeout(30)
	        one.recv(64)
	    except OSError:
	        pass
	    one.close()
END
told() { grep -c 'VLFD1[0-9]*W .*connection of process\|VLFD128W' "$log"; }
left_out() {
	python3 "$work/strangers.py" "$LFP_ROOT/run/vselfpd/LINR02/path" 1
	grep -q '([0-9]* more since the last such message)' "$log"
}
if command -v python3 >/dev/null; then
	for way in unix shm; do
		lfpd_with TRANSPORT=$way
		began=$(now_ms)
		check "$way: 300 connections that send nonsense" python3 "$work/strangers.py" "$LFP_ROOT/run/vselfpd/LINR02/path" 300
		lfpd_answers LINR02
		check_le "$(told)" $((10 * (1 + ($(now_ms) - began) / 10000))) "lines of the log, at most 10 in ten seconds"
		check "- at least one" test "$(told)" -gt 0
		check "- a later one has the number of those that are left out" wait_for 30 left_out || tail -n 3 "$log"
	done
else
	skip_part "python3 is not installed"
fi

lfpd_conf LINR02 PEER_USER=no-such-user
check_exit 78 "a user that this host does not know" into "$work/out" "$bin/lfpd" -n -f "$conf"
check "and reports it" grep -q 'PEER_USER: no-such-user is not a user of this host' "$work/out"
finish
