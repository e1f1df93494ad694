# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# stalled.sh - programs that write until nothing more goes in, and read when they are let go; for tests, after lib.sh

# The kernel's TCP buffers, in this test's network alone.
# tcp_buffers BYTES
tcp_buffers() {
	local file
	for file in tcp_rmem tcp_wmem; do
		echo "4096 $(($1 < 65536 ? $1 : 65536)) $1" >/proc/sys/net/ipv4/$file || skip "$file cannot be set"
	done
}

# stall NAME COMMAND...: a stall program whose standard input ends with let_go NAME; $! is its id
declare -A hold
stall() {
	local name=$1 fd
	shift
	mkfifo "$work/$name.in"
	(
		for fd in "${hold[@]}"; do exec {fd}>&-; done # or it would hold the others
		exec "$@"
	) <"$work/$name.in" >"$work/$name.log" 2>&1 &
	pids+=($!)
	exec {fd}>"$work/$name.in"
	hold[$name]=$fd
}
let_go() {
	local fd=${hold[$1]}
	exec {fd}>&-
}

# full NAME PID: has it written all that goes in?
full() { grep -q '^full' "$work/$1.log" || ended "$2"; }

# word NAME WORD NR: of the line that begins with it
word() { awk -v word="$2" -v nr="$3" '$1 == word { print $nr }' "$work/$1.log"; }
