#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Connections between two programs of one LFP instance are joined in lfpd, and every byte arrives as over the host's TCP
# JOINED_MB, JOINED_RUNS, JOINED_FAULTS: more of it
# Time limit: 300 s
LFP_TRANSPORT=${LFP_TRANSPORT:-local}
. "$(dirname "$0")/lib.sh"

mb=${JOINED_MB:-20} runs=${JOINED_RUNS:-1} faults=${JOINED_FAULTS:-10}
admin=("$bin/lfpd-admin" -i LINR02)
window=(MTU_SIZE=65536 MTU=65536 WINDOW_SIZE=262144 WindowSize=131072 MaxBufferSpace=64M)
port=7000

begin() { # SOCKETS KB SEED SERVER CLIENT: both on LFP, with what each does at the end
	port=$((port + 1))
	background server timeout 250 "${lfp_prefix[@]}" "$programs/spliced" listen 127.0.0.1 $port "$1" "$2" "$3" "$4"
	server=$!
	wait_listen $port
	background client timeout 250 "${lfp_prefix[@]}" "$programs/spliced" connect 127.0.0.1 $port "$1" "$2" "$3" "$5"
	client=$!
}
both_end() {
	local rc=0
	wait $client || rc=1
	wait $server || rc=1
	[ $rc = 0 ] || tail -n 3 "$work/server.log" "$work/client.log" "$work/lfpd-LINR02.log"
	return $rc
}
transfer() { begin "$@" && both_end; }
# number NAME: one of lfpd's statistics
number() { "${admin[@]}" statistics --interval 0 | awk -v name="$1" '$1 == name { print $2 }'; }
moves() { [ "$(number stream_bytes_joined)" -gt $((before + 1000000)) ]; }
# seen WORD...: lines of the log of connections with all of these
seen() {
	local text
	text=$(cat "$work/log")
	for word in "$@"; do text=$(grep -F "$word" <<<"$text"); done
	grep -c . <<<"$text"
}

lfp_up "${window[@]}" CONNECTION_LOG="$work/log"
for ((seed = 1; seed <= runs; seed++)); do
	before=$(number stream_bytes_joined) all=$(number stream_bytes_to_vse)
	check "seed $seed: two connections, $mb MB each way" transfer 2 $((mb * 1024)) $seed finish finish
	before=$(($(number stream_bytes_joined) - before)) all=$(($(number stream_bytes_to_vse) - all))
	check_eq "$all" $((4 * mb * 1048576)) "seed $seed: lfpd counts all bytes"
	echo "$((before * 100 / all)) % of them without TCP"
	check "seed $seed: some of them without TCP" [ $before -gt 0 ]
	check "seed $seed: the client resets" transfer 2 $((mb * 1024)) $seed hit reset
	check "seed $seed: the server resets" transfer 2 $((mb * 1024)) $seed reset hit
done
check_eq "$(number joins)" $((6 * runs)) "connections were joined"
all_logged() { [ "$(seen '"event":"end"' '"joined":1')" = $((12 * runs)) ]; }
check "the log says so, at each end" wait_for 30 all_logged

# Traces, with payload and without, begin and end meanwhile.
trace_off() { "${admin[@]}" trace status | grep -q "No trace is running"; }
trace_while() { # CONDITION...
	"${admin[@]}" trace start "$@" && "${admin[@]}" trace stop && wait_for 30 trace_off &&
		"${admin[@]}" trace show >>"$work/traces"
}
switch_traces() {
	while ! [ -e "$work/enough" ]; do
		trace_while kind=payload payload=64 && trace_while kind=DATA || return 1
	done
}
: >"$work/traces"
(switch_traces >"$work/switches.log" 2>&1) &
pids+=($!)
switching=$!
check "while traces begin and end" transfer 2 $((mb * 1024)) 7 finish finish
touch "$work/enough"
check "all of these" wait $switching || cat "$work/switches.log"
check "a trace tells joined connections" grep -q ' DATA.* joined ' "$work/traces"

# lfpd-admin shows both ends: the ids, each of the other.
before=$(number stream_bytes_joined)
begin 1 $((mb * 4096)) 8 finish finish
wait_for 60 moves || die "nothing moves"
"${admin[@]}" --json sockets >"$work/sockets"
check_eq "$(python3 -c '
import json, sys
rows = json.load(open(sys.argv[1]))["sockets"]
ends = {row["socket"]: row["joined"] for row in rows if row.get("joined")}
print(len(ends), all(ends.get(other) == one for one, other in ends.items()))
' "$work/sockets")" "2 True" "lfpd-admin shows which sockets are joined"
check "that transfer" both_end

# JOINED_SOCKETS = no, while data moves and from the beginning.
conf() { lfpd_conf LINR02 "${window[0]}" "${window[2]}" CONNECTION_LOG="$work/log" "$@"; }
conf JOINED_SOCKETS=no
before=$(number stream_bytes_joined) all=$(number stream_bytes_to_vse)
begin 2 $((mb * 5120)) 10 finish finish
wait_for 60 moves || die "nothing moves"
check_exit 0 "JOINED_SOCKETS becomes no" "$bin/lfpd-ctl" reload LINR02
joined=$(number stream_bytes_joined)
check "that transfer" both_end
check "its rest goes by TCP" [ $(($(number stream_bytes_to_vse) - all)) -gt $((joined - before)) ]
joins=$(number joins)
check "a transfer that begins without" transfer 1 512 11 finish finish
check_eq "$(number stream_bytes_joined) $(number joins)" "$joined $joins" "all data goes by TCP"
conf
check_exit 0 "JOINED_SOCKETS becomes yes" "$bin/lfpd-ctl" reload LINR02
check "a transfer" transfer 1 512 12 finish finish
check_eq "$(number joins)" $((joins + 1)) "is joined again"

# splice() fails now and then.
if command -v strace >/dev/null; then
	bad=0
	for ((i = 0; i < faults; i++)); do
		errors=(EAGAIN EINTR ENOMEM ENOBUFS EIO)
		error=${errors[i % 5]} first=$((1 + RANDOM % 20)) step=$((2 + RANDOM % 5))
		background strace strace -qq -o "$work/calls" -p "$lfpd" -e trace=splice \
			-e inject="splice:error=$error:when=$first..400+$step"
		tracer=$!
		traced() { grep -q "^TracerPid:.*[1-9]" "/proc/$lfpd/status"; }
		wait_for 30 traced || { skip_part "no process can be traced here"; break; }
		transfer 2 $((512 + RANDOM % 512)) $((100 + i)) finish finish ||
			{ bad=$((bad + 1)); echo "splice:error=$error:when=$first..400+$step fails, seed $((100 + i))"; }
		stop_pid $tracer INT
	done
	check_eq $bad 0 "transfers of $i during which splice() fails"
else
	skip_part "strace is not installed"
fi
check "all sockets are gone" wait_for 30 no_sockets

# Killed daemons: no end looks like an end of file.
kill_while() { # PID
	local before
	before=$(number stream_bytes_joined)
	begin 2 $((mb * 10240)) 9 hit hit
	wait_for 60 moves || die "nothing moves"
	kill -KILL "$1"
	both_end
}
if [ "$transport" != local ]; then
	check "a killed LFP instance resets both ends" kill_while "$(<"$LFP_ROOT/run/vselfp/01/pid")"
	check "all sockets are gone" wait_for 30 no_sockets
	instance_start 01
fi
check "a killed lfpd resets both ends" kill_while "$lfpd"
finish
