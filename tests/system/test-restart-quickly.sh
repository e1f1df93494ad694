#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd-ctl restart while another restart is not over, and signals at odd moments: connections go on
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

needs_own_processes "both restart"
conns=20 port=5300
said() { grep -q "$2" "$work/$1.log"; }
moved() { [ "$(info 01 'BYTES RECEIVED')" -gt "$1" ]; } # on this path
active() { [ "$(info 01 'DEVICE STATUS')" = ACTIVE ]; }
told() { awk -v who="$1" '$1 == who { print $2, $3, $4 }' "$work/$1.log" | sort -n; }
seen_by() { awk -v who="$1" '$1 == who { print $2, $4, $3 }' "$work/$1.log" | sort -n; }
restart() { "$bin/lfpd-ctl" restart LINR02 >>"$work/ctl.log" 2>&1; }
goes_on() { # TEXT
	check "$1: the path is there" wait_for 60 active
	check "$1: bytes move" wait_for 60 moved 200000
	check_eq "$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")" "$pid" "$1: the same process"
}

lfp_up
background far "$programs/restart" far 10.0.0.1 $port $conns
far=$!
wait_for 30 said far listens || die "far does not listen"
background_on_lfp near "$programs/restart" near 10.0.0.1 $port $conns
near=$!
wait_for 60 said far connected || die "not all are connected"
wait_for 60 said near connected || die "not all are connected"
pid=$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")

# No side waits for the session to be resumed.
for ((i = 0; i < 10; i++)); do restart || fail "restart $i: $(tail -n 2 "$work/ctl.log")"; done
goes_on "one after the other"

# At any moment: suspending, executing, starting, resuming.
for ((i = 0; i < 200; i++)); do
	kill -USR2 "$pid" || die "lfpd has ended by a signal"
	sleep 0.00$((i % 10))
done
goes_on "SIGUSR2"

# Two operators.
operator() { for ((i = 0; i < 10; i++)); do restart || return 1; done; }
operator &
first=$!
operator &
second=$!
check "two operators: the first" wait "$first" || tail -n 5 "$work/ctl.log"
check "two operators: the second" wait "$second" || tail -n 5 "$work/ctl.log"
goes_on "two operators"

kill "$far" "$near"
check "the ends outside go on to their end" wait "$far" || cat "$work/far.log"
check "the ends on LFP go on to their end" wait "$near" || cat "$work/near.log"
check_eq "$(told near | wc -l)" "$conns" "all connections are there"
check_eq "$(told near)" "$(seen_by far)" "each end has received all that the other sent"
finish
