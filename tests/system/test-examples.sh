#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The examples run: a concurrent server that gives its connections away, a bulk sender, a server that serves by
# ECBs, a client of the SOCKET macro
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3
lec=(env LFP_ID=01 "${empty_net[@]}")

# Two clients at a time: both transactions run while the listener listens on.
cat >"$work/clients.py" <<-'END'
	import socket, sys
	def client(text):
	    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 30)
	    s.sendall(text)
	    return s
	first, second = client(b"ECHO,some data\n"), client(b"UPPER\n")
	for i in range(3):
	    for s, text, want in ((first, b"Hello\n", b"Hello\n"), (second, b"Hello\n", b"HELLO\n")):
	        s.sendall(text)
	        got = s.recv(6, socket.MSG_WAITALL)
	        if got != want:
	            sys.exit(f"{got} for {text}")
	third = client(b"NONE\n")
	print(third.recv(64).decode().strip())
END
lfp_up
for layout in "" -e; do
	background server "${lec[@]}" "$O/examples/lec/concurrent-server" $layout -n 3 7060
	server=$!
	wait_listen 7060
	check_eq "$(timeout 100 python3 "$work/clients.py" 7060 2>&1)" "no such transaction" \
		"the concurrent server${layout:+ with the enhanced layout} serves two at a time"
	check "it ends when they have ended" wait_for 30 ended "$server"
	wait "$server"
	check_eq "$?$(grep -v ready "$work/server.log")" 0 "and well"
done

background sink python3 -c 'import socket
s, _ = socket.create_server(("127.0.0.1", 7061)).accept()
n = 0
while data := s.recv(1 << 20): n += len(data)
print(n, flush=True)'
wait_listen 7061
into "$work/sender" timeout 60 "${lec[@]}" "$O/examples/lec/bulk-sender" 127.0.0.1 7061 20
check_eq "$?" 0 "the bulk sender ends well"
check "and says how fast it was" grep -q '^20971520 bytes in .* MB/s$' "$work/sender"
check "all has come" wait_for 30 grep -qx 20971520 "$work/sink.log"
check_exit 8 "a refused connection is reported" "${lec[@]}" "$O/examples/lec/bulk-sender" 127.0.0.1 7069 1 2>"$work/refused"
check "by LE's message" grep -q EDC8128I "$work/refused"
# The server that serves by ECBs, and clients of the SOCKET macro: two at a time.
background ecbs env LFP_SETPARM='LFP$ID=01' "${empty_net[@]}" "$O/examples/ezasmi-echo-server" -n 3 7062
server=$!
wait_listen 7062
cat >"$work/together.py" <<-'END'
	import socket
	a, b = (socket.create_connection(("127.0.0.1", 7062), 30) for _ in range(2))
	for s, text in ((a, b"one"), (b, b"two"), (a, bytes(20000))):
	    s.sendall(text)
	    # MSG_WAITALL does not wait in a socket with a time limit
	    got = b""
	    while len(got) < len(text) and (more := s.recv(len(text) - len(got))):
	        got += more
	    if got != text:
	        raise SystemExit("not what was sent")
END
check_exit 0 "a server with an ECB for each client serves two at a time" timeout 100 python3 "$work/together.py"
into "$work/client" timeout 100 "${empty_net[@]}" "$O/examples/socket-macro-client" -i 01 127.0.0.1 7062 Hello World
check_eq "$?$(grep -v ^by "$work/client")" $'0Hello\nWorld' "a client of the SOCKET macro talks to it"
check "the client prints its server" grep -q '^by vselfpd .*, instance 01$' "$work/client"
check "the server ends when all have gone" wait_for 30 ended "$server"
wait "$server"
check_eq "$?$(grep -v ready "$work/ecbs.log")" 0 "and well"
check_exit 8 "without a server the client reports it" timeout 100 "${empty_net[@]}" \
	"$O/examples/socket-macro-client" -i 01 127.0.0.1 7062 Hello >"$work/refused" 2>&1
check "by its ERRNO" grep -q '^OPEN: RETCODE -1, ERRNO 1128$' "$work/refused"
finish
