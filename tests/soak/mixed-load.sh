#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mixed-load.sh - all kinds of programs, in all tiers, at once for SOAK_SECONDS; started by the tests here
#
#   mixed-load.sh address | thread     lfpd, the instance and the supervisor are of a build with that sanitizer
#   mixed-load.sh valgrind             the programs, and with them the shim, run in valgrind's memcheck
#   mixed-load.sh plain                everything as installed: this run checks the size of processes
#
# 18 places (4 with valgrind) run a program each, and another one after its end; programs in two more places are
# killed. Each program checks the data that it sends and receives (mixed.c). In each tier that has a supervisor one
# shell runs for the whole time, and under its supervisor programs one after the other. After a tenth of the time, and
# at the end, nothing has a socket, and the daemons and these supervisors must have the same descriptors and no more
# memory.
# shellcheck disable=SC2154 # lib.sh
tool=${1:-}
case $tool in
address | thread)
	O_SAN=$(cd "$(dirname "$0")/../.." && cd "${O:-build}/san-$tool" 2>/dev/null && pwd) || {
		echo "skipped: ${O:-build}/san-$tool is not built; make soak does it"
		exit 77
	}
	export O_SAN
	;;
valgrind | plain) ;;
*) exit 64 ;;
esac
. "$(dirname "$0")/../system/lib.sh"

seconds=${SOAK_SECONDS:-1800}
warm_up=$((seconds / 10 + 10))
works=9
at_once=20

# How a program is started: a prefix, by number. The supervisor of a sanitizer cannot give its shim to programs
# without one, so it is put beside the other shim.
ways=() steady=()
if [ "$tool" = valgrind ]; then
	needs valgrind
	at_once=6 # it is slow
	memcheck=(valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
		--suppressions="$here/valgrind.supp" --trace-children=yes --trace-children-skip='*/lfp-run' --log-file="$work/valgrind.%p")
	ways[0]=preload
	runner=$bin/lfp-run # without tools, so that what it needs can be told to the page
	prefix_of() { prefix=("${empty_net[@]}" "$bin/lfp-run" --mode=preload -i 01 "${memcheck[@]}" "$programs/mixed"); }
else
	mkdir -p "$work/both/bin" "$work/both/lib"
	cp "$daemons/lfp-run" "$work/both/bin/lfp-run"
	cp "$O/lib/libvsesock-preload.so" "$work/both/lib/"
	runner=$work/both/bin/lfp-run
	ways=(preload both seccomp)
	if ${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -O1 -g -static -pthread -I"$top" -o "$work/mixed-static" \
		"$top/tests/system/mixed.c" 2>"$work/cc.log"; then
		ways+=(static)
	else
		echo "no static programs: $(head -n 1 "$work/cc.log")"
	fi
	# prefix_of WAY: what starts a program, in $prefix
	prefix_of() {
		case $1 in
		preload) prefix=("${empty_net[@]}" "$bin/lfp-run" --mode=preload -i 01 "$programs/mixed") ;;
		static) prefix=("${empty_net[@]}" "$runner" --mode=seccomp -i 01 "$work/mixed-static") ;;
		*) prefix=("${empty_net[@]}" "$runner" "--mode=$1" -i 01 "$programs/mixed") ;;
		esac
	}
fi

# supervisors: the ids of those of $runner
supervisors() {
	local dir
	for dir in /proc/[0-9]*; do
		[ "$(readlink "$dir/exe" 2>/dev/null)" = "$runner" ] && [ "$(readlink "$dir/cwd")" = / ] &&
			grep -qzxF "LFP_ROOT=$LFP_ROOT" "$dir/environ" && echo "${dir#/proc/}"
	done
}

# Programs one after the other while the file "go" is there, until the file "steady" is not.
steady_shell='
	while [ -e "$1/steady" ]; do
		if [ -e "$1/go" ]; then
			"$2" 127.0.0.1 7000 "$nr" 3 "$1/go" >"$1/steady-$3.log" 2>&1 ||
				echo "steady $3: exit $?: $(tail -n 3 "$1/steady-$3.log" | tr "\n" ";")" >>"$1/bad"
			echo "steady-$3 $(tail -n 1 "$1/steady-$3.log")" >>"$1/done"
			nr=$((nr + 1))
		else
			read -r -t 0.1 -u "$4" _
		fi
	done'

# steady_start MODE NR: such a shell, and who serves it
steady_start() {
	local before
	before=$(supervisors)
	background "steady-$1" env nr=$(($2 * 1000001)) "${empty_net[@]}" "$runner" "--mode=$1" -i 01 \
		bash -c "$steady_shell" steady "$work" "$programs/mixed" "$1" "$never"
	wait_for 60 eval '[ "$(supervisors | wc -l)" = $((${#steady[@]} + 1)) ]' || die "--mode=$1: no supervisor: $(cat "$work/steady-$1.log")"
	steady+=("$(supervisors | grep -vxF "${before:-none}")")
}

# what NR: how program NR is started, in $way and $prefix; any way with any work
what() {
	way=${ways[RANDOM % ${#ways[@]}]}
	# A static program would need libc's shared parts to look up a name.
	[ "$way/$(($1 % works))" != static/6 ] || way=seccomp
	prefix_of "$way"
}

# place NR: programs one after the other while the file "go" is there
place() {
	local nr=$(($1 * 1000001)) way log=$work/place-$1.log rc
	while [ -e "$work/go" ]; do
		what $nr
		"${prefix[@]}" 127.0.0.1 7000 "$nr" 5 "$work/go" >"$log" 2>&1
		rc=$?
		if [ $rc != 0 ]; then
			echo "$way: exit $rc: $(tail -n 3 "$log" | tr '\n' ';')" >>"$work/bad"
		else
			echo "$way $(tail -n 1 "$log")" >>"$work/done"
		fi
		nr=$((nr + 1))
	done
}

# victims NR: programs that are killed in the middle of their work
victims() {
	local nr=$(($1 * 1000001)) way pid
	while [ -e "$work/go" ]; do
		what $nr
		"${prefix[@]}" 127.0.0.1 7000 "$nr" 0 "$work/go" >"$work/victim-$1.log" 2>&1 &
		pid=$!
		read -r -t "0.$((RANDOM % 9 + 1))" -u "$never" _
		kill -KILL "$pid" 2>/dev/null # lfp-run becomes the program, so this is it; its children end with it
		wait "$pid" 2>/dev/null
		echo "$way $nr victim 1 killed" >>"$work/done"
		nr=$((nr + 1))
	done
}

# run SECONDS: the load, until then or until something is wrong
over() { [ "$(now_ms)" -ge "$load_end" ] || [ -s "$work/bad" ] || ended "$lfpd" || ended "$instance"; }
run() {
	local places=() i
	load_end=$(($(now_ms) + $1 * 1000)) # wait_for has an $end of its own
	touch "$work/go"
	for ((i = 0; i < at_once - 2; i++)); do
		place $i &
		places+=($!)
	done
	for ((; i < at_once; i++)); do
		victims $i &
		places+=($!)
	done
	wait_for $(($1 + 60)) over
	rm "$work/go" # what is left of a run that is cut off ends with its directory, too
	wait "${places[@]}"
}

# The shell that has the shim is a task, as it has asked for the host's name.
quiet() {
	no_sockets && [ "$(info 01 'ACTIVE TASK COUNT')" -le 1 ] &&
		[ "$(supervisors | wc -l)" = ${#steady[@]} ]
}

# heap_kib PID: of a daemon with a sanitizer: what is allocated, told by preload/heap.c
heap_told() { [ -s "$work/heap/$1" ]; }
heap_kib() {
	rm -f "$work/heap/$1"
	kill -s "$((rtmin + 7))" "$1"
	wait_for 30 heap_told "$1" && echo $(($(cat "$work/heap/$1") / 1024))
}

warm_fds=() warm_kib=()
no_more_fds() {
	local i
	for i in "${!watched[@]}"; do
		[ "$(fds "${watched[i]}")" -le "${warm_fds[i]:-0}" ] || return
	done
}
# measure: descriptors and memory of whom is watched, in $now_fds, $now_kib and $now_heap
measure() {
	local pid
	wait_for 60 quiet || fail "left: $(lfpd_sockets) sockets, $(info 01 'ACTIVE TASK COUNT') tasks, supervisors: $(supervisors | tr '\n' ' '), wanted: ${steady[*]}"
	[ "${#warm_fds[@]}" = 0 ] || wait_for 30 no_more_fds
	now_fds=() now_kib=() now_heap=()
	for pid in "${watched[@]}"; do
		now_fds+=("$(fds "$pid")")
		now_kib+=("$(rss_kib "$pid")")
	done
	[ -z "${O_SAN:-}" ] || now_heap=("$(heap_kib "$lfpd")" "$(heap_kib "$instance")")
}

# A daemon's heap may hold a few more buffers than it happened to have when it was warm. The rest of a process grows by
# that, by what malloc() keeps in pieces, and by the stacks that threads have used.
# A supervisor has no heap to speak of.
slack_kib=2048 supervisor_slack_kib=512 heap_slack_kib=64
if [ -n "${O_SAN:-}" ]; then
	# With a sanitizer the heap is counted to the byte. The pages of the process tell nothing, as they hold what the
	# sanitizer itself knows and the holes in its heap.
	slack_kib= supervisor_slack_kib=
	ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:strict_string_checks=1}"
	ASAN_OPTIONS+=":quarantine_size_mb=1:thread_local_quarantine_size_kb=16:allocator_release_to_os_interval_ms=100"
	TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0:second_deadlock_stack=1}:log_path=$work/sanitizer"
	export ASAN_OPTIONS TSAN_OPTIONS
	rtmin=$(kill -l RTMIN)
	mkdir -p "$work/heap"
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -O1 -shared -fPIC -o "$work/heap.so" "$here/preload/heap.c" ||
		die "the helper that tells of the heap does not compile"
fi

background echo "$programs/echo" 127.0.0.1 7000
background datagrams "$programs/mixed" datagrams 127.0.0.1 7000
wait_listen 7000 && wait_bound 7000 || die "no servers"
if [ -n "${O_SAN:-}" ]; then
	HEAP_DIR=$work/heap LD_PRELOAD=$work/heap.so ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 lfp_up
else
	lfp_up
fi
touch "$work/steady"
steady_start seccomp $at_once
steady_start both $((at_once + 1))
watched=("$lfpd" "$instance" "${steady[@]}")
names=("lfpd" "the instance" "the supervisor of --mode=seccomp" "the supervisor of --mode=both")
run $warm_up
measure
warm_fds=("${now_fds[@]}") warm_kib=("${now_kib[@]}") warm_heap=("${now_heap[@]}")
run "$seconds"
measure

bad=$(cat "$work/bad" 2>/dev/null | head -n 20)
check_eq "$bad" "" "no program says that anything is wrong"
for i in "${!watched[@]}"; do
	check "${names[i]} still runs" eval '! ended "${watched[i]}"'
	check_le "${now_fds[i]:-none}" "${warm_fds[i]}" "${names[i]} has no more descriptors than before"
	[ "$i" -lt 2 ] || slack_kib=$supervisor_slack_kib
	if [ -n "$slack_kib" ]; then
		check_le $((now_kib[i] - warm_kib[i])) "$slack_kib" "${names[i]} grows, KiB from ${warm_kib[i]}"
	else
		echo "${names[i]} has ${now_kib[i]} KiB with its sanitizer, ${warm_kib[i]} when it was warm"
	fi
done
for i in "${!now_heap[@]}"; do
	check "${names[i]} has told of its heap" [ -n "${warm_heap[i]:+${now_heap[i]}}" ] &&
		check_le $((now_heap[i] - warm_heap[i])) $heap_slack_kib "the heap of ${names[i]} grows, KiB from ${warm_heap[i]}"
done
rm "$work/steady"
check "the supervisors end with their shells" wait_for 60 no_supervisor
check_eq "$(lfpd_sockets)" 0 "lfpd-admin shows no socket"
check "neither daemon complains" eval '! grep -E "VLF[DB][0-9]+E" "$work/lfpd-LINR02.log" "$LFP_ROOT/run/vselfp/01/log"'
if [ "$tool" = valgrind ]; then
	check_eq "$(cat "$work"/valgrind.* 2>/dev/null | grep -v "unknown 'how' field" | head -n 40)" "" "memcheck finds nothing"
fi
awk '{ n[$1 " " $3]++; rounds += $4 } END {
	for (w in n) printf "%6d  %s\n", n[w], w | "sort -k 2"
	close("sort -k 2")
	printf "%d programs, %d rounds\n", NR, rounds
}' "$work/done"
finish
