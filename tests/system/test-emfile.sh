#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Out of descriptors, lfpd and the LFP instance pause accepting, report it once, and resume by
# themselves
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs_own_processes "their limits of descriptors are one"
needs python3

limit=64
# 100 clients at once: they send a byte each. Those that are answered are let go, in turn, until all were.
cat >"$work/clients.py" <<-'END'
	import selectors, socket, sys, time
	sel = selectors.DefaultSelector()
	waiting = set()
	for _ in range(100):
	    s = socket.create_connection(("127.0.0.1", 7000), 60)
	    s.sendall(b"x")
	    sel.register(s, selectors.EVENT_READ)
	    waiting.add(s)
	held, first, good = [], 0, 0
	# Keep those that are served until no more are: that is the limit. Then close one at a time.
	while waiting:
	    ready = sel.select(3 if held else 60)
	    if not ready:
	        if not held:
	            break
	        first = first or good
	        held.pop().close()
	        continue
	    for key, _ in ready:
	        s = key.fileobj
	        sel.unregister(s)
	        waiting.discard(s)
	        try:
	            if s.recv(1) == b"x": good += 1
	        except OSError as error:
	            print(error)
	        held.append(s)
	    if first:
	        while held: held.pop().close()
	print(good, "served,", first, "before the first was let go")
	sys.exit(good != 100 or not 5 <= first < 100)
END

# series WHO LOG: the test itself
series() {
	background_on_lfp server python3 "$top/tests/apps/echo-server.py" asyncio 127.0.0.1 7000
	local server=$!
	wait_listen 7000 || die "no server: $(cat "$work/server.log")"
	check "$1: 100 clients are served in the end" timeout 100 python3 "$work/clients.py"
	check "$1 says that it paused" grep -Eq "VLF[BD][0-9]+W.*(descriptor|EMFILE|open files)" "$2"
	check_le "$(grep -Ec "VLF[BD][0-9]+W.*(descriptor|EMFILE|open files)" "$2")" 10 "not for each of them"
	stop_pid $server
	check "$1: all sockets are gone" wait_for 30 no_sockets
	stop_pid "$instance"
	stop_pid "$lfpd"
}

lfpd_conf LINR02
statements 01
lfpd_start LINR02 prlimit --nofile=$limit:$limit
instance_start 01
series lfpd "$work/lfpd-LINR02.log"

lfpd_start LINR02
instance_start 01 prlimit --nofile=$limit:$limit
series "the instance" "$LFP_ROOT/run/vselfp/01/log"
# Descriptors on the way count for the whole user, and more than the limit only root may have.
if [ "$(id -u)" != 0 ]; then
	cat >"$work/hog.py" <<-'END'
		import array, select, socket, sys
		a, b = socket.socketpair()
		rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))]
		# Those of the user's other processes count, too, and may arrive: then send more.
		while not select.select([sys.stdin], [], [], 0.01)[0]:
		    try:
		        while True: a.sendmsg([b"x"], rights)
		    except OSError as error:
		        print(error, flush=True)
	END
	cat >"$work/three.py" <<-'END'
		import socket
		socks = [socket.create_connection(("127.0.0.1", 7000), 60) for _ in range(3)]
		for s in socks: s.settimeout(60), s.sendall(b"x")
		for s in socks: assert s.recv(1) == b"x"
	END
	log=$LFP_ROOT/run/vselfp/01/log
	lfpd_start LINR02
	instance_start 01 prlimit --nofile=$limit:$limit
	background_on_lfp server python3 "$top/tests/apps/echo-server.py" asyncio 127.0.0.1 7000
	wait_listen 7000 || die "no server: $(cat "$work/server.log")"
	mkfifo "$work/hold" && exec {hold}<>"$work/hold" || die "no fifo"
	prlimit --nofile=$limit:$limit python3 "$work/hog.py" <"$work/hold" >"$work/hog.log" 2>&1 &
	hog=$!
	pids+=($hog)
	wait_for 30 grep -q "Too many references" "$work/hog.log" || die "no room left: $(cat "$work/hog.log")"
	python3 "$work/three.py" >"$work/three.log" 2>&1 &
	three=$!
	check "no descriptor more on the way: the instance says that connections wait" \
		wait_for 30 grep -q "VLFB040W.*references" "$log"
	stop_pid $hog
	wait $three
	check_eq $? 0 "when others have taken theirs, the connections are handed over"
fi
finish
