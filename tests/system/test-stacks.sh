#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# System ids of other stacks: the sockets of the host, and TCP/IP in the program's own partition (with lfp-stack)
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

etc=$LFP_ROOT/etc/vselfp stacks=$LFP_ROOT/run/vselfp/stacks-$(id -u)
mkdir -p "$etc"
printf '00 $EDTCPV\n01 IJBLFPLE\n02 BSTTTCP6\n' >"$etc/edctcpmc"
printf '$EDTCPV = stack\nBSTTTCP6 = host\n' >"$etc/mux.conf"
# The network of the stack: a tap device whose other end is this machine.
ids=(02) why=''
if [ ! -x "$bin/lfp-stack" ]; then
	why="lfp-stack is not built (make stack)"
else
	why=$({ ip tuntap add tap0 mode tap && ip addr add 10.9.0.1/24 dev tap0 && ip link set tap0 up; } 2>&1) || why="no tap device: $why"
fi
stack_conf() { printf '# a comment\nDEVICE = tap0\nADDRESS = 10.9.0.2\nMASK = 255.255.255.0\nGATEWAY = 10.9.0.1\nNAMESERVER = 10.9.0.1\n' >"$etc/stack-00.conf"; }
if [ -n "$why" ]; then
	skip_part "TCP/IP in the partition: $why"
	ip addr add 10.9.0.1/32 dev lo
else
	ids+=(00)
	stack_conf
fi
lfp_up VSE_HOSTID=10.0.0.1

run_on() { # SYSID PROGRAM...: as lfp-run would be called in a job
	LFP_SETPARM='EZA$PHA=IJBLFPEZ' SYSPARM=$1 timeout 120 "$bin/lfp-run" ${LFP_MODE:+"--mode=$LFP_MODE"} -- "${@:2}"
}
address_of() { [ "$1" = 00 ] && echo 10.9.0.2 || echo 10.9.0.1; }
none_left() { [ -z "$(ls -A "$stacks")" ]; }

cat >"$work/echo.py" <<'END'
import socket, threading
def serve(c):
    with c:
        while data := c.recv(65536):
            c.sendall(data)
listener = socket.create_server(("10.9.0.1", 7000))
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
END
background echo python3 "$work/echo.py"
wait_listen 7000 || die "the echo server does not listen"

# One job on three stacks, by SYSPARM alone.
cat >"$work/plain.py" <<'END'
import socket
with socket.create_connection(("10.9.0.1", 7000), 30) as s:
    s.sendall(b"plain")
    print(s.recv(5, socket.MSG_WAITALL).decode(), s.getpeername()[0])
try:
    socket.create_connection(("10.9.0.1", 7001), 30)
except OSError as e:
    print(e)
END
# Names that fit into 71 columns.
mkdir "$work/bin"
ln -s "$O/tests/lec/stack-client" "$work/bin/lec-client"
ln -s "$O/tests/ezasmi/stack-client" "$work/bin/ezasmi-client"
ln -s "$O/examples/socket-macro-client" "$work/bin/macro-client"
cobol=''
if ! command -v cobc >/dev/null; then
	skip_part "COBOL: cobc is not installed"
elif check "the COBOL example is compiled" cobc -x -o "$work/bin/cobol-client" "$top/examples/cobol/echo-client.cbl"; then
	cobol="// EXEC cobol-client,PARM='/10.9.0.1 7000 COBOL'"
fi
export COB_LIBRARY_PATH=$O/lib
job_of() {
	grep . <<-END
		// JOB STACKS
		// OPTION SYSPARM='$1'
		// SETPARM EZA\$PHA=IJBLFPEZ
		// EXEC lec-client,PARM='/10.9.0.1 7000'
		$cobol
		// EXEC ezasmi-client,PARM='/10.9.0.1 7000 EZASMI'
		// EXEC macro-client,PARM='/10.9.0.1 7000 macro'
		// EXEC python3,PARM='/$work/plain.py'
		/&
	END
}
job_on() { # ID: its listing goes to job-ID
	job_of "$1" >"$work/job"
	PATH=$work/bin:$PATH timeout 120 "$bin/vsejob" "$work/job" >"$work/job-$1" 2>"$work/err-$1"
	check_eq "$?" 0 "system id $1: the job ends well" || cat "$work/job-$1" "$work/err-$1"
	# The statement and the SOCKET macro's control block show the id itself. Each job has its own times.
	sed -i -E "s/ *DATE [0-9/]*,CLOCK .*//; s/SYSPARM='$1'/SYSPARM='NN'/; s/, instance $1\$/, instance NN/" "$work/job-$1"
}
for id in 01 "${ids[@]}"; do job_on "$id"; done
check "the job has shown each interface" eval 'grep -q "^echo .* the same" "$work/job-01" && grep -q "^EZASMI" "$work/job-01" &&
	grep -q ^macro "$work/job-01" && grep -q "^plain 10.9.0.1" "$work/job-01"'
for id in "${ids[@]}"; do
	check "system id $id: the same bytes as on LFP" diff "$work/job-01" "$work/job-$id"
done

# The test programs of the interfaces, with both ends of all connections on the stack.
good_on() { # ID TEXT PROGRAM...
	into "$work/said" run_on "$1" "${@:3}"
	check_eq "$?$(grep -vE ' passed|gethostid|GETHOSTID|INSTANCE' "$work/said" | head -n 20)" "${GOOD_RC:-0}" "system id $1: $2"
}
for id in "${ids[@]}"; do
	good_on "$id" "EZASOKET" "$O/tests/eza/waiting" binary 4
	good_on "$id" "EZASMI with ECBs" "$O/tests/ezasmi/ecbs" 4
	good_on "$id" "the SOCKET macro with ECBs" "$O/tests/csi/ecbs" 4
	good_on "$id" "functions of LE/C that wait" "$O/tests/lec/waiting" 4
	good_on "$id" "tasks of LE/C give each other sockets" "$O/tests/lec/tasks" give 4
done

# Servers: a client of this machine reaches them at the stack's address.
cat >"$work/client.py" <<'END'
import socket, sys, time
end = time.monotonic() + 30
while True:
    try:
        s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 30)
        break
    except ConnectionRefusedError:
        if time.monotonic() > end: raise
        time.sleep(0.02)
s.sendall(bytes(50000))
s.shutdown(socket.SHUT_WR)
n = 0
while data := s.recv(65536):
    n += len(data)
print(n)
END
port=7010
for id in "${ids[@]}"; do
	port=$((port + 1))
	background server run_on "$id" "$O/examples/ezasmi-echo-server" -n 1 $port
	server=$!
	wait_for 30 grep -q ready "$work/server.log"
	check_eq "$(timeout 60 python3 "$work/client.py" "$(address_of "$id")" $port 2>&1)" 50000 "system id $id: a server of EZASMI"
	check "it ends" wait_for 30 ended "$server"
done

# The last data of a program that has ended still arrives.
cat >"$work/sink.py" <<'END'
import socket
listener = socket.create_server(("10.9.0.1", 7020))
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
while True:
    c, n = listener.accept()[0], 0
    with c:
        try:
            while data := c.recv(8192):
                n += len(data)
            print(n, flush=True)
        except OSError as e:
            print(n, e, flush=True)
END
background sink python3 "$work/sink.py"
wait_listen 7020
cat >"$work/leave.py" <<'END'
import os, socket
s = socket.create_connection(("10.9.0.1", 7020), 30)
s.sendall(bytes(5000000))
os._exit(0)
END
heard=0
arrived() { # BYTES
	heard=$((heard + 1))
	wait_for 30 eval '[ "$(wc -l <"$work/sink.log")" = $heard ]'
	check_eq "$(tail -n 1 "$work/sink.log")" "$1" "its data arrives"
}
for id in "${ids[@]}"; do
	check_exit 0 "system id $id: a program sends and ends at once" run_on "$id" python3 "$work/leave.py"
	arrived 5000000
done
# The same by an LE/C program, whose calls go through the partition.
for id in "${ids[@]}"; do
	check "system id $id: the bulk sender of LE/C" into "$work/bulk" run_on "$id" "$O/examples/lec/bulk-sender" 10.9.0.1 7020 5
	arrived 5242880
done

asleep() { # SYSID: a program that has a stack; $sleeper is its id
	rm -f "$work/sleeper"
	background sleeper run_on "$1" sh -c 'echo $$ >'"$work/sleeper"'; exec sleep 300'
	wait_for 30 [ -s "$work/sleeper" ]
	read -r sleeper <"$work/sleeper"
}

# Nothing is left, however the program ends; others cannot come in.
check "no stack is left" wait_for 30 none_left
for id in "${ids[@]}"; do
	asleep "$id"
	dir=$(echo "$stacks"/P.*)
	check_eq "$(stat -c %a "$stacks" "$dir" | tr '\n' ' ')" "700 700 " "system id $id: only its user enters the directory"
	check_eq "$(ls "$dir/run/vselfp")" "$id" "the instance of the stack is there"
	[ "$id" != 00 ] || check "the stack has no socket that others could connect to" [ ! -e "$dir/run/vselfpd/STACK/path" ]
	inside=$(pgrep -f -- "$dir" | tr '\n' ' ')
	check "there are processes of it" [ -n "$inside" ]
	kill -KILL "$sleeper"
	gone() { for pid in $inside; do ended "$pid" || return 1; done; }
	check "after SIGKILL of the program they end" wait_for 30 gone
	check "and the directory goes" wait_for 30 none_left
done

# The keeper is killed: its processes end at once, and the next stack removes the directory.
id=${ids[-1]}
asleep "$id"
dir=$(echo "$stacks"/P.*)
inside=$(pgrep -f -- "$dir" | tr '\n' ' ')
keeper=$(awk '/^PPid:/ { print $2 }' "/proc/${inside%% *}/status")
check_eq "$(cat "/proc/$keeper/comm")" lfp-run "the keeper"
kill -KILL "$keeper"
check "without the keeper the processes of the stack end" wait_for 30 gone
kill "$sleeper"
check_eq "$(run_on "$id" python3 "$work/plain.py" 2>/dev/null | head -n 1)" "plain 10.9.0.1" "the next one starts"
check "and removes what was left" wait_for 30 none_left

# BSTTTCP6 may name the stack, too.
if [ "${ids[-1]}" = 00 ]; then
	printf '$EDTCPV = host\nBSTTTCP6 = stack\n' >"$etc/mux.conf"
	mv "$etc/stack-00.conf" "$etc/stack-02.conf"
	job_on 02
	check "BSTTTCP6 = stack: the same bytes as on LFP" diff "$work/job-01" "$work/job-02"
	check_eq "$(run_on 02 python3 "$work/plain.py" | head -n 1)" "plain 10.9.0.1" "BSTTTCP6 = stack: a plain program"
	check "both ended with their stack" wait_for 30 none_left
	mv "$etc/stack-02.conf" "$etc/stack-00.conf"
	printf '$EDTCPV = stack\nBSTTTCP6 = host\n' >"$etc/mux.conf"
fi

# An environment that names no stack.
check_eq "$(LFP_STACK=02:/nowhere SYSPARM=02 LFP_SETPARM='EZA$PHA=IJBLFPEZ' timeout 60 "$O/tests/ezasmi/stack-client" 10.9.0.1 7000 x | head -n 2 | cut -c 1-50)" \
	"INITAPI      RETCODE -1, ERRNO 1117
SOCKET       RETCODE -1, ERRNO 1117" "LFP_STACK with no stack behind it: ENETDOWN"

# Wrong configurations
refused() { # TEXT SYSID PATTERN
	run_on "$2" true 2>"$work/err"
	check_eq "$?$(grep -cE -- "$3" "$work/err")" "${WANT:-69}1" "$1" || cat "$work/err"
}
printf '$EDTCPV = none\nBSTTTCP6 = perhaps\n' >"$etc/mux.conf"
WANT=78 refused "a wrong line of mux.conf" 02 'VLFB726E .*mux.conf:2: only HOST_SOCKETS'
printf '$EDTCPV = none\n' >"$etc/mux.conf"
refused "none" 00 'VLFB724E System id 00 .*TCP/IP for VSE \(\$EDTCPV\), and mux.conf names no stack for it'
refused "no line" 02 'VLFB724E System id 02 .*IPv6/VSE \(BSTTTCP6\)'
printf '$EDTCPV = stack\n' >"$etc/mux.conf"
rm -f "$etc/stack-00.conf"
refused "a stack without a configuration" 00 'VLFB733E .*system id 00 does not start: cannot read its .*/stack-00.conf: No such file'
check "nothing is left of it" wait_for 30 none_left
if [ "${ids[-1]}" = 00 ]; then
	wrong() { # TEXT PATTERN
		refused "$1" 00 "VLFB733E The TCP/IP stack of system id 00 does not start: $2"
		stack_conf
	}
	stack_conf
	echo 'COLOR = blue' >>"$etc/stack-00.conf"
	wrong "an unknown keyword" '.*/stack-00.conf:7: the keyword "COLOR" is unknown$|.*is unknown\.$'
	sed -i 's/^MASK.*/MASK = 255.0.255.0/' "$etc/stack-00.conf"
	wrong "a wrong mask" '.*:4: "255.0.255.0" is no mask'
	sed -i '/^ADDRESS/d' "$etc/stack-00.conf"
	wrong "no address" '.*ADDRESS is missing'
	sed -i 's/^DEVICE.*/DEVICE = notap9/' "$etc/stack-00.conf"
	if [ "$(id -u)" != 0 ]; then wrong "no device" 'The tap device notap9 is not there'; else stack_conf; fi
	asleep 00
	wrong "a device in use" 'Another process uses the tap device tap0'
	kill "$sleeper"
	check "the first one ends well" wait_for 30 none_left
fi
finish
