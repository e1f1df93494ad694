#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Requests and answers of all sizes don't wait for acknowledgements, with Nagle's algorithm on; nor for MSG_MORE
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

cat >"$work/server.py" <<-'END'
	import socket, struct, sys, threading
	def serve(s):
	    while head := s.recv(8, socket.MSG_WAITALL):
	        request, answer = struct.unpack("!II", head)
	        s.recv(request, socket.MSG_WAITALL)
	        s.sendall(bytes(answer))
	listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
	while True:
	    s, _ = listener.accept()
	    threading.Thread(target=serve, args=(s,), daemon=True).start()
END
# Prints each kind of round trip of which more than a few are slow, and so each time that it is tried. Time in which a
# process on the way was ready to run without a processor does not count: a process that waits for an acknowledgement
# sleeps.
cat >"$work/client.py" <<-'END'
	import glob, os, socket, struct, sys, time
	port, *pids = map(int, sys.argv[1:])
	def held_up():
	    ns = 0
	    for pid in {os.getpid(), *pids}:
	        for name in glob.glob(f"/proc/{pid}/task/*/schedstat"):
	            try:
	                with open(name) as file:
	                    ns += int(file.read().split()[1])
	            except OSError:
	                pass  # a thread that has ended
	    return ns / 1e9
	def slow_ones(request, answer):
	    s = socket.create_connection(("127.0.0.1", port))
	    slow = 0
	    for _ in range(50):
	        held, start = held_up(), time.monotonic()
	        s.sendall(struct.pack("!II", request, answer) + bytes(request))
	        if len(s.recv(answer, socket.MSG_WAITALL)) != answer:
	            sys.exit("end of file")
	        took = time.monotonic() - start
	        slow += took > 0.03 and took - (held_up() - held) > 0.03
	    s.close()
	    return slow
	for request, answer in ((64, 64), (8192, 8192), (10000, 4), (20000, 4), (100000, 4), (300000, 4),
	                        (4, 10000), (4, 20000), (4, 100000), (4, 300000), (100000, 100000)):
	    tries = 0
	    while (slow := slow_ones(request, answer)) > 5 and tries < 3:
	        tries += 1
	    if slow > 5:
	        print(f"{request} bytes there, {answer} back: {slow} of 50", flush=True)
	print("done")
END
lfp_up
background server python3 "$work/server.py" 7040
server=$!
background_on_lfp program python3 "$work/server.py" 7041
program=$!
wait_listen 7040
wait_listen 7041
for mtu in 65536 1500; do
	ip link set lo mtu $mtu
	check_eq "$(on_lfp timeout 100 python3 "$work/client.py" 7040 "$lfpd" "$instance" $server 2>&1)" done "MTU $mtu, the program asks: nothing is slow"
	check_eq "$(timeout 100 python3 "$work/client.py" 7041 "$lfpd" "$instance" $program 2>&1)" done "MTU $mtu, the program answers: nothing is slow"
done
finish
