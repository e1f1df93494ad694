#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# MAX_SOCKETS, MAX_VSE_TASKS, descriptors: one too many is refused, and both sides log it; I/O buffers grow and shrink
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

# A wrapper of the shell's would be tasks of its own.
policy=("$(python3 -c 'import sys; print(sys.executable)')" "$here/policy.py")
log=$work/lfpd-LINR02.log

# hold NAME NUMBER: a program that keeps so many sockets, until NAME is released
declare -A held
hold() {
	"${lfp_prefix[@]}" "${policy[@]}" hold "$2" <&"$never" >"$work/$1.log" 2>&1 &
	held[$1]=$!
	pids+=($!)
	wait_for 120 ends_a_line "$work/$1.log"
}
release() { stop_pid "${held[$1]}"; }
both_say() { # LFPD-ID INSTANCE-ID
	check "lfpd reports it" grep -q "$1" "$log"
	check "and the LFP instance" grep -q "$2" "$(instance_log 01)"
}

lfp_up MAX_SOCKETS=5 MAX_SOCKETS_USER=5 MAX_VSE_TASKS=2 MAX_TASKS_USER=2 INITIAL_IO_BUFS=1
hold five 6
check_eq "$(cat "$work/five.log")" "5 sockets, then ENFILE" "one more than MAX_SOCKETS"
both_say 'VLFD115W Too many open sockets, one was refused with ENFILE: all of MAX_SOCKETS (5) are in use' 'VLFB045W Too many open sockets'
hold other 1
check_eq "$(cat "$work/other.log")" "0 sockets, then ENFILE" "the limit is the instance's, not the program's"
check_eq "$(grep -c VLFD115W "$log")" 1 "not reported each time"
release five
check "they are gone" wait_for 30 no_sockets
release other
none() { [ "$(info 01 'ACTIVE TASK COUNT')" = 0 ]; }
check "their tasks, too" wait_for 30 none

hold one 1
hold two 1
hold three 1
check_eq "$(cat "$work/one.log" "$work/two.log")" "1 sockets
1 sockets" "MAX_VSE_TASKS programs are served"
check_eq "$(cat "$work/three.log")" "0 sockets, then EAGAIN" "one more is not"
both_say 'VLFD117W Too many tasks' 'VLFB046W Too many tasks'
release one
one_left() { [ "$(info 01 'ACTIVE TASK COUNT')" = 1 ]; }
check "one ends" wait_for 30 one_left
hold four 1
check_eq "$(cat "$work/four.log")" "1 sockets" "and another takes its place"
release two
release three
release four
check "all end" wait_for 30 none

buffers() { status LINR02 'Allocated I/O buffers'; }
check_eq "$(buffers)" 1 "as many buffers as INITIAL_IO_BUFS"
background sink "${policy[@]}" sink 10.0.0.1 7100
wait_listen 7101 || die "no sink"
"${lfp_prefix[@]}" "${policy[@]}" stall 10.0.0.1 7100 <&"$never" >"$work/stall.log" 2>&1 &
stall=$!
pids+=($stall)
check "a peer does not read" wait_for 30 grep -q stalled "$work/stall.log"
grown=$(buffers)
check "the buffers have grown ($grown)" [ "$grown" -gt 4 ]
stop_pid "${pids[-2]}" # the sink
stop_pid $stall
shrunk() { [ "$(buffers)" = 1 ]; }
check "and shrink again" wait_for 30 shrunk || buffers
stop_pid "$instance"
stop_pid "$lfpd"

lfpd_conf LINR02 MAX_SOCKETS=1000
lfpd_start LINR02 bash -c 'ulimit -n 80; exec "$@"' -
check "lfpd says at its start that MAX_SOCKETS does not fit" grep -q 'VLFD025W MAX_SOCKETS of instance LINR02 is 1000' "$log"
statements 01
instance_start 01
hold many 200
check "without a descriptor it is ENFILE, too" grep -Eqx '[0-9]+ sockets, then ENFILE' "$work/many.log" || cat "$work/many.log"
check_le "$(cut -d ' ' -f 1 "$work/many.log")" 80 "not more sockets than descriptors"
both_say 'VLFD116W Too many open sockets, one was refused with ENFILE: Too many open files' 'VLFB045W Too many open sockets'
release many
check "they are gone" wait_for 30 no_sockets
hold again 10
check_eq "$(cat "$work/again.log")" "10 sockets" "and there is room again"
release again
finish
