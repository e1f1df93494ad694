#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A listener of EZASMI in assembler that gives each connection to another program, which takes it
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/lib-asm.sh"

assemble givelstn
assemble takeserv
up
cat >"$work/client.py" <<'END'
import socket, sys
s = socket.create_connection(("127.0.0.1", 7071), 60)
for text in (b"Hello, ", b"World " * 50):
    s.sendall(text)
    got = b""
    while len(got) < len(text) and (more := s.recv(1000)):
        got += more
    print(got == text.upper(), flush=True)
END
background listener phase givelstn 7071,2
listener=$!
check "it listens" wait_for 30 grep -q LISTENS "$work/listener.log"
check_eq "$(sed 's/ *$//' "$work/listener.log")" "GIVELSTN: LISTENS AS GIVELSTN,LSTN0001" "GETCLIENTID gives the names of INITAPI"
given() { grep -c "GIVEN" "$work/listener.log" | grep -qx "$1"; }
for n in 1 2; do
	background client timeout 100 python3 "$work/client.py"
	client=$!
	check "connection $n is given" wait_for 60 given "$n"
	text=$(grep GIVEN "$work/listener.log" | tail -n 1)
	check_eq "${text/ 0000[0-9] / N }" "GIVELSTN: GIVEN N OF 127.0.0.1" "and the listener prints its peer"
	into "$work/server" phase takeserv "$(sed -n 's/.*GIVEN \([0-9]*\) .*/\1/p' <<<"$text")"
	check_eq "$? $(cat "$work/server")" "0 TAKESERV: THE CLIENT HAS CLOSED" "the server has taken and served it"
	wait "$client"
	check_eq "$(sort -u "$work/client.log")" True "its client got all in capitals"
done
wait "$listener"
check_eq "$? $(tail -n 1 "$work/listener.log")" "0 GIVELSTN: ALL CONNECTIONS WERE TAKEN" "the listener ends when both were taken"
into "$work/server" phase takeserv 00009
check_eq "$? $(cat "$work/server")" "8 TAKESERV: TAKE     ERRNO 00121" "what was not given cannot be taken"
into "$work/server" phase takeserv 9
check_eq "$? $(cat "$work/server")" "12 TAKESERV: PARM='NNNNN'" "a wrong parameter"
finish
