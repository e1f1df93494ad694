#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd or the instance is stopped in the middle of transfers: both ends see a reset, never an end of file
# Time limit: 600 s
. "$(dirname "$0")/lib.sh"
needs_own_processes "they cannot be stopped one by one"
needs python3
rounds=${ROUNDS:-5}

# One line for each connection and how it ended; a downloader reads to the end, an uploader writes.
cat >"$work/ends.py" <<-'END'
	import errno, os, socket, sys, threading
	def end(what, f, s):
	    try:
	        text = f(s)
	    except OSError as e:
	        text = errno.errorcode[e.errno]
	    os.write(1, f"{what} {text}\n".encode())
	    s.close()
	def download(s):
	    while s.recv(50000): pass
	    return "EOF"
	def upload(s):
	    while True: s.sendall(bytes(50000))
	def read_after(s):
	    s.send(b"x")
	    return "got it" if s.recv(1) else "EOF"
	def start(name, f, s):
	    s.settimeout(100)
	    thread = threading.Thread(target=end, args=(name, f, s))
	    thread.start()
	    return thread
	kinds = {7070: (download, upload), 7071: (upload, download), 7072: (read_after, download)}
	threads = []
	if sys.argv[1] == "host":
	    listeners = [(socket.create_server(("127.0.0.1", port)), f) for port, (_, f) in kinds.items()]
	    for listener, f in listeners:
	        threads.append(start(f.__name__, f, listener.accept()[0]))
	else:
	    for port, (f, _) in kinds.items():
	        threads.append(start(f.__name__, f, socket.create_connection(("127.0.0.1", port))))
	print("all are connected", flush=True)
	for thread in threads: thread.join()
END

begin() {
	background host python3 "$work/ends.py" host
	host=$!
	wait_listen 7070 && wait_listen 7071 && wait_listen 7072 || die "the host does not listen"
	background_on_lfp program python3 "$work/ends.py" program
	program=$!
	wait_for 30 grep -q all "$work/program.log" && wait_for 30 grep -q all "$work/host.log" ||
		die "not all are connected: $(cat "$work/program.log" "$work/host.log")"
	read -r -t "0.0$((RANDOM % 100))" -u "$never" _
}
# A reader that has lost its connection sees it; a writer too, with one or the other name.
ended_badly() {
	local name
	for name in program host; do
		grep -Ev '^(all are connected|(download|read_after) ECONNRESET|upload (ECONNRESET|EPIPE))$' "$work/$name.log" |
			sed "s/^/$name: /"
		[ "$(wc -l <"$work/$name.log")" = 4 ] || echo "$name: $(wc -l <"$work/$name.log") lines, not 4"
	done
}

lfp_up
for how in 'ijblfpop STOP' 'SIGTERM to the instance' 'lfpd-ctl stop' 'SIGTERM to lfpd'; do
	bad=''
	for ((i = 0; i < rounds; i++)); do
		begin
		case $how in
		ijblfpop*) into "$work/stop" "$bin/ijblfpop" STOP 01 IMMEDIATE || bad+="STOP: $(cat "$work/stop") " ;;
		*instance) kill -TERM "$instance" ;;
		lfpd-ctl*) into "$work/stop" "$bin/lfpd-ctl" stop LINR02 || bad+="stop: $(cat "$work/stop") " ;;
		*lfpd) kill -TERM "$lfpd" ;;
		esac
		wait_for 30 ended "$program" || bad+="the program does not end "
		wait_for 30 ended "$host" || bad+="the host does not end "
		bad+=$(ended_badly)
		if [[ $how = lfpd-ctl* || $how = *lfpd ]]; then
			wait_for 30 ended "$lfpd"
			lfpd_start LINR02
			wait_for 30 instance_up 01 || die "no new path"
		else
			wait_for 30 ended "$instance"
			instance_start 01
		fi
		[ -z "$bad" ] || break
	done
	check_eq "$bad" "" "$how: $i times both ends of all connections see the reset"
done
finish
