#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A program that reads without waiting gets a whole burst of datagrams, however short the queues of the host's namespace are
# Time limit: 120 s
DGRAM_QLEN=10
. "$(dirname "$0")/lib.sh"
needs python3

cat >"$work/receive.py" <<'E2'
import os, socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", int(sys.argv[1])))
s.setblocking(False)
print("ready", flush=True)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.01)
n = 0
deadline = time.monotonic() + float(sys.argv[3])
while n < 100:
    try:
        s.recv(100)
        n += 1
    except BlockingIOError:
        if time.monotonic() >= deadline:
            break
        time.sleep(0.01)
print("got", n, flush=True)
E2
cat >"$work/send.py" <<'E2'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(100):
    s.sendto(b"x" * 50, ("127.0.0.1", int(sys.argv[1])))
E2

# All that was sent is in lfpd, or beyond: the host's socket has nothing more.
host_is_read() {
	local hex
	hex=$(printf ' [0-9A-F]*:%04X .* [0-9A-F]*:00000000 ' "$1")
	grep -q "$hex" /proc/net/udp
}

# burst TEXT PORT SECONDS WANT: what the program gets without waiting longer than so
burst() {
	rm -f "$work/go"
	background_on_lfp receive python3 "$work/receive.py" "$2" "$work/go" "$3"
	wait_for 30 grep -q ready "$work/receive.log"
	python3 "$work/send.py" "$2"
	check "$1: all have come" wait_for 30 host_is_read "$2"
	# Datagrams on their way within LFP are not visible outside
	sleep 0.3
	touch "$work/go"
	check "$1: the program ends" wait_for 60 grep -q got "$work/receive.log"
	check_eq "$(grep got "$work/receive.log")" "got $4" "$1"
}

lfp_up
lfp_mode preload
burst "without waiting" 9001 0 100
lfp_mode seccomp
burst "without waiting, in the seccomp tier" 9002 0 100
lfp_mode preload

# If the queues cannot be made longer, a message says so, and the rest arrives as the program reads
if [ "$transport" != local ]; then
	check_eq "$(grep -c VLFB092W "$work/start-01.log")" 0 "the queues are long"
	stop_pid "$instance"
	mount_ro='mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && exec "$@"'
	instance_start 01 unshare --mount bash -c "$mount_ro" sh
	check "a short queue is reported" grep -q VLFB092W "$work/start-01.log"
	burst "with a short queue, after some looks" 9003 30 100
fi
finish
