#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Descriptors that linger, passed on every socket of a daemon, hold up no other program
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

linger=20 # seconds that a close() in a loop would wait
most=10000 # ms
cat >"$work/attack.py" <<-END
	import array, ctypes, os, socket, struct, sys
	libc = ctypes.CDLL(None, use_errno=True)
	def raw(family, kind):  # a socket of the kernel's, also in a program on LFP
	    return libc.syscall({"x86_64": 41, "s390x": 359, "aarch64": 198}[os.uname().machine], family, kind, 0)
	def addr(port=0): return struct.pack("=H", 2) + struct.pack("!H", port) + socket.inet_aton("127.0.0.1") + bytes(8)
	def lingering():
	    # A connection to a program that reads nothing.
	    fd = raw(2, 1)
	    assert libc.connect(fd, addr(7000), 16) == 0, os.strerror(ctypes.get_errno())
	    sock = socket.socket(fileno=os.dup(fd))
	    os.close(fd)
	    sock.setblocking(False)
	    try:
	        while True: sock.send(bytes(100000))
	    except BlockingIOError: pass
	    value = struct.pack("ii", 1, $linger)
	    assert libc.syscall({"x86_64": 54, "s390x": 366, "aarch64": 208}[os.uname().machine], sock.fileno(), 1, 13, value, 8) == 0
	    return sock
	def give(to, text):
	    sock = lingering()
	    try:
	        to.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [sock.fileno()]))])
	    except PermissionError:  # Linux 6.16 refuses it
	        os._exit(0)          # where close() does not linger
	    os.close(sock.detach())
	what = sys.argv[1]
	if what == "server":
	    server = socket.socket()
	    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
	    server.bind(("127.0.0.1", 7000))
	    server.listen(64)
	    held = []
	    while True: held.append(server.accept())
	path, question = sys.argv[2], sys.argv[3].encode().decode("unicode_escape").encode()
	conn = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
	conn.connect(path)
	give(conn, question)                  # comes with what the daemon reads
	if what == "unread": give(conn, b"x")  # is left when it closes
	os._exit(0)
END

metrics=$work/metrics
lfp_up METRICS_LISTEN="$metrics"
python3 "$work/attack.py" server >"$work/server.log" 2>&1 &
pids+=($!)
wait_listen 7000 || die "no server: $(cat "$work/server.log")"

answers() { timeout 60 "$bin/lfpd-admin" -i LINR02 -s >/dev/null && timeout 60 "$bin/ijblfpop" INFO 01 >/dev/null; }
# attacked TEXT HOW PATH QUESTION: both daemons answer at once afterwards
attacked() {
	local began
	timeout 60 python3 "$work/attack.py" "$2" "$3" "$4" >"$work/attack.log" 2>&1 || die "no attack: $(tail -n 3 "$work/attack.log")"
	began=$(now_ms)
	check "$1: the daemons answer" answers
	check_le $(($(now_ms) - began)) "$most" "and at once, in ms"
}
admin=$LFP_ROOT/run/vselfpd/LINR02/admin
op=$LFP_ROOT/run/vselfp/01/op
for how in half unread; do
	attacked "lfpd's admin socket, $how" $how "$admin" 'status'
	attacked "lfpd's metrics, $how" $how "$metrics" 'GET /metrics HTTP/1.0\r\n'
	attacked "the operator's socket, $how" $how "$op" 'in'
done
finish
