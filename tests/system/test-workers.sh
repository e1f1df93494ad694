#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 1,000 workers killed inside accept leave the listener working
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

lfp_up
background_on_lfp workers "$programs/workers" 127.0.0.1 7000 "${WORKERS:-1000}"
workers=$!
wait_listen 7000 || die "$(cat "$work/workers.log")"
cat >"$work/clients.py" <<-'END'
	import socket, sys, threading
	stop = threading.Event()
	served = cut = stuck = 0
	def client():
	    global served, cut, stuck
	    while not stop.is_set():
	        try:
	            with socket.create_connection(("127.0.0.1", 7000), 60) as s:
	                s.sendall(b"x")
	                if s.recv(1) == b"x": served += 1
	                else: cut += 1
	        except TimeoutError:
	            stuck += 1
	        except OSError:
	            cut += 1
	threads = [threading.Thread(target=client) for _ in range(4)]
	for t in threads: t.start()
	sys.stdin.read()
	stop.set()
	for t in threads: t.join()
	print(served, "served,", cut, "cut,", stuck, "stuck")
	sys.exit(stuck > 0)
END
mkfifo "$work/clients.in"
python3 "$work/clients.py" <"$work/clients.in" >"$work/clients.log" 2>&1 &
clients=$!
pids+=($clients)
exec {stop}>"$work/clients.in"

killed() { grep -q killed "$work/workers.log" || ended $workers; }
wait_for 200 killed
check_eq "$(cat "$work/workers.log")" killed "${WORKERS:-1000} workers are killed"
exec {stop}>&-
wait $clients
check_eq $? 0 "no client waits in vain: $(cat "$work/clients.log")"

check "the listener works" timeout 100 python3 -c '
import socket
for i in range(200):
    with socket.create_connection(("127.0.0.1", 7000), 60) as s:
        s.sendall(b"y")
        assert s.recv(1) == b"y"'
kill -KILL $workers $(pgrep -P $workers)
check "all sockets are gone" wait_for 30 no_sockets
finish
