#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CONNECTION_LOG: what fails, is given up or given away, and a restart of lfpd, leave true records
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs python3

log=$work/connections.log
lfp_up CONNECTION_LOG="$log" CONNECTION_LOG_RATE=100000

# seen FIELD=VALUE...: how many records have all these fields
cat >"$work/seen.py" <<'EOF'
import json, sys
wanted = dict(w.split("=", 1) for w in sys.argv[2:])
print(sum(all(str(r.get(k, "")) == v for k, v in wanted.items()) for r in map(json.loads, open(sys.argv[1]))))
EOF
seen() { python3 "$work/seen.py" "$log" "$@"; }
some() { [ "$(seen "$@")" -ge 1 ]; }

# Datagrams after one that fails: IP_PKTINFO names an interface that does not exist.
cat >"$work/datagrams.py" <<'EOF'
import socket, struct
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("10.0.0.1", 0))
def bad(port):
    try:
        u.sendmsg([b"x"], [(socket.IPPROTO_IP, 8, struct.pack("@I4s4s", 9999, b"\0" * 4, b"\0" * 4))], 0, ("10.0.0.1", port))
    except OSError:
        pass
bad(7005)
for i in range(10):
    u.sendto(b"hello", ("10.0.0.1", 7005))
bad(7006)
u.sendto(b"hello", ("10.0.0.1", 7006))
u.close()
EOF
check "a program sends good and bad datagrams" on_lfp timeout 60 python3 "$work/datagrams.py"
check "the end comes to the log" wait_for 30 some event=end protocol=udp
check_eq "$(seen event=send port=7005 result=OK)$(seen event=send port=7006 result=OK)" 11 "datagrams after a bad one have a record, and it is one"
check_eq "$(seen event=send port=7005)$(seen event=send port=7006)" 22 "so have the bad ones"
check_eq "$(seen event=end protocol=udp port=7006 bytes_out=55)" 1 "the end names the address to which the last was sent"

# A listener whose queue is full answers no SYN.
cat >"$work/full.py" <<'EOF'
import os, socket, sys, time
s = socket.socket()
s.bind(("10.0.0.1", 7100))
s.listen(0)
queue = []
for i in range(3):
    c = socket.socket()
    c.setblocking(False)
    try:
        c.connect(("10.0.0.1", 7100))
    except OSError:
        pass
    queue.append(c)
print("full", flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
while True:
    queue.append(s.accept()[0])
EOF
background full python3 "$work/full.py" "$work/go"
wait_for 30 grep -q full "$work/full.log" || die "no listener"
cat >"$work/scan.py" <<'EOF'
import socket
for i in range(3):
    with socket.socket() as c:
        c.settimeout(0.2)
        try:
            c.connect(("10.0.0.1", 7100))
        except OSError:
            pass
EOF
check "a program gives up its connects" on_lfp timeout 60 python3 "$work/scan.py"
given_up() { [ "$(seen event=connect port=7100 result=ECONNABORTED direction=out program=python3)" = 3 ]; }
check "each has a record" wait_for 30 given_up
check_eq "$(seen event=end port=7100)" 0 "and no end"

# A connect, an open connection and an accepted one over a restart
if [ "$transport" != local ]; then
	cat >"$work/connect.py" <<'EOF'
import socket, time
server = socket.create_server(("10.0.0.1", 7200))
client = socket.create_connection(("10.0.0.1", 7200))
accepted = server.accept()[0]
c = socket.socket()
c.setblocking(False)
try:
    c.connect(("10.0.0.1", 7100))
except BlockingIOError:
    print("connecting", flush=True)
c.settimeout(60)
while True:
    try:
        c.sendall(b"x" * 1000)
        break
    except OSError:
        time.sleep(0.05)
for s in c, client, accepted:
    s.close()
EOF
	background_on_lfp connect timeout 90 python3 "$work/connect.py"
	program=$!
	wait_for 30 grep -q connecting "$work/connect.log" || die "no connect"
	kill -USR2 "$lfpd"
	connected() { [ "$(grep -c VLFD123I "$work/lfpd-LINR02.log")" -ge 2 ]; }
	check "lfpd restarts" wait_for 30 connected
	check_eq "$(seen event=connect port=7100 result=OK)" 0 "a connect is under way"
	touch "$work/go"
	check "it goes on" wait_for 60 ended "$program"
	check "it has a record" wait_for 30 some event=connect port=7100 result=OK direction=out program=python3
	check "and an end with its bytes" wait_for 30 some event=end port=7100 result=OK direction=out bytes_out=1000
	check "a connection keeps its direction" wait_for 30 some event=end port=7200 result=OK direction=out
	check "so does an accepted one" wait_for 30 some event=end local_port=7200 result=OK direction=in
	check_eq "$(seen event=connect port=7100 result=ERESTART)" 0 "the restart gives up no connect"
fi

# A connection that is given to another process
check "a socket is given to another process" env LFP_ID=01 timeout 60 "$O/tests/lec/tasks" give
cat >"$work/given.py" <<'EOF'
import json, sys
ends = [r for r in map(json.loads, open(sys.argv[1])) if r["event"] == "end" and r.get("bytes_out") == 11]
begun = {(r["address"], r["port"]): r["pid"] for r in map(json.loads, open(sys.argv[1])) if r["event"] == "connect" and r["program"] == "tasks"}
print(len(ends), sum(begun[r["address"], r["port"]] != r["pid"] for r in ends))
EOF
given() { [ "$(python3 "$work/given.py" "$log")" = "1 1" ]; }
check "its end is the taker's" wait_for 30 given

# lfpd-admin log -f that stands still while more records come than lfpd keeps
background follow "$bin/lfpd-admin" -i LINR02 --json -f log
follow=$!
check "lfpd-admin log -f prints" wait_for 30 grep -q '"event":"end"' "$work/follow.log"
kill -STOP $follow
cat >"$work/many.py" <<'EOF'
import socket
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for port in range(20000, 26000):
    try:
        u.sendto(b"x", ("10.0.0.1", port))
    except OSError:
        pass
EOF
check "a program sends many datagrams" on_lfp timeout 60 python3 "$work/many.py"
kill -CONT $follow
check "lfpd-admin says how many it could not print" wait_for 30 grep -Eq '^VLFD916W .* no longer has [0-9]+ records' "$work/follow.log"
stop_pid $follow TERM
finish
