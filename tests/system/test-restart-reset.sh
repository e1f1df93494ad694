#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Stops without a restart, and failed restarts: connections are reset, at once or after HoldTime
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

needs_own_processes "both end"
needs python3
port=5200 conns=20
said() { grep -q "$2" "$work/$1.log"; }
active() { [ "$(info 01 'DEVICE STATUS')" = ACTIVE ]; }
suspended() { [ "$(info 01 'DEVICE STATUS')" = SUSPENDED ]; }
log=$work/lfpd-LINR02.log

# A program of its own, that can be another one later.
mkdir "$work/bin"
for program in ijblfpop lfp-run; do ln -s "$(realpath "$daemons/$program")" "$work/bin/"; done
cp "$daemons/lfpd" "$work/real-lfpd"
export REAL_LFPD=$work/real-lfpd
daemons=$work/bin
install_lfpd() { cp "$1" "$work/bin/new" && chmod 755 "$work/bin/new" && mv "$work/bin/new" "$work/bin/lfpd"; }
install_lfpd "$REAL_LFPD"
lfp_up HoldTime=3

transfer() {
	rm -f "$work/far.log" "$work/near.log" # messages of the previous processes
	background far "$programs/restart" far 10.0.0.1 $port $conns
	far=$!
	wait_for 30 said far listens || die "far does not listen"
	background_on_lfp near "$programs/restart" near 10.0.0.1 $port $conns
	near=$!
	wait_for 60 said near connected || die "not all are connected"
	wait_for 60 said far connected || die "not all are connected"
}
error_of() { sed -n 's/.*: \(recv\|send\|number\): //p' "$work/$1.log"; }
ends_by_reset() { # TEXT
	wait "$near"
	check_eq "$? $(error_of near)" "1 ECONNRESET" "$1: reset on LFP" || cat "$work/near.log"
	wait "$far"
	check_eq "$? $(error_of far)" "1 ECONNRESET" "$1: reset outside"
}

transfer
stop_pid "$lfpd"
ends_by_reset "SIGTERM"
lfpd_start LINR02
wait_for 30 active || die "no path"

transfer
stop_pid "$lfpd" KILL
ends_by_reset "SIGKILL"
lfpd_start LINR02
wait_for 30 active || die "no path"

transfer
install_lfpd "$here/restart-reset.py"
"$bin/lfpd-ctl" restart LINR02 || die "restart"
ends_by_reset "saved state of another version"
check "lfpd says why" grep -q 'VLFD151E.*version' "$log"
wait_for 30 active || die "no path"
transfer
kill "$far" "$near"
check "later connections work" wait "$near"
wait "$far"
stop_pid "$lfpd"
install_lfpd "$REAL_LFPD"
lfpd_start LINR02
wait_for 30 active || die "no path"

transfer
printf '#!/bin/sh\nexec sleep 1000\n' >"$work/sleeper" # its sockets stay open
install_lfpd "$work/sleeper"
start=$(now_ms)
kill -USR2 "$lfpd"
check "INFO says that the path is suspended" wait_for 30 suspended
wait "$near"
check_eq "$? $(error_of near)" "1 ECONNRESET" "HoldTime: reset on LFP"
check "not before it is over" [ $(($(now_ms) - start)) -ge 2900 ]
check "the instance reports it" grep -q VLFB062W "$LFP_ROOT/run/vselfp/01/log"
kill "$lfpd"
wait "$far"
check_eq "$? $(error_of far)" "1 ECONNRESET" "HoldTime: reset outside, when no process has them any more"
install_lfpd "$REAL_LFPD"
lfpd_start LINR02
check "another lfpd gets a new session" wait_for 30 active

logged() { grep -q -- "$1" "$log"; }
transfer
kill -STOP "$instance"
"$bin/lfpd-ctl" restart LINR02 || die "restart"
check "one that does not answer: lfpd reports it" wait_for 30 logged "VLFD154W.*has not suspended the session in time"
kill -CONT "$instance"
ends_by_reset "one that does not answer"
"$bin/ijblfpop" STOP 01 IMMEDIATE >/dev/null || die "STOP"
statements 01 HoldTime=0
instance_start 01
transfer
"$bin/lfpd-ctl" restart LINR02 || die "restart"
check "HoldTime = 0: lfpd reports it" wait_for 30 logged "VLFD154W.*does not hold it"
ends_by_reset "HoldTime = 0"
finish
