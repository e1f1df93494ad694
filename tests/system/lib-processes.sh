# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-processes.sh - a part of lib.sh: waiting for conditions, and a test's processes, ports and descriptors

# wait_for SECONDS COMMAND...: wait until the command ends with 0. Returns 1 after so many seconds, TESTS_SLOWER times as many.
wait_for() {
	local end=$(($(now_ms) + $1 * 1000 * ${TESTS_SLOWER:-1}))
	shift
	until "$@" 2>/dev/null; do
		[ "$(now_ms)" -lt "$end" ] || return 1
		read -r -t 0.02 -u "$never" _ # a fifth of what starting sleep(1) costs
	done
	return 0
}

now_ms() {
	local t=$EPOCHREALTIME
	echo $((${t/[.,]/} / 1000))
}

# held_up [PID...]: print for how many ms so far the threads of these processes, by default of this one, were ready to
# run and had no processor. Other processes add this time to measurements. 0 if the kernel does not count it.
held_up() {
	local pid file waited sum=0
	for pid in "${@:-$$}"; do
		for file in "/proc/$pid/task"/*/schedstat; do
			waited=0
			read -r _ waited _ 2>/dev/null <"$file"
			sum=$((sum + waited))
		done
	done
	echo $((sum / 1000000))
}

# A zombie with other threads still has its files, and the locks on them.
ended() {
	local tasks
	kill -0 "$1" 2>/dev/null || return 0
	[ "$(process_state "$1")" = Z ] || return 1
	tasks=("/proc/$1/task"/*)
	[ ${#tasks[@]} -le 1 ]
}

process_state() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return
	stat=${stat##*) }
	echo "${stat%% *}"
}

# in_table TABLE PORT STATE: true if a table of the host, such as tcp6, has a socket with this port in this state
in_table() { grep -q "$(printf '^ *[0-9]*: [0-9A-F]*:%04X [0-9A-F]*:[0-9A-F]* %s ' "$2" "$3")" "/proc/net/$1"; }

# listens PORT: true if a socket of the host listens on this TCP port
listens() { in_table tcp "$1" 0A || in_table tcp6 "$1" 0A; }

# listens_both PORT: true if sockets listen on an IPv4 and an IPv6 address. A server binds them one after the other.
listens_both() { in_table tcp "$1" 0A && in_table tcp6 "$1" 0A; }

wait_listen() { wait_for "${2:-60}" listens "$1"; }
wait_listen_both() { wait_for 60 listens_both "$1"; }

# bound PORT: true if a socket of the host has this UDP port
bound() { in_table udp "$1" .. || in_table udp6 "$1" ..; }

# bound_both PORT: true if an IPv4 and an IPv6 socket have this UDP port
bound_both() { in_table udp "$1" .. && in_table udp6 "$1" ..; }

wait_bound() { wait_for "${2:-60}" bound "$1"; }
wait_bound_both() { wait_for 60 bound_both "$1"; }

pids=()
at_exit_too=(:) # a command

# background NAME COMMAND...: start it with its output in $work/NAME.log; $! is its id
background() {
	local name=$1
	shift
	: >"$work/$name.log" # here and not in the process, which starts later: an earlier process of this NAME has left output
	"$@" >"$work/$name.log" 2>&1 </dev/null &
	pids+=($!)
}

# ours PID: true if this is still a process of this test. The kernel gives the number of an ended process to
# another one, soon if a test starts thousands of programs (kernel/pid.c, alloc_pid()).
ours() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	stat=${stat##*) } # state, parent, ...
	[ "$(cut -d ' ' -f 2 <<<"$stat")" != $$ ] || return 0
	grep -qszFx "LFP_ROOT=$LFP_ROOT" "/proc/$1/environ"
	[ $? != 1 ] # 2: this user may not read it
}

# stop_pid PID [SIGNAL]: end a process and wait until it is gone
stop_pid() {
	ours "$1" || { wait "$1" 2>/dev/null; return 0; }
	kill "-${2:-TERM}" "$1" 2>/dev/null
	if ! wait_for 60 ended "$1"; then
		echo "process $1 does not end by ${2:-TERM}"
		kill -KILL "$1"
		wait_for 60 ended "$1"
		return 1
	fi
	wait "$1" 2>/dev/null
	return 0
}

# pidfiles: the ids of our own daemons that left a pid file and still run
pidfiles() {
	local file pid
	for file in "$LFP_ROOT"/run/vselfp*/*/pid; do
		pid=$(cat "$file" 2>/dev/null)
		[[ $pid =~ ^[0-9]+$ ]] || continue
		[[ $(readlink "/proc/$pid/exe") = /*/lfpd* || $(readlink "/proc/$pid/exe") = /*/ijblfpop* ]] && echo "$pid"
	done
}

finish() {
	local complaints
	if [ -n "${O_SAN:-}" ]; then
		for pid in $(pidfiles) ${lfpd:-}; do stop_pid "$pid"; done # leaks are reported at the end
		complaints=$(cat "$work"/sanitizer.* 2>/dev/null | head -n 60)
		check_eq "$complaints" "" "no sanitizer complains"
	fi
	counts
	exit
}

at_exit() {
	local rc=$? pid log
	trap - EXIT INT TERM
	"${at_exit_too[@]}"
	for pid in "${pids[@]}" $(pidfiles); do ! ours "$pid" || kill -TERM "$pid" 2>/dev/null; done
	for pid in "${pids[@]}" $(pidfiles); do
		ours "$pid" || continue
		wait_for 10 ended "$pid" || { kill -KILL "$pid"; wait_for 10 ended "$pid"; }
	done
	if [ $rc != 0 ] && [ $rc != 77 ] || [ "$failed" != 0 ]; then
		for log in "$work"/*.log "$LFP_ROOT"/run/vselfp*/*/log; do
			[ -s "$log" ] && echo "--- the end of ${log#"$work"/}:" && tail -n 15 "$log" | cut -c 1-300
		done
		echo "$passed passed, $((failed > 0 ? failed : 1)) failed, $skipped skipped"
	fi
	if [ -n "${KEEP:-}" ]; then
		echo "kept: $work"
	else
		rm -rf "$work"
	fi
	exit $rc
}

# fds PID: print the number of descriptors of a process. Not counted are those that an LFP instance keeps for later:
# sockets without a name in the namespace of near ends, up to 16 of each kind, and pipes
fds() {
	local list=(/proc/"$1"/fd/*) maker='' stock=0
	stock=$(find "/proc/$1/fd" -lname 'pipe:*' 2>/dev/null | wc -l)
	read -r maker _ 2>/dev/null <"/proc/$1/task/$1/children"
	if [ -n "$maker" ] && grep -qx lfp-near "/proc/$maker/comm" 2>/dev/null; then
		stock=$((stock + $(find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null | tr -dc '0-9\n' | sort |
			comm -12 - <(awk 'NF == 7 { print $7 }' "/proc/$maker/net/unix" | sort) | wc -l)))
	fi
	echo $((${#list[@]} - stock))
}
# steady_fds PID...: print these numbers with colons between them, once they stay the same for a while: ended programs
# may still be closing descriptors
steady_fds() {
	local pid now='' last='' same=0 end
	end=$(($(now_ms) + 30000))
	while [ $same -lt 15 ] && [ "$(now_ms)" -lt $end ]; do
		now=''
		for pid in "$@"; do now+=:$(fds "$pid"); done
		[ "$now" = "$last" ] && same=$((same + 1)) || same=0
		last=$now
		read -r -t 0.02 -u "$never" _
	done
	echo "${now#:}"
}
rss_kib() { awk '/^VmRSS:/ { print $2 }' "/proc/$1/status"; }
