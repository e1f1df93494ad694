#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benchmark runs: every kind of work over each transport gives figures, and the tables are told. How fast does not count.
# Time limit: 400 s
. "$(dirname "$0")/lib.sh"
needs python3 taskset

for program in lfp-bench lfp-many; do
	[ -x "$O/bench/$program" ] || skip "bench/$program is not built"
done
if [ "$(id -u)" = 0 ]; then space=(--net); else space=(--user --map-current-user --keep-caps --net); fi
unshare "${space[@]}" true 2>/dev/null || skip "no network namespace can be made"

# Two descriptors a socket, in programs and daemons.
if [ "$(ulimit -Hn)" -lt 4096 ]; then skip "1,000 sockets need more than $(ulimit -Hn) descriptors"; fi

# One short round of the works of bench-quick.
check_exit 0 "bench-quick measures" into "$work/quick" timeout 140 env -u LFP_ROOT O="$O" "$top/bench/run" --quick --rounds 1 --burst 20 --ordinary \
	--systems native,shm,local
check "- all systems stand in its tables" grep -q '^| work | native | shm | local |$' "$work/quick"
for row in "bulk out, 64 KB writes" "bulk in, 64 KB writes" "round trips, 1 KB" "connect, 1 byte, close" \
	"round trips, 1 KB on 100 sockets" "round trips, 1 KB on 1,000 sockets" \
	"server: bulk in, 64 KB writes" "server: bulk out, 64 KB writes" "server: round trips, 1 KB" "server: accept, 1 byte, close" \
	"setsockopt of TCP_NODELAY" getsockname getpeername "socket, close"; do
	check "- $row: three figures" grep -Eq "^\| $row \| [0-9,]+ (MB)?/s \|( \*\*[0-9.]+\*\* \([0-9.]+ to [0-9.]+\) \|){2}$" "$work/quick"
done
for row in "round trips, 1 KB" "connect, 1 byte, close" "round trips, 1 KB on 1,000 sockets" "server: accept, 1 byte, close" getsockname; do
	check "- $row: how long one takes" grep -Eq "^\| $row \|( [0-9.]*[1-9][0-9.]*, [0-9.]*[1-9][0-9.]* \|){3}$" "$work/quick"
done
check_eq "$(grep -c 'failed' "$work/quick")" 0 "- nothing has failed"
check "- the goals are compared" grep -Eq '^\| `local`, connect, 1 byte, close, of native \| at least 0.47 \| [0-9.]+ \| ' "$work/quick"

# The relay passes connections both ways; its program has no TCP sockets.
check_exit 0 "two CPUs are measured apart" into "$work/two" timeout 140 env -u LFP_ROOT O="$O" "$top/bench/run" --quick --cpus "$(nproc)" \
	--rounds 1 --burst 20 --ordinary --systems native,relay
check "- the table says so" grep -Eq "placement \`(one|free, [0-9]+ CPUs)\`$" "$work/two"
check "- server: accept, 1 byte, close: two figures" grep -Eq '^\| server: accept, 1 byte, close \| [0-9,]+ /s \| \*\*' "$work/two"
check "- a work that a system has not" grep -Eq '^\| getsockname \| [0-9,]+ /s \| n/a \|$' "$work/two"
check "- with the reason" grep -Eq "^n/a, relay: the program's sockets are UNIX sockets \(.*getsockname" "$work/two"

# Those that need root and a tap device; each is left out with its reason where it cannot run.
check_exit 0 "namespaces are measured" into "$work/spaces" timeout 140 env -u LFP_ROOT O="$O" "$top/bench/run" --quick \
	--rounds 1 --burst 20 --ordinary --works "1 byte, close" --systems native,pasta,slirp4netns
for peer in "pasta, loopback" "pasta, tap" slirp4netns; do
	if grep -q "^$peer is left out: " "$work/spaces"; then
		skip_part "$(grep "^$peer is left out: " "$work/spaces")"
	else
		check "- $peer has figures" grep -Eq "^\| work \| native \|.* $peer \|" "$work/spaces"
	fi
done
check_eq "$(grep -c 'failed' "$work/spaces")" 0 "- nothing has failed there"

if [ "$(id -u)" = 0 ]; then
	check_exit 0 "the cost of many sockets is measured" into "$work/scale" timeout 140 env -u LFP_ROOT O="$O" "$top/bench/scale" \
		--rounds 1 --sockets 100,500 --ordinary --systems shm,local
	for system in native shm local; do
		check "- $system: times to open" grep -Eq "^\| $system \|( [0-9.]+ \|){5}$" "$work/scale"
		check "- $system: memory" grep -Eq "^\| $system \|( -?[0-9.]+ \|){6}$" "$work/scale"
	done
	check_exit 1 "more sockets than descriptors are refused" into "$work/too-many" env -u LFP_ROOT O="$O" "$top/bench/scale" --sockets 100,10000000
	check "- with the numbers" grep -q 'bench/scale: 10000000 sockets need [0-9]* descriptors' "$work/too-many"
else
	check_exit 1 "the cost of many sockets is for root" into "$work/scale" env -u LFP_ROOT O="$O" "$top/bench/scale" --sockets 100,500
	check "- with the reason" grep -q 'bench/scale: needs root' "$work/scale"
fi

# The last byte comes when the program has closed already.
answers_pass() {
	local i port path=$work/program.socket
	background program taskset -c "$cpu" "$O/bench/lfp-bench" server -u "$path"
	wait_for 10 test -S "$path" || return 1
	background relay taskset -c "$cpu" "$O/bench/relay" 0 "$path"
	wait_for 10 grep -q '^port ' "$work/relay.log" || return 1
	port=$(cut -d ' ' -f 2 "$work/relay.log")
	for ((i = 0; i < 100; i++)); do
		taskset -c "$cpu" "$O/bench/lfp-bench" client -p "$port" -w send -s 65536 -n 4000000 >"$work/client" 2>&1 || return
	done
}
cpu=$(taskset -pc $$ | sed 's/.*[ ,-]//')
check "the relay loses no answer, 100 times" answers_pass || cat "$work/client"

check_exit 0 "EZASOKET beside the shim is measured" into "$work/eza" timeout 140 env -u LFP_ROOT O="$O" "$top/bench/eza" 2
check_eq "$(grep -Ec '^\| (round trips|bulk out), .* \| \*\*[0-9.]+\*\* ' "$work/eza")" 4 "- both works over both transports"

check_exit 1 "an unknown work is refused" into "$work/wrong" env -u LFP_ROOT O="$O" "$top/bench/run" --quick --works nonsense
check "- by its name" grep -q 'no work has nonsense in its name' "$work/wrong"
finish
