#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# COBOL programs by GnuCOBOL: an echo server and its client, called in each linkage
# Time limit: 180 s
. "$(dirname "$0")/../system/lib.sh"
needs cobc python3

# The library is found in five ways; the sources are the same. build DIR OPTION...
sources=$top/examples/cobol
build() {
	local dir=$1 program
	shift
	mkdir -p "$work/$dir"
	for program in echo-server echo-client; do
		cobc -x "$@" -o "$work/$dir/$program" "$sources/$program.cbl" \
			>"$work/cobc" 2>&1 || { cat "$work/cobc"; return 1; }
	done
}
# Neither sees a network but LFP's.
cobol() { env LFP_SETPARM='LFP$ID=01' timeout 60 "${empty_net[@]}" "$@"; }

# exchange TEXT DIR PORT ENV...: a server and its clients
exchange() {
	local text=$1 dir=$2 port=$3 server
	shift 3
	background server cobol env "$@" "$work/$dir/echo-server" "$port" 2
	server=$!
	wait_listen "$port" 30 || { fail "$text: the server does not listen"; return 1; }
	check_eq "$(cobol env "$@" "$work/$dir/echo-client" 127.0.0.1 "$port" "Hello from COBOL" 2>&1)" \
		"Hello from COBOL" "$text: a COBOL client hears from a COBOL server what it said"
	check_eq "$(echo hi | timeout 60 python3 -c "import socket
s = socket.create_connection(('127.0.0.1', $port), 30)
s.sendall(b'from outside')
s.shutdown(1)
print(b''.join(iter(lambda: s.recv(64), b'')).decode())")" "from outside" "$text: so does any other client"
	wait "$server"
	check_eq $? 0 "$text: the server ends well"
}

lfp_up
lib=$O/lib
check "they are compiled as they are" build plain
check "and linked with the library" build linked -L"$lib" -Q -Wl,--no-as-needed,-rpath,"$lib" -lvsesock
check "and called statically" build static -fstatic-call -L"$lib" -Q "-Wl,-rpath,$lib" -lvsesock

# Parameters that are native numbers; those within structures stay what they are.
mkdir "$work/sources"
for program in echo-server echo-client; do
	sed '/^       01 /s/ BINARY/ COMP-5/' "$sources/$program.cbl" >"$work/sources/$program.cbl"
done
sources=$work/sources
check "COMP-5 is compiled, too" build comp5
check "there are such numbers" grep -q COMP-5 "$sources/echo-server.cbl"

exchange "COMP-5" comp5 7085 COB_LIBRARY_PATH="$lib"
exchange "COB_LIBRARY_PATH" plain 7080 COB_LIBRARY_PATH="$lib"
exchange "COB_PRE_LOAD" plain 7081 COB_LIBRARY_PATH="$lib" COB_PRE_LOAD=libvsesock
exchange "linked" linked 7082 X=
exchange "static" static 7083 X=
exchange "LD_PRELOAD" plain 7084 LD_PRELOAD="$lib/libvsesock.so.1"

# A helper routine may be what is called first.
cat >"$work/helper.cbl" <<-'END'
	       IDENTIFICATION DIVISION.
	       PROGRAM-ID. HELPER.
	       DATA DIVISION.
	       WORKING-STORAGE SECTION.
	       01  AREA-1  PIC X(3) VALUE X'C1C2C3'.
	       01  LEN     PIC 9(8) BINARY VALUE 3.
	       PROCEDURE DIVISION.
	           CALL 'EZACIC04' USING AREA-1 LEN.
	           IF RETURN-CODE = 0 DISPLAY AREA-1.
	           STOP RUN.
END
check "a helper is compiled" cobc -x -o "$work/helper" "$work/helper.cbl"
check_eq "$(COB_LIBRARY_PATH=$lib "$work/helper" )" "ABC" "EZACIC04 is found by itself"

cobol env COB_LIBRARY_PATH="$lib" "$work/plain/echo-client" 127.0.0.1 7099 text >"$work/refused" 2>&1
check_eq "$?$(cat "$work/refused")" "8ECHOCLI: CONNECT          ERRNO 00001128" "where nobody listens ERRNO is 1128"
check "nothing is left" wait_for 30 no_sockets
finish
