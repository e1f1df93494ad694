#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# With TCP_FASTOPEN_CONNECT a connection is made at once, also where the host's kernel would wait for the first data
# Time limit: 120 s
. "$(dirname "$0")/lib.sh"
needs python3

# 1: clients may, 4: without a cookie, so that the kernel always waits
echo 5 2>/dev/null >/proc/sys/net/ipv4/tcp_fastopen || skip "net.ipv4.tcp_fastopen cannot be set here"

cat >"$work/server.py" <<'E2'
import socket, sys
at = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    conn = at.accept()[0]
    conn.sendall(b"welcome")
    conn.sendall(b"you said " + conn.recv(100))
    conn.close()
E2
cat >"$work/client.py" <<'E2'
import errno, select, socket, sys
FASTOPEN_CONNECT = 30

def make(blocking):
    s = socket.socket()
    s.settimeout(20)
    s.setsockopt(socket.IPPROTO_TCP, FASTOPEN_CONNECT, 1)
    s.setblocking(blocking)
    return s

to = ("127.0.0.1", int(sys.argv[1]))
s = make(False)
rc = s.connect_ex(to)
print("does not wait:", errno.errorcode.get(rc, rc))
if sys.argv[2] == "waits":
    sys.exit()
print("events:", select.select([], [s], [], 20)[1] == [s], s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
s.settimeout(20)
print(s.getpeername() == to, s.recv(100))
s.sendall(b"hello")
print(s.recv(100))
s = make(True)
s.settimeout(20)
s.connect(to)
print(s.recv(100))
s = make(True)
print("refused:", errno.errorcode[s.connect_ex(("127.0.0.1", int(sys.argv[1]) + 1))])
print(s.connect_ex(to), s.recv(100), s.getsockopt(socket.IPPROTO_TCP, FASTOPEN_CONNECT), flush=True)
E2
cat >"$work/wanted" <<'E2'
does not wait: EINPROGRESS
events: True 0
True b'welcome'
b'you said hello'
b'welcome'
refused: ECONNREFUSED
0 b'welcome' 1
E2

background server python3 "$work/server.py" 9001
check "the server listens" wait_listen 9001
check_eq "$(python3 "$work/client.py" 9001 waits)" "does not wait: 0" "the host's kernel waits for data"
lfp_up
for tier in preload seccomp; do
	lfp_mode $tier
	into "$work/$tier" on_lfp timeout 60 python3 "$work/client.py" 9001 -
	check "$tier: the server's words come first" diff "$work/wanted" "$work/$tier"
done
finish
