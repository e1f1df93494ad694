#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A client of the SOCKET macro in assembler: all commands of CONTROL, and a connection
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/lib-asm.sh"

assemble socketcl
up
variables=(SYSPARM=01)
background server python3 -c 'import socket
listener = socket.create_server(("127.0.0.1", 7072))
for _ in range(2):
    s, _ = listener.accept()
    while data := s.recv(7):
        s.sendall(data)'
wait_listen 7072
# The name of 127.0.0.1, which is VSE_HOSTID: as this machine's resolver has it, if it has one
name=$(getent hosts 127.0.0.1 | awk '{ print $2 }')
for host in 127.0.0.1 localhost; do
	into "$work/said" phase socketcl "7072,$host"
	check_eq "$? $(cat "$work/said")" "0 $("$bin/lfpd" --version | head -n 1 | sed 's/^lfpd/vselfpd/')
${name:-$(uname -n)}
127.0.0.1
127.0.0.1${name:+
$name}
SOCKETCL: CONNECTED BY INSTANCE 01
SOCKETCL: THE LINE CAME BACK" "$host: every answer, and the line comes back"
done
into "$work/said" phase socketcl 7079,127.0.0.1
check_eq "$? $(tail -n 1 "$work/said")" "8 SOCKETCL: OPEN,TCP         ERRNO 01128" "no server: ERRNO of OPEN, by its ECB"
into "$work/said" phase socketcl 7072,nobody.invalid
check_eq "$? $(tail -n 1 "$work/said")" "8 SOCKETCL: GETHOSTBYNAME    ERRNO 00129" "no such host: ERRNO of GETHOSTBYNAME"
into "$work/said" phase socketcl 7072
check_eq "$? $(cat "$work/said")" "12 SOCKETCL: PARM='PORT,HOST'" "a wrong parameter"
variables=(SYSPARM=77)
into "$work/said" phase socketcl 7072,127.0.0.1
check_eq "$? $(tail -n 1 "$work/said")" "8 SOCKETCL: OPEN,TCP         ERRNO 01117" "an instance that is not there"
finish
