#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# COBOL programs by GnuCOBOL: every function of EZASOKET as a table, the examples, each linkage
# Time limit: 600 s
. "$(dirname "$0")/../system/lib.sh"
needs cobc python3
export PYTHONDONTWRITEBYTECODE=1

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
no_areas() { [ -z "$(find "$work" -name 'listener.*.*')" ]; }
# Neither sees a network but LFP's.
cobol() { env LFP_SETPARM='LFP$ID=01,EZA$PHA=IJBLFPEZ' timeout 120 "${empty_net[@]}" "$@"; }

# exchange TEXT DIR PORT ENV...: a server and its clients
exchange() {
	local text=$1 dir=$2 port=$3 server
	shift 3
	background server cobol env "$@" "$work/$dir/echo-server" "$port" 2
	server=$!
	wait_listen "$port" 30 || { fail "$text: the server does not listen"; return 1; }
	check_eq "$(cobol env "$@" "$work/$dir/echo-client" 127.0.0.1 "$port" "Hello from COBOL" 2>&1)" \
		"Hello from COBOL" "$text: a COBOL client hears from a COBOL server what it said"
	check_eq "$(echo hi | timeout 120 python3 -c "import socket
s = socket.create_connection(('127.0.0.1', $port), 30)
s.sendall(b'from outside')
s.shutdown(1)
print(b''.join(iter(lambda: s.recv(64), b'')).decode())")" "from outside" "$text: so does any other client"
	wait "$server"
	check_eq $? 0 "$text: the server ends well"
}

lfp_up VSE_HOSTID=10.0.0.1
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

# A helper routine may be the first call.
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
check_eq "$?$(cat "$work/refused")" "8ECHOCLI: CONNECT          ERRNO 00001128" "a refused connection: ERRNO is 1128"

for program in listener transaction bulk-sender; do
	check "$program is compiled" into "$work/cobc" \
		cobc -x -Wno-others -o "$work/$program" "$top/examples/cobol/$program.cbl"
done
# Two clients at a time, while the listener listens on; the third asks for an unknown transaction; three without a line feed.
cat >"$work/clients.py" <<-'END'
	import fcntl, socket, struct, sys, termios, time
	def client(text):
	    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
	    s.sendall(text)
	    return s
	first, second = client(b"ECHO,some data\n"), client(b"UPPE,more\n")
	for i in range(3):
	    for s, before, want in ((first, b"some data", b"Hello\n"), (second, b"MORE", b"HELLO\n")):
	        s.sendall(b"Hello\n")
	        want = want if i else before + want
	        got = b""
	        while len(got) < len(want):
	            more = s.recv(len(want) - len(got))
	            if not more:
	                break
	            got += more
	        if got != want:
	            sys.exit(f"{got}, not {want}")
	print(client(b"NONE\n").recv(64).decode().strip())
	def taken(s): # by lfpd, which is not yet by the listener
	    here, there = (":%04X" % end[1] for end in (s.getsockname(), s.getpeername()))
	    for line in open("/proc/net/tcp", encoding="ascii").read().splitlines()[1:]:
	        local, remote, _, queues = line.split()[1:5]
	        if local.endswith(there) and remote.endswith(here):
	            return queues.endswith(":00000000") and not struct.unpack("i", fcntl.ioctl(s, termios.TIOCOUTQ, bytes(4)))[0]
	# Without a line feed: the message in one piece, in two, and with four bytes alone; what comes later is data
	for pieces, want in (((b"UPPE,first",), b"FIRST"), ((b"UP", b"PE,x"), b"X"), ((b"UPPE",), b"")):
	    s = client(b"")
	    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
	    got = b""
	    for piece in pieces:
	        s.sendall(piece)
	        while not taken(s):
	            time.sleep(0.01)
	    while len(got) < len(want):
	        got += s.recv(64) or sys.exit(f"{pieces}: the end after {got}")
	    s.sendall(b"\nmore")
	    s.shutdown(socket.SHUT_WR)
	    while data := s.recv(64):
	        got += data
	    if got != want + b"\nMORE" and (want or got != b"MORE"):  # a listener that is late sees the line feed behind UPPE
	        sys.exit(f"{pieces}: {got}")
END
# The started transaction keeps a copy of its area: LAYOUT TRAN FILE.
cat >"$work/start" <<-END
	#!/bin/sh
	cp "\$3" "$work/area.\$1.\$2" && exec "$work/transaction" "\$@"
END
chmod +x "$work/start"
# area LAYOUT: the fields of the area of the client that said "ECHO,some data"
area() {
	python3 - "$work/area.$1.ECHO" "$1" <<-'END'
		import struct, sys
		area = open(sys.argv[1], "rb").read()
		socket, name, task, data, safe, family = struct.unpack_from(">i8s8s35scH", area)
		if sys.argv[2] == "ENHANCED":
		    length, data = struct.unpack_from(">H35s", area, 152)
		    assert length == 35 and len(area) == 189
		assert socket > 0 and name.strip() and task.strip()
		print(data.decode().rstrip(), safe.decode(), family)
	END
}
port=7090
for layout in STANDARD ENHANCED; do
	port=$((port + 1))
	background server cobol env COB_LIBRARY_PATH="$lib" TMPDIR="$work" \
		"$work/listener" $port 6 $layout "$work/start"
	server=$!
	wait_listen $port 30 || fail "the listener does not listen"
	check_eq "$(timeout 120 python3 "$work/clients.py" $port 2>&1)" "no such transaction" \
		"the listener gives connections to processes that take them, $layout area"
	wait "$server"
	check_eq "$?$(cat "$work/server.log")" 0 "and ends well"
	check_eq "$(area $layout 2>&1)" "some data 1 2" "the $layout area is laid out as CICS programs expect it"
done
check "no area is left" wait_for 30 no_areas
background sink python3 -c 'import socket
s, _ = socket.create_server(("127.0.0.1", 7095)).accept()
n = 0
while data := s.recv(1 << 20): n += len(data)
print(n, flush=True)'
wait_listen 7095 30
into "$work/sender" cobol env COB_LIBRARY_PATH="$lib" "$work/bulk-sender" 127.0.0.1 7095 20
check_eq "$?" 0 "the bulk sender ends well"
check "and says how fast it was" grep -q '^20971520 bytes in .* MB/s$' "$work/sender"
check "all has come" wait_for 30 grep -qx 20971520 "$work/sink.log"

# They would run on z/VSE: a strict run reports nothing.
background server cobol env COB_LIBRARY_PATH="$lib" LFP_STRICT=fail LFP_STRICT_FILE="$work/strict" "$work/plain/echo-server" 7096 1
server=$!
wait_listen 7096 30
check_eq "$(cobol env COB_LIBRARY_PATH="$lib" LFP_STRICT=fail LFP_STRICT_FILE="$work/strict" \
	"$work/plain/echo-client" 127.0.0.1 7096 strictly 2>&1)" strictly "the echo server and its client are right in a strict run"
wait "$server"
check_eq "$?" 0 "both end well"
check "a strict run reports none of them" test ! -e "$work/strict"
cobol env COB_LIBRARY_PATH="$lib" LFP_STRICT=report LFP_STRICT_FILE="$work/strict" "$work/comp5/echo-client" 127.0.0.1 7099 text >"$work/refused" 2>&1
check "COMP-5 is reported" grep -q '^VLFB805W echo-client EZASOKET INITAPI: parameter 1 is COMP-5' "$work/strict"

# Every function: success, its errors, wrong arguments. A row of the table is a check.

# rows TEXT PROGRAM FAMILY SPACE
rows() {
	local text=$1 line
	cobol env COB_LIBRARY_PATH="$lib" LFP_ERRNO="$4" "$work/table-$2" "$3" >"$work/said" 2>&1
	check_eq $? 0 "$text: the program ends"
	python3 "$tables/table.py" compare "$tables/ezasoket.table" "$3" "$4" <"$work/said" >"$work/rows"
	while read -r line; do
		case $line in
		ok:*) ok "$text: ${line#ok: }" ;;
		FAILED:*) fail "$text: ${line#FAILED: }" ;;
		esac
	done <"$work/rows"
	check "$text: all rows were looked at" grep -q '^[0-9]* rows are good' "$work/rows"
}

tables=$here/cobol
for program in binary comp5 ebcdic; do
	python3 "$tables/table.py" program "$tables/ezasoket.table" "$program" >"$work/table-$program.cbl"
	check "the table is compiled: $program" into "$work/cobc" \
		cobc -x -free -fnotrunc -Wno-others -o "$work/table-$program" "$work/table-$program.cbl" || head -n 20 "$work/cobc"
done
families=(4)
if ip -6 addr show dev lo 2>/dev/null | grep -q ::1; then families+=(6); else skip_part "no IPv6 on the loopback"; fi
for family in "${families[@]}"; do
	rows "IPv$family, BINARY" binary "$family" zvse
	rows "IPv$family, COMP-5" comp5 "$family" zvse
	rows "IPv$family, EBCDIC" ebcdic "$family" zvse
done
rows "numbers of z/OS" binary 4 zos
rows "numbers of Linux" comp5 4 linux
check "nothing is left" wait_for 30 no_sockets
finish
