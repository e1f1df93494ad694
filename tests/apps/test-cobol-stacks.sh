#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# COBOL programs by EZASOKET on three stacks, which SYSPARM alone chooses: LFP, the host, and the stack in the partition. The examples,
# the program of IBM's slide and every function of EZASOKET have the same results on each
# Time limit: 300 s
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ -z "${LFP_TEST_NET:-}" ] && [ -x /usr/bin/go ] && [ -d /usr/share/gocode/src/gvisor.dev/gvisor/pkg/tcpip ]; then
	flock "${O:-$top/build}/.stack" make -s -C "$top" O="${O:-build}" stack || exit 1
fi
. "$(dirname "$0")/../system/lib.sh"
needs cobc python3
export PYTHONDONTWRITEBYTECODE=1

etc=$LFP_ROOT/etc/vselfp stacks=$LFP_ROOT/run/vselfp/stacks-$(id -u)
mkdir -p "$etc" "$work/bin"
printf '00 $EDTCPV\n01 IJBLFPLE\n02 BSTTTCP6\n' >"$etc/edctcpmc"
printf '$EDTCPV = stack\nBSTTTCP6 = host\n' >"$etc/mux.conf"
others=(02)
if [ ! -x "$bin/lfp-stack" ]; then
	skip_part "TCP/IP in the partition: lfp-stack is not built (make stack)"
elif ! why=$({ ip tuntap add tap0 mode tap && ip addr add 10.9.0.1/24 dev tap0 && ip link set tap0 up; } 2>&1); then
	skip_part "TCP/IP in the partition: no tap device: $why"
else
	others+=(00)
	printf 'DEVICE = tap0\nADDRESS = 10.9.0.2/24\nGATEWAY = 10.9.0.1\n' >"$etc/stack-00.conf"
fi
[ -d /sys/class/net/tap0 ] || ip addr add 10.9.0.1/32 dev lo
lfp_up VSE_HOSTID=10.0.0.1

for program in echo-server echo-client listener transaction bulk-sender; do
	check "$program is compiled" into "$work/cobc" cobc -x -Wno-others -o "$work/bin/$program" "$top/examples/cobol/$program.cbl"
done
check "the slide's program is compiled" into "$work/cobc" cobc -x -O -o "$work/bin/transfer" "$top/workload/programs/transfer.cbl"
python3 "$here/cobol/table.py" program "$here/cobol/ezasoket.table" binary >"$work/table.cbl"
check "the table of EZASOKET is compiled" into "$work/cobc" cobc -x -free -fnotrunc -Wno-others -o "$work/bin/table" "$work/table.cbl"
export COB_LIBRARY_PATH=$O/lib PATH=$work/bin:$PATH

on() { # SYSID PROGRAM...
	LFP_SETPARM='EZA$PHA=IJBLFPEZ' SYSPARM=$1 timeout 200 "$bin/lfp-run" -- "${@:2}"
}
address_of() { # where a server on this system id is reached from Linux
	case $1 in
	00) echo 10.9.0.2 ;;
	01) echo 10.0.0.1 ;;
	02) echo 10.9.0.1 ;;
	esac
}

# Servers: clients of Linux.
cat >"$work/ask.py" <<'END'
import socket, sys, time
address, port, text = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode().decode("unicode_escape").encode()
end = time.monotonic() + 30
while True:
    try:
        s = socket.create_connection((address, port), 30)
        break
    except (ConnectionRefusedError, TimeoutError):
        if time.monotonic() > end:
            raise
        time.sleep(0.02)
s.sendall(text)
s.shutdown(socket.SHUT_WR)
print(b"".join(iter(lambda: s.recv(4096), b"")))
END
cat >"$work/start" <<END
#!/bin/sh
exec transaction "\$@"
END
chmod +x "$work/start"
ask() { timeout 60 python3 "$work/ask.py" "$address" "$port" "$1" 2>&1; }

# Linux's side of the slide's program and of the bulk sender: the stream of the workload, and a sink.
cat >"$work/sink.py" <<'END'
import socket, sys
listener = socket.create_server(("10.9.0.1", int(sys.argv[1])))
print("ready", flush=True)
n, connection = 0, listener.accept()[0]
while data := connection.recv(1 << 20):
    n += len(data)
print(n, "bytes")
END
transfer() { # DIRECTION
	background peer python3 "$top/workload/stream.py" 10.9.0.1 "$port" 3 "$1" 1000000
	local peer=$! one
	wait_for 30 grep -q ready "$work/peer.log"
	# Three at once, in one partition, as the table lfp has them.
	one="transfer 10.9.0.1 $port $1 1000000"
	on "$id" sh -c "$one & first=\$!; $one & second=\$!; $one; echo \$?; wait \$first; echo \$?; wait \$second; echo \$?" 2>&1
	wait "$peer"
	grep -oE '"bytes": .*' "$work/peer.log"
}
rows_apart() { # the rows of EZASOKET that are not as on LFP, with their number
	grep '^FAILED: ' "$1" | sed -E 's/^FAILED: //; s/, [0-9]+ bytes:.*//; s/: RETCODE .*//' | sort | uniq -c | awk '{ $1 = $1 } 1'
}

port=7100
for id in 01 "${others[@]}"; do
	address=$(address_of "$id") port=$((port + 10)) said=$work/said-$id
	background server on "$id" echo-server "$port" 2
	server=$!
	{
		echo "echo: $(ask 'from Linux')"
		echo "again: $(ask 'and again')"
	} >"$said"
	wait "$server"
	check_eq "$?" 0 "system id $id: the echo server ends well"
	port=$((port + 1))
	# The client asks a server of Linux, as both programs have stacks of their own.
	background linux python3 -c "
import socket
with socket.create_server(('10.9.0.1', $port)) as l:
    print('ready', flush=True)
    c = l.accept()[0]
    while data := c.recv(64): c.sendall(data)"
	wait_for 30 grep -q ready "$work/linux.log"
	into "$work/client" on "$id" echo-client 10.9.0.1 "$port" "Hello from COBOL"
	check_eq "$?" 0 "system id $id: the echo client ends well"
	sed 's/^/client: /' "$work/client" >>"$said"
	port=$((port + 1))
	on "$id" echo-client 10.9.0.1 9 refused >"$work/client" 2>&1
	check_eq "$?" 8 "system id $id: a refused connection ends the client with 8"
	sed 's/^/refused: /' "$work/client" >>"$said"

	# GIVESOCKET and TAKESOCKET: the transaction is a process of its own.
	background server env TMPDIR="$work" LFP_SETPARM='EZA$PHA=IJBLFPEZ' SYSPARM="$id" timeout 200 "$bin/lfp-run" -- \
		listener "$port" 3 STANDARD "$work/start"
	server=$!
	{
		echo "given: $(ask 'ECHO,some data\nHello\n')"
		echo "given: $(ask 'UPPE,more\nHello\n')"
		echo "unknown: $(ask 'NONE\n')"
	} >>"$said"
	wait "$server"
	check_eq "$?" 0 "system id $id: the listener ends well"

	port=$((port + 1))
	background sink python3 "$work/sink.py" "$port"
	wait_for 30 grep -q ready "$work/sink.log"
	into "$work/bulk" on "$id" bulk-sender 10.9.0.1 "$port" 5
	check_eq "$?" 0 "system id $id: the bulk sender ends well"
	check "all of it has come" wait_for 30 grep -q bytes "$work/sink.log"
	grep -oE '^[0-9]+ bytes' "$work/bulk" "$work/sink.log" | sed 's/.*:/bulk: /' >>"$said"
	for way in OUT IN; do
		port=$((port + 1))
		transfer $way | sort | sed "s/^/transfer: /" >>"$said" # the three end in any order
	done
	on "$id" table 4 2>&1 | tee "$work/table-$id" | python3 "$here/cobol/table.py" compare "$here/cobol/ezasoket.table" 4 zvse >"$work/rows-$id"
done
check "the slide's program has sent and received" eval '[ "$(grep -c "^transfer: TRANSFER OUT 1000000 BYTES" "$work/said-01")" = 3 ] &&
	[ "$(grep -c "^transfer: TRANSFER IN 1000000 BYTES" "$work/said-01")" = 3 ] && [ "$(grep -c "^transfer: 0$" "$work/said-01")" = 6 ]'
check "each stream was right, to its last byte" eval '[ "$(grep -c "\"bytes\": 1000000, \"error\": null" "$work/said-01")" = 6 ]'
check "the transaction has answered" grep -qF "given: b'MOREHELLO" "$work/said-01"
check "all rows of EZASOKET were looked at" eval 'grep -q "^[0-9]* rows are good" "$work/rows-01" && ! grep "^FAILED" "$work/rows-01"'
# Each stack has an id and an address of its own. netstack lacks four options, which is an error of ENOPROTOOPT (mux.conf(5)).
cat >"$work/apart-02" <<'END'
1 GETHOSTID, VSE_HOSTID
1 GETHOSTID, implicit INITAPI
1 GETIBMOPT, implicit INITAPI
1 GETIBMOPT, the instance
END
sort - "$work/apart-02" >"$work/apart-00" <<'END'
1 GETSOCKOPT, IP_MULTICAST_IF
2 GETSOCKOPT, SO_DEBUG
6 GETSOCKOPT, SO_DONTROUTE
1 GETSOCKOPT, SO_SNDLOWAT
1 SETSOCKOPT, IP_MULTICAST_IF
2 SETSOCKOPT, SO_DEBUG
6 SETSOCKOPT, SO_DONTROUTE
END
for id in "${others[@]}"; do
	check "system id $id: the same results as on LFP" diff "$work/said-01" "$work/said-$id"
	check "system id $id: the rows of EZASOKET, too, but the listed ones" diff <(sort -k 2 "$work/apart-$id") <(rows_apart "$work/rows-$id" | sort -k 2)
	check_eq "$(grep -cE '^(ok|FAILED): ' "$work/rows-$id")" "$(grep -c '^ok: ' "$work/rows-01")" "system id $id: all rows were looked at"
done
none_left() { [ -z "$(ls -A "$stacks")" ]; }
check "no stack is left" wait_for 30 none_left
finish
