#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HOSTENT in assembler; and assembler programs in a strict run, which says nothing of right ones
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/lib-asm.sh"

name=$(getent hosts 127.0.0.1 | awk '{ print $2 }')
[ -n "$name" ] || skip "127.0.0.1 has no name here"
assemble echocli
assemble hosts "$here"
up
variables=('LFP_SETPARM=LFP$ID=01,EZA$PHA=IJBLFPEZ' LFP_STRICT=fail "LFP_STRICT_FILE=$work/report")
into "$work/said" phase hosts "$name"
check_eq "$? $(cat "$work/said")" "0 $name" "GETHOSTBYNAME and GETHOSTBYADDR of $name"
background server python3 -c 'import socket
s, _ = socket.create_server(("127.0.0.1", 7073)).accept()
while data := s.recv(1000): s.sendall(data)'
wait_listen 7073
check_exit 0 "a client in a strict run" phase echocli 7073,127.0.0.1 >"$work/said"
check_eq "$(cat "$work/report" 2>/dev/null)" "" "which says nothing of them"
into "$work/said" phase hosts nobody.invalid
check_eq "$? $(cat "$work/said")" "8 WRONG" "a name that does not exist"
check_eq "$(cat "$work/report")" "VLFB808W hosts EZA at the end: the task ends without TERMAPI." "and the end without TERMAPI is reported"
rm "$work/report"
variables=('LFP_SETPARM=LFP$ID=01' LFP_STRICT=report "LFP_STRICT_FILE=$work/report")
check_exit 0 "without EZA\$PHA" phase hosts "$name" >"$work/said"
check_eq "$(cut -d ' ' -f 1 "$work/report" | sort -u)" VLFB813W "it says so, and nothing else"
finish
