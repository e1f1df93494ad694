#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The peer's view of a program that ends while data is on its way, in either direction or both
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

# The host's side: waits for one connection and does what it is told, one answer a line.
cat >"$work/host.py" <<-'END'
	import errno, select, socket, sys
	listener = socket.create_server(("127.0.0.1", 7020))
	s = None
	# Full is what was full at so many looks, one after the other: on the way data may still move on.
	def fill():
	    total = quiet = 0
	    while quiet < 25:
	        quiet += 1
	        if select.select([], [s], [], 0.02)[1]:
	            total += s.send(bytes(100000))
	            quiet = 0
	    return total
	def poll():
	    poller = select.poll()
	    poller.register(s, 0)
	    return "over" if poller.poll(60000) else "open"
	def receive():
	    total = 0
	    s.settimeout(60)
	    try:
	        while n := len(s.recv(100000)):
	            total += n
	        return f"eof {total}"
	    except OSError as e:
	        return f"{errno.errorcode.get(e.errno, str(e))} {total}"
	for line in sys.stdin:
	    word = line.strip()
	    if word == "accept":
	        s, _ = listener.accept()
	        s.setblocking(False)
	    answer = {"fill": fill, "poll": poll, "receive": receive}.get(word, lambda: word)()
	    if word == "send":
	        s.send(b"late")
	    print(answer, flush=True)
END
cat >"$work/program.py" <<-'END'
	import select, socket, sys, time
	s = socket.create_connection(("127.0.0.1", 7020))
	s.setblocking(False)
	total = quiet = 0
	while "fill" in sys.argv and quiet < 25:
	    quiet += 1
	    if select.select([], [s], [], 0.02)[1]:
	        total += s.send(bytes(100000))
	        quiet = 0
	print("ready", total, flush=True)
	if "answer" in sys.argv:
	    select.select([s], [], [])
	    s.send(b"answer")
	    sys.exit(0)
	time.sleep(1000)
END
coproc host { exec python3 "$work/host.py"; }
pids+=("$host_PID")
wait_listen 7020
lfp_up

# tell WORD: its answer
tell() {
	local line
	echo "$1" >&"${host[1]}"
	read -r -t 100 -u "${host[0]}" line && echo "$line"
}
begin() { # ARGUMENT...: $program is its id, $total what it has written
	background_on_lfp program python3 "$work/program.py" "$@"
	program=$!
	[ "$(tell accept)" = accept ] && wait_for 30 grep -q ready "$work/program.log" ||
		die "the program does not begin: $(cat "$work/program.log")"
	total=$(awk '/^ready/ { print $2 }' "$work/program.log")
}
kill_program() {
	kill -KILL "$program"
	wait "$program" 2>/dev/null
}

# Has lfpd read the host's data on its connections to port 7020 (1B6C)?
nothing_unread() { ! awk '$3 ~ /:1B6C$/ && $5 !~ /:00000000$/' /proc/net/tcp | grep -q .; }

begin fill
kill_program
check_eq "$(tell receive)" "eof $total" "it has written: the peer gets all of it and the end"
check "- and nothing is left" wait_for 30 no_sockets

begin
tell fill >/dev/null
kill_program
check_eq "$(tell poll)" over "it has not read: the peer sees the reset"
check "- and nothing is left" wait_for 30 no_sockets

begin fill
tell fill >/dev/null
kill_program
check_eq "$(tell poll)" over "it has written and not read: the peer sees the reset, also without reading"
check "- and nothing is left" wait_for 30 no_sockets

begin answer
tell send >/dev/null
wait_for 30 ended "$program"
check_eq "$(tell receive)" "ECONNRESET 6" "it has answered and not read: the peer gets the answer, then the reset"
check "- and nothing is left" wait_for 30 no_sockets

# Data that the instance has taken off the path counts as unread when the program is gone.
if [ "$transport" = local ]; then
	skip_part "the instance cannot stand still while lfpd goes on"
else
	begin
	kill -STOP "$instance"
	wait_for 30 grep -q '^State:.*T' "/proc/$instance/status"
	tell send >/dev/null
	check "data was on its way to it: lfpd has taken it" wait_for 30 nothing_unread
	kill_program
	kill -CONT "$instance"
	check_eq "$(tell receive)" "ECONNRESET 0" "data was on its way to it: the peer gets a reset"
	check "- and nothing is left" wait_for 30 no_sockets
fi

# Unaccepted connections: in the listener, on their way to it, and in the host's backlog.
cat >"$work/waiting.py" <<-'END'
	import collections, errno, os, signal, socket, sys
	conns = [socket.create_connection(("127.0.0.1", 7021)) for _ in range(100)]
	os.kill(int(sys.argv[1]), int(sys.argv[2]))
	ends = collections.Counter()
	for s in conns:
	    s.settimeout(60)
	    try:
	        ends["data" if s.recv(1) else "eof"] += 1
	    except OSError as e:
	        ends[errno.errorcode.get(e.errno, str(e))] += 1
	print(*(f"{nr} {how}" for how, nr in ends.items()))
END
for signal in 9 15; do
	background_on_lfp listener python3 -c '
import socket, time
s = socket.create_server(("127.0.0.1", 7021), backlog=128)
time.sleep(1000)'
	listener=$!
	wait_listen 7021
	check_eq "$(python3 "$work/waiting.py" "$listener" $signal)" "100 ECONNRESET" \
		"a listener ends by signal $signal: what waits in it is reset"
	wait "$listener" 2>/dev/null
	check "- and nothing is left" wait_for 30 no_sockets
done
# The kernel may report the end in more than one order.
check_eq "$(timeout 100 "${lfp_prefix[@]}" "$programs/unread" reset 8 150)" 0 \
	"accepted and closed with unread data: the peer gets a reset, each time"
check_eq "$(timeout 100 "${lfp_prefix[@]}" "$programs/unread" end 8 150)" 0 \
	"accepted and closed after its listener: the peer gets end of file, each time"
finish
