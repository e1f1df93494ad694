#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd-ctl restart, again and again: connections continue, and no byte is lost or duplicated
# Time limit: 600 s
. "$(dirname "$0")/lib.sh"

needs_own_processes "both restart"
conns=${CONNS:-200} restarts=${RESTARTS:-10} port=5100
# The requirement is 2 s; a machine that has other things to do may take longer.
pause_max=${PAUSE_MAX:-20000}

resumed() { [ "$("$bin/ijblfpop" INFO 01 LOGALL | value_of 'TIMES RESUMED')" = "$1" ]; }
moved() { [ "$(info 01 'BYTES RECEIVED')" -gt "$1" ]; } # on this path
said() { grep -q "$2" "$work/$1.log"; }
# "INDEX SENT RECEIVED" of each end, in order; the other end's view of the same
told() { awk -v who="$1" '$1 == who { print $2, $3, $4 }' "$work/$1.log" | sort -n; }
seen_by() { awk -v who="$1" '$1 == who { print $2, $4, $3 }' "$work/$1.log" | sort -n; }
pause_of() { awk '/^longest pause/ { print $3 }' "$work/$1.log"; }

lfp_up
background far "$programs/restart" far 10.0.0.1 $port "$conns"
far=$!
wait_for 30 said far listens || die "far does not listen"
background_on_lfp near "$programs/restart" near 10.0.0.1 $port "$conns"
near=$!
wait_for 60 said far connected || die "not all are connected"
wait_for 60 said near connected || die "not all are connected"
background_on_lfp connects "$programs/restart" connects 10.0.0.1 $port
connects=$!
background_on_lfp datagrams "$programs/restart" datagrams 10.0.0.1 $port
datagrams=$!

pid=$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")
for ((i = 1; i <= restarts; i++)); do
	"$bin/lfpd-ctl" restart LINR02 >"$work/ctl.log" 2>&1 || die "restart $i: $(<"$work/ctl.log")"
	wait_for 60 resumed $i || die "restart $i: the session is not resumed"
	wait_for 60 moved 1000000 || die "restart $i: nothing moves after it"
done
ok "$restarts restarts"
check_eq "$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")" "$pid" "in the same process"

kill "$connects" "$datagrams"
check "short connections were made all the time" wait "$connects"
check "datagrams were answered all the time" wait "$datagrams"
tail -qn 1 "$work/connects.log" "$work/datagrams.log"
kill "$far" "$near"
check "the ends outside go on to their end" wait "$far"
check "the ends on LFP go on to their end" wait "$near"
check_eq "$(told near | wc -l)" "$conns" "all connections are there"
check_eq "$(told near)" "$(seen_by far)" "each end has received all that the other sent"
check_le "$(pause_of near)" "$pause_max" "longest pause in ms, seen on LFP"
check_le "$(pause_of far)" "$pause_max" "longest pause in ms, seen outside"
check "nothing is left in lfpd" wait_for 30 no_sockets
finish
