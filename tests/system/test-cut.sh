#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A transfer that is cut never looks complete: killed lfpd, killed instance, a TCP reset; CUTS each
# Time limit: 900 s
. "$(dirname "$0")/lib.sh"
needs python3

cuts=${CUTS:-50}
RANDOM=${SEED:-1}
ways=(recv recvmsg read readv poll)

# The host sends as many bytes as it is told in a first line on its standard input, to each of the
# connections that come, and then waits for "reset" (closes with a TCP reset) or "go" (keeps them open).
cat >"$work/sender.py" <<-'END'
	import socket, struct, sys
	listener = socket.create_server(("127.0.0.1", 7001), backlog=100)
	for line in sys.stdin:
	    sizes = list(map(int, line.split()))
	    conns = []
	    for size in sizes:
	        s, _ = listener.accept()
	        s.sendall(bytes(size))
	        conns.append(s)
	    print("sent", flush=True)
	    if sys.stdin.readline().strip() == "reset":
	        for s in conns:
	            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
	    for s in conns:
	        s.close()
	    print("closed", flush=True)
END
coproc sender { exec python3 "$work/sender.py"; }
pids+=("$sender_PID")
wait_listen 7001
lfp_up

# cut_round HOW BYTES: one round of all ways at once; "WAY RESULT" of those that are wrong. Every reader
# has all its bytes when the cut comes, or, in every other round, is in the middle of reading them.
cut_round() {
	local how=$1 bytes=$2 waits=$3 way line sizes='' readers=() wrong=''
	for way in "${ways[@]}" stdio; do sizes+="$bytes "; done
	echo "$sizes" >&"${sender[1]}"
	for way in "${ways[@]}" stdio; do
		background_on_lfp "reader-$way" "$programs/reader" "$way" 127.0.0.1 7001 "$bytes"
		readers+=($!)
	done
	read -r -t 30 -u "${sender[0]}" line || { echo "nobody connected"; return; }
	for way in "${ways[@]}" stdio; do
		line=connected
		[ "$waits" != yes ] || [ "$way" = stdio ] || line=got
		wait_for 30 grep -q $line "$work/reader-$way.log" || wrong+="$way does not say '$line'; "
	done
	case $how in
	lfpd) kill -KILL "$lfpd"; echo go >&"${sender[1]}" ;;
	instance) kill -KILL "$instance"; echo go >&"${sender[1]}" ;;
	reset) echo reset >&"${sender[1]}" ;;
	order) echo go >&"${sender[1]}" ;;
	esac
	read -r -t 30 -u "${sender[0]}" line
	for pid in "${readers[@]}"; do
		wait_for 30 ended "$pid" || { wrong+="reader $pid does not end; "; kill -KILL "$pid"; }
		wait "$pid" 2>/dev/null
	done
	for way in "${ways[@]}"; do
		line=$(tail -n 1 "$work/reader-$way.log")
		if [ "$how" = order ]; then
			[ "$line" = "eof $bytes" ] || wrong+="$way: $line; "
		else
			[[ $line = 'ECONNRESET '* ]] || wrong+="$way: $line; "
			[ "$waits" != yes ] || [ "$line" = "ECONNRESET $bytes" ] || [ "$how" = reset ] || wrong+="$way: $line, not $bytes; "
		fi
	done
	stdio_eof=$((stdio_eof + $(grep -c '^eof' "$work/reader-stdio.log")))
	[ -z "$wrong" ] || echo "$bytes bytes, waits $waits: $wrong"
}

# In every other round the cut comes into the running transfer.
for how in order reset lfpd instance; do
	wrong='' stdio_eof=0
	for ((i = 0; i < cuts; i++)); do
		waits=yes
		[ $((i % 2)) = 0 ] || [ $how = order ] || waits=no
		cut_round $how $((RANDOM * 32 + RANDOM + 1)) $waits >"$work/wrong"
		wrong+=$(cat "$work/wrong")
		case $how in
		lfpd)
			wait_for 30 ended "$lfpd"
			lfpd_start LINR02
			wait_for 30 instance_up 01 || die "no new path"
			;;
		instance)
			wait_for 30 ended "$instance" # with its lock
			instance_start 01
			;;
		esac
		[ -z "$wrong" ] || break
	done
	check_eq "$wrong" "" "$how: $i transfers of ${#ways[@]} readers end as they should"
	# stdio reads inside libc, where the library cannot correct the kernel's result.
	echo "stdio took $stdio_eof of $i for an end of file"
done
finish
