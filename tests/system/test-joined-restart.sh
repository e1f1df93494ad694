#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd-ctl restart while two programs of one instance talk to each other: no byte is lost or doubled
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

needs_own_processes "both restart"
conns=${CONNS:-40} restarts=${RESTARTS:-4} port=5100

resumed() { [ "$("$bin/ijblfpop" INFO 01 LOGALL | value_of 'TIMES RESUMED')" = "$1" ]; }
moved() { [ "$(info 01 'BYTES RECEIVED')" -gt "$1" ]; } # on this path
said() { grep -q "$2" "$work/$1.log"; }
# "INDEX SENT RECEIVED" of each end, in order; the other end's view of the same
told() { awk -v who="$1" '$1 == who { print $2, $3, $4 }' "$work/$1.log" | sort -n; }
seen_by() { awk -v who="$1" '$1 == who { print $2, $4, $3 }' "$work/$1.log" | sort -n; }
joined() { "$bin/lfpd-admin" -i LINR02 statistics --interval 0 | awk '$1 == "stream_bytes_joined" { print $2 }'; }

lfp_up
background_on_lfp far "$programs/restart" far 127.0.0.1 $port "$conns"
far=$!
wait_for 30 said far listens || die "far does not listen"
background_on_lfp near "$programs/restart" near 127.0.0.1 $port "$conns"
near=$!
wait_for 60 said far connected || die "not all are connected"
wait_for 60 said near connected || die "not all are connected"
wait_for 60 moved 1000000 || die "nothing moves"
check_le 1 "$(joined)" "bytes without TCP before a restart"
for ((i = 1; i <= restarts; i++)); do
	"$bin/lfpd-ctl" restart LINR02 >"$work/ctl.log" 2>&1 || die "restart $i: $(<"$work/ctl.log")"
	wait_for 60 resumed $i || die "restart $i: the session is not resumed"
	wait_for 60 moved 1000000 || die "restart $i: nothing moves after it"
done
kill "$far" "$near"
check "one end goes on to its end" wait "$far"
check "the other one, too" wait "$near"
check_eq "$(told near | wc -l)" "$conns" "all connections are there"
check_eq "$(told near)" "$(seen_by far)" "each end has received all that the other sent"
check "nothing is left in lfpd" wait_for 30 no_sockets
finish
