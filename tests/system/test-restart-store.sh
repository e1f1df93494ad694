#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SIGUSR1 leaves everything in the descriptor store, and an lfpd that cannot start leaves it there
# for the next one
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

needs_own_processes "both end"
needs python3
port=5400 conns=20
log=$work/service.log
said() { grep -q "$2" "$work/$1.log"; }
resumed() { [ "$("$bin/ijblfpop" INFO 01 LOGALL | value_of 'TIMES RESUMED')" = "$1" ]; }
moved() { [ "$(info 01 'BYTES RECEIVED')" -gt "$1" ]; } # on this path
told() { awk -v who="$1" '$1 == who { print $2, $3, $4 }' "$work/$1.log" | sort -n; }
seen_by() { awk -v who="$1" '$1 == who { print $2, $4, $3 }' "$work/$1.log" | sort -n; }
in_store() { awk '/^systemd: store/ { nr = $3 } END { print nr + 0 }' "$log"; }
# has_ended CODE TIMES: ends with that code
has_ended() { [ "$(grep -c "^systemd: ended $1\$" "$log")" -ge "$2" ]; }
has_started() { [ "$(grep -c '^systemd: ready' "$log")" -ge "$1" ]; }
start() { echo start >"$work/orders"; }
lfpd_pid() { sed -n 's/^systemd: started //p' "$log" | tail -n 1; }

error_of() { sed -n 's/.*: \(recv\|send\|number\): //p' "$work/$1.log"; }
transfer() {
	rm -f "$work/far.log" "$work/near.log" # messages of the previous processes
	background far "$programs/restart" far 10.0.0.1 $port $conns
	far=$!
	wait_for 30 said far listens || die "far does not listen"
	background_on_lfp near "$programs/restart" near 10.0.0.1 $port $conns
	near=$!
	wait_for 60 said far connected || die "not all are connected"
	wait_for 60 said near connected || die "not all are connected"
}

lfpd_conf LINR02
statements 01 HoldTime=600 # either of the two may wait longer
mkfifo "$work/orders"
background service python3 "$here/descriptor-store.py" "$work/orders" "$work/notify" \
	env LFP_VMID=LINLFP "$daemons/lfpd" -d -f "$conf"
start
wait_for 30 has_started 1 || die "lfpd does not start"
instance_start 01
transfer

kill -USR1 "$(lfpd_pid)"
check "SIGUSR1 ends lfpd" wait_for 60 has_ended 0 1
left=$(in_store)
check_eq "$left" 2 "its sockets, as one, and its state are in the store"

lfpd_conf LINR02 MTU_SIZE=1
start
check "a wrong file ends the next lfpd" wait_for 60 has_ended 78 1
check_eq "$(in_store)" "$left" "and takes nothing out of the store"
lfpd_conf LINR02 METRICS_LISTEN=127.0.0.1:$((port + 50))
background taken "$programs/restart" far 127.0.0.1 $((port + 50)) 2
taken=$!
wait_for 30 said taken listens || die "nobody takes the port"
start
check "a port that is taken ends the next lfpd" wait_for 60 has_ended 69 1
stop_pid "$taken" KILL
check_eq "$(in_store)" "$left" "and takes nothing out of the store"

lfpd_conf LINR02
start
check "the one after them starts" wait_for 60 has_started 2
check_eq "$(in_store)" 0 "and nothing is in the store for another one"
check "it goes on with the session" wait_for 60 resumed 1
check "bytes move" wait_for 60 moved 200000
kill "$far" "$near"
check "the ends outside go on to their end" wait "$far" || cat "$work/far.log"
check "the ends on LFP go on to their end" wait "$near" || cat "$work/near.log"
check_eq "$(told near | wc -l)" "$conns" "all connections are there"
check_eq "$(told near)" "$(seen_by far)" "each end has received all that the other sent"
check "no connection is kept by the store" wait_for 30 no_sockets

port=$((port + 10)) # the others wait for stray segments
transfer
kill -USR1 "$(lfpd_pid)"
check "SIGUSR1 ends lfpd" wait_for 60 has_ended 0 2
echo age >"$work/orders"
start
check "another one starts an hour later" wait_for 60 has_started 3
check_eq "$(in_store)" 0 "and leaves nothing in the store"
check "it reports it" grep -q 'VLFD031W.*timed out' "$log"
wait "$near"
check_eq "$? $(error_of near)" "1 ECONNRESET" "reset on LFP" || cat "$work/near.log"
wait "$far"
check_eq "$? $(error_of far)" "1 ECONNRESET" "reset outside"

wait_for 30 instance_up 01 || die "no path"
kill -STOP "$instance" # lfpd waits for it then
kill -USR2 "$(lfpd_pid)"
check "a restart in place begins" wait_for 30 said service VLFD004I
kill -USR1 "$(lfpd_pid)"
check "SIGUSR1 ends lfpd all the same" wait_for 60 has_ended 0 3
kill -CONT "$instance"
finish
