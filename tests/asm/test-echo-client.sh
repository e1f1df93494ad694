#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A client of EZASMI in assembler, on an instance
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/lib-asm.sh"

assemble echocli
up
background server python3 -c 'import socket, sys
listener = socket.create_server(("127.0.0.1", 7070))
for first in sys.argv[1:]:
    s, _ = listener.accept()
    while data := s.recv(1000):
        s.sendall(first.encode() + data if first else data)
        first = ""' '' x
wait_listen 7070
into "$work/said" phase echocli 7070,127.0.0.1
check_eq "$?" 0 "all its lines come back"
check_eq "$(sed 's/ *$//' "$work/said")" "THE FIRST LINE, AND BLANKS UP TO 40
THE SECOND: A QUOTE ' AND AN & IN IT
THE LAST ONE, WHICH IS CONTINUED IN COLU
ECHOCLI: ALL LINES CAME BACK" "and it prints them"
into "$work/said" phase echocli 7070,127.0.0.1
check_eq "$? $(cat "$work/said")" "8 ECHOCLI: THE ANSWER IS NOT WHAT WAS SENT" "another answer: return code 8"
into "$work/said" phase echocli 7079,127.0.0.1
check_eq "$? $(cat "$work/said")" "8 ECHOCLI: CONNECT  ERRNO 01128" "no server: ERRNO of CONNECT"
into "$work/said" phase echocli 7070,127.0.0.300
check_eq "$? $(cat "$work/said")" "8 ECHOCLI: PTON     ERRNO 00121" "no address: ERRNO of PTON"
for wrong in '' 7070 7070, 70x0,127.0.0.1 7070,127.0.0.11111111; do
	into "$work/said" phase echocli $wrong
	check_eq "$? $(cat "$work/said")" "12 ECHOCLI: PARM='PORT,HOST'" "PARM='$wrong' is wrong"
done
variables=('LFP_SETPARM=LFP$ID=01,EZA$PHA=EZASOH99')
into "$work/said" phase echocli 7070,127.0.0.1
check_eq "$? $(cat "$work/said")" "8 ECHOCLI: THE INTERFACE PHASE CANNOT BE LOADED" "another phase: the exit of ERROR="
finish
