#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Streams whose data goes by reference, in pipes: every byte arrives, whatever takes pipes away or splice() says
# SPLICED_MB, SPLICED_RUNS, SPLICED_FAULTS: more of it
# Time limit: 300 s
LFP_TRANSPORT=local
. "$(dirname "$0")/lib.sh"
. "$here/stalled.sh"

mb=${SPLICED_MB:-20} runs=${SPLICED_RUNS:-1} faults=${SPLICED_FAULTS:-15}
admin=("$bin/lfpd-admin" -i LINR02)
window=(MTU_SIZE=65536 MTU=65536 WINDOW_SIZE=262144 WindowSize=262144 MaxBufferSpace=64M)
port=7000

# transfer SOCKETS KB SEED HOST LFP: both sides, with what each does at the end; their words are in host.log and lfp.log
transfer() {
	local host lfp rc=0
	port=$((port + 1))
	background host timeout 250 "$programs/spliced" listen 127.0.0.1 $port "$1" "$2" "$3" "$4"
	host=$!
	wait_listen $port
	timeout 250 "${lfp_prefix[@]}" "$programs/spliced" connect 127.0.0.1 $port "$1" "$2" "$3" "$5" >"$work/lfp.log" 2>&1 || rc=1
	wait $host || rc=1
	[ $rc = 0 ] || tail -n 3 "$work/host.log" "$work/lfp.log" "$work/lfpd-LINR02.log"
	return $rc
}
# number NAME: one of lfpd's statistics
number() { "${admin[@]}" statistics --interval 0 | awk -v name="$1" '$1 == name { print $2 }'; }
spliced() { echo $(($(number spliced_in) + $(number spliced_out))); }
moved() { echo $(($(number stream_bytes_to_host) + $(number stream_bytes_to_vse))); }
# pipes: descriptors of lfpd that are ends of pipes; libuv has some of its own
pipes() { find "/proc/$lfpd/fd" -lname 'pipe:*' 2>/dev/null | wc -l; }
# by_reference TEXT COMMAND...: a part of the data goes so
by_reference() {
	local text=$1 before
	shift
	before=$(spliced)
	check "$text" "$@"
	check "$text: bytes by reference" [ "$(spliced)" -gt "$before" ]
}
restart() { # KEY=VALUE..., with $wrapper
	stop_pid "$lfpd"
	lfpd_conf LINR02 "${window[@]:0:1}" "${window[@]:2:1}" "$@"
	lfpd_start LINR02 "${wrapper[@]}"
	instance_start 01
}

lfp_up "${window[@]}"
own_pipes=$(pipes)
can_receive=1
on_lfp true # near ends are made
for ((seed = 1; seed <= runs; seed++)); do
	before=$(spliced) all=$(moved)
	check "seed $seed: two connections, $mb MB each way" transfer 2 $((mb * 1024)) $seed finish finish
	before=$(($(spliced) - before)) all=$(($(moved) - all))
	echo "$((before * 100 / all)) % of $all bytes by reference"
	check_eq "$all" $((4 * mb * 1048576)) "seed $seed: lfpd counts all bytes, by whichever way"
	[ $before -gt 0 ] || can_receive=0
	[ $can_receive = 0 ] || check "seed $seed: a half of them and more by reference" [ $before -ge $((all / 2)) ]
	check "seed $seed: the program resets" transfer 2 $((mb * 1024)) $seed hit reset
	check "seed $seed: the host resets" transfer 2 $((mb * 1024)) $seed reset hit
done
[ $can_receive = 1 ] || skip "this kernel lets no data go by reference"
check "all sockets are gone" wait_for 30 no_sockets
check_le $(($(pipes) - own_pipes)) 16 "eight empty pipes are kept"

# A trace with payload begins and ends meanwhile.
trace_off() { "${admin[@]}" trace status | grep -q "No trace is running"; }
switch_traces() {
	while ! [ -e "$work/enough" ]; do
		"${admin[@]}" trace start kind=payload payload=64 && "${admin[@]}" trace stop &&
			wait_for 30 trace_off && "${admin[@]}" trace show >>"$work/traces" || return 1
		echo x >>"$work/switches"
	done
}
: >"$work/traces" >"$work/switches"
(switch_traces >"$work/switches.log" 2>&1) &
pids+=($!)
switching=$!
by_reference "while traces begin and end" transfer 2 $((mb * 1024)) 7 finish finish
touch "$work/enough"
check "all of these" wait $switching || cat "$work/switches.log"
echo "$(wc -l <"$work/switches") traces with $(grep -c 'DATA .* cut)' "$work/traces") large pieces"
check "there were some" grep -q 'DATA .* cut)' "$work/traces"
# 64 bytes are four lines.
check_eq "$(awk 'function look() { if (wanted && lines != 4) lacking++ }
	/^[0-9]/ { look(); wanted = / DATA .* cut\)/; lines = 0 }
	/^    00/ { lines++ }
	END { look(); print lacking + 0 }' "$work/traces")" 0 "pieces without their payload"

# Stalled connections hold half of all pipes; another one goes on.
port=$((port + 1))
stall many-host "$programs/stall" listen 127.0.0.1 $port 100 write
host=$!
wait_listen $port
stall many-lfp "${lfp_prefix[@]}" "$programs/stall" connect 127.0.0.1 $port 100 write
lfp=$!
wait_for 120 full many-host $host && wait_for 120 full many-lfp $lfp
check_eq "$(word many-lfp full 2)" 100 "100 connections are stalled"
held=$(($(pipes) - own_pipes))
echo "they hold $((held / 2)) pipes"
check_le $held $((2 * (64 + 8))) "descriptors of pipes"
by_reference "another one goes on" transfer 1 $((mb * 512)) 8 finish finish
let_go many-host
let_go many-lfp
wait $host $lfp
check_eq "$(word many-lfp read 3) $(word many-host read 3)" "$(word many-host full 4) $(word many-lfp full 4)" "the stalled ones get all their bytes"
check "all sockets are gone" wait_for 30 no_sockets
check_le $(($(pipes) - own_pipes)) 16 "eight empty pipes are kept"

# splice() fails now and then; not for ever, as each second call may always be the one for the same socket.
if command -v strace >/dev/null; then
	bad=0
	for ((i = 0; i < faults; i++)); do
		errors=(EAGAIN EINTR ENOMEM ENOBUFS EIO)
		error=${errors[i % 5]} first=$((1 + RANDOM % 20)) step=$((2 + RANDOM % 5))
		background strace strace -qq -o "$work/calls" -p "$lfpd" -e trace=splice \
			-e inject=splice:error="$error":when="$first..400+$step"
		tracer=$!
		traced() { grep -q "^TracerPid:.*[1-9]" "/proc/$lfpd/status"; }
		wait_for 30 traced || { skip_part "no process can be traced here"; break; }
		transfer 2 $((1024 + RANDOM % 1024)) $((100 + i)) finish finish ||
			{ bad=$((bad + 1)); echo "$error:when=$first..400+$step fails, seed $((100 + i))"; }
		stop_pid $tracer INT
	done
	check_eq $bad 0 "transfers of $i during which splice() fails"
	check "it has failed" grep -q INJECTED "$work/calls"
	for error in EPERM; do
		background strace strace -qq -o "$work/calls" -p "$lfpd" -e trace=splice -e inject=splice:error=$error:when=50+
		tracer=$!
		wait_for 30 traced
		check "splice() is refused from now on" transfer 2 $((mb * 512)) 9 finish finish
		stop_pid $tracer INT
	done
	before=$(spliced)
	check "then no data goes by reference" transfer 1 4096 10 finish finish
	check_eq "$(spliced)" "$before" "none"
else
	skip_part "strace is not installed"
fi

# Few descriptors
wrapper=(bash -c 'ulimit -n 128; exec "$@"' -)
restart MAX_SOCKETS=110
own_pipes=$(pipes)
by_reference "with 128 descriptors" transfer 8 $((mb * 128)) 11 finish finish
check_le $(($(pipes) - own_pipes)) 16 "an eighth of them for pipes"

# A user that has all pages for pipes that it may have
wrapper=()
if [ "$(id -u)" = 0 ] && getent passwd games >/dev/null; then
	cat >"$work/hog.py" <<-'END'
		import fcntl, os, pwd, sys
		os.setgroups([])
		os.setuid(pwd.getpwnam("games").pw_uid)
		held = []
		try:
		    while len(held) < 1000:
		        held.append(os.pipe())
		        fcntl.fcntl(held[-1][1], 1031, 1 << 20)
		except PermissionError:
		    print("full", flush=True)
		sys.stdin.read()
	END
	stall hog python3 "$work/hog.py"
	hog=$!
	wait_for 30 grep -q full "$work/hog.log" || die "the user's pages are not used up"
	restart USER=games
	check "a user without pages for pipes" transfer 2 $((mb * 512)) 12 finish finish
	check_eq "$(spliced)" 0 "all is copied"
	stop_pid $hog
	by_reference "when there are pages again" transfer 2 $((mb * 1024)) 13 finish finish
else
	skip_part "only root starts lfpd as another user"
fi
finish
