#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the peer sees when a program ends while data is on its way, in either direction or both
# Time limit: 90 s
. "$(dirname "$0")/lib.sh"
needs python3

# The host's side: waits for one connection and does what it is told, one answer a line.
cat >"$work/host.py" <<-'END'
	import errno, select, socket, sys
	listener = socket.create_server(("127.0.0.1", 7020))
	s = None
	def fill():
	    total = 0
	    while select.select([], [s], [], 0.5)[1]:
	        total += s.send(bytes(100000))
	    return total
	def poll():
	    poller = select.poll()
	    poller.register(s, 0)
	    return "over" if poller.poll(3000) else "open"
	def receive():
	    total = 0
	    s.settimeout(5)
	    try:
	        while n := len(s.recv(100000)):
	            total += n
	        return f"eof {total}"
	    except OSError as e:
	        return errno.errorcode.get(e.errno, str(e))
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
	total = 0
	while "fill" in sys.argv and select.select([], [s], [], 0.5)[1]:
	    total += s.send(bytes(100000))
	print("ready", total, flush=True)
	time.sleep(60)
END
coproc host { exec python3 "$work/host.py"; }
pids+=("$host_PID")
wait_listen 7020
lfp_up

# tell WORD: its answer
tell() {
	local line
	echo "$1" >&"${host[1]}"
	read -r -t 10 -u "${host[0]}" line && echo "$line"
}
begin() { # ARGUMENT...: $program is its id, $total what it has written
	background_on_lfp program python3 "$work/program.py" "$@"
	program=$!
	[ "$(tell accept)" = accept ] && wait_for 10 grep -q ready "$work/program.log" ||
		die "the program does not begin: $(cat "$work/program.log")"
	total=$(awk '/^ready/ { print $2 }' "$work/program.log")
}
kill_program() {
	kill -KILL "$program"
	wait "$program" 2>/dev/null
}

begin fill
kill_program
check_eq "$(tell receive)" "eof $total" "it has written: the peer gets all of it and the end"
check "- and nothing is left" wait_for 5 no_sockets

begin
tell fill >/dev/null
kill_program
check_eq "$(tell poll)" over "it has not read: the peer sees the reset"
check "- and nothing is left" wait_for 5 no_sockets

begin fill
tell fill >/dev/null
kill_program
check_eq "$(tell poll)" over "it has written and not read: the peer sees the reset, also without reading"
check "- and nothing is left" wait_for 5 no_sockets

# What the instance has taken off the path when the program is gone was not read by it either.
begin
kill -STOP "$instance"
wait_for 5 grep -q '^State:.*T' "/proc/$instance/status"
tell send >/dev/null
sent_to_path() { [ "$(status LINR02 'Packets sent' 2>/dev/null)" != "$before" ]; }
read -r -t 0.3 -u "$never" _ # until lfpd has passed it on
kill_program
kill -CONT "$instance"
check_eq "$(tell receive)" ECONNRESET "data was on its way to it: the peer gets a reset"
check "- and nothing is left" wait_for 5 no_sockets
finish
