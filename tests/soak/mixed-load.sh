#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mixed-load.sh - all kinds of programs, in all tiers, at once for SOAK_SECONDS; started by the tests here
#
#   mixed-load.sh address | thread     lfpd, the instance and the supervisor are of a build with that sanitizer
#   mixed-load.sh valgrind             the programs, and with them the shim, run in valgrind's memcheck
#
# 18 places (4 with valgrind) have a program each, and get another one when it has ended; two more have one that
# is killed.
# What a program sends and gets it looks at itself (mixed.c). After a tenth of the time, and at the end, nothing
# runs, and the daemons must have the same descriptors and about the same memory.
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
valgrind) ;;
*) exit 64 ;;
esac
. "$(dirname "$0")/../system/lib.sh"

seconds=${SOAK_SECONDS:-1800}
warm_up=$((seconds / 10 + 10))
works=9
at_once=20

# How a program is started: a prefix, by number. The supervisor of a sanitizer cannot give its shim to programs
# without one, so it is put beside the other shim.
ways=()
if [ "$tool" = valgrind ]; then
	needs valgrind
	at_once=6 # it is slow
	memcheck=(valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
		--suppressions="$here/valgrind.supp" --trace-children=yes --trace-children-skip='*/lfp-run' --log-file="$work/valgrind.%p")
	ways[0]=preload
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

# --- The load -------------------------------------------------------------------------------------

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
over() { [ "$(now_ms)" -ge "$end" ] || [ -s "$work/bad" ] || ended "$lfpd" || ended "$instance"; }
run() {
	local places=() i
	end=$(($(now_ms) + $1 * 1000))
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

quiet() { no_sockets && [ "$(info 01 'ACTIVE TASK COUNT')" = 0 ] && no_supervisor; }
no_more_fds() { [ "$(fds "$lfpd")" -le "${warm[0]}" ] && [ "$(fds "$instance")" -le "${warm[1]}" ]; }
warm=()
# measure: descriptors and memory of both daemons, in $now
measure() {
	wait_for 60 quiet || fail "left: $(lfpd_sockets) sockets, $(info 01 'ACTIVE TASK COUNT') tasks, supervisors: $(supervisors)"
	[ "${#warm[@]}" = 0 ] || wait_for 30 no_more_fds
	now=("$(fds "$lfpd")" "$(fds "$instance")" "$(rss_kib "$lfpd")" "$(rss_kib "$instance")")
}

slack_kib=2048
# A sanitizer keeps what is freed for a while, and what it knows of it.
if [ -n "${O_SAN:-}" ]; then
	slack_kib=65536
	ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:strict_string_checks=1}:quarantine_size_mb=16"
	export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0:second_deadlock_stack=1}:log_path=$work/sanitizer:suppressions=$here/thread.supp"
fi

background echo "$programs/echo" 127.0.0.1 7000
background datagrams "$programs/mixed" datagrams 127.0.0.1 7000
wait_listen 7000 && wait_bound 7000 || die "no servers"
lfp_up
run $warm_up
measure
warm=("${now[@]}")
run "$seconds"
measure

bad=$(cat "$work/bad" 2>/dev/null | head -n 20)
check_eq "$bad" "" "no program says that anything is wrong"
check "lfpd still runs" eval '! ended "$lfpd"'
check "the instance still runs" eval '! ended "$instance"'
check_le "${now[0]}" "${warm[0]}" "lfpd has no more descriptors than before"
check_le "${now[1]}" "${warm[1]}" "the instance has no more descriptors than before"
check_le $((now[2] - warm[2])) $slack_kib "lfpd grows, KiB from ${warm[2]}"
check_le $((now[3] - warm[3])) $slack_kib "the instance grows, KiB from ${warm[3]}"
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
