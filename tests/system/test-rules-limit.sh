#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# POLICY_FILE: "limit" in a rule, of connections at once and of bytes a second, over both tiers
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs python3

# A server of TCP that sends what it is asked for, and counts what comes; and one of UDP that answers.
cat >"$work/server.py" <<'END'
import socket, threading
def serve(peer):
    with peer:
        said = peer.makefile("rb")
        for line in said:
            word, number = line.split()
            if word == b"get": peer.sendall(bytes(i % 251 for i in range(int(number))))
            if word == b"put": peer.sendall(b"%d\n" % sum(said.read(int(number))))
def answer(udp):
    while True:
        data, sender = udp.recvfrom(65536)
        udp.sendto(b"%d" % len(data), sender)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("10.0.0.1", 7100))
threading.Thread(target=answer, args=(udp,), daemon=True).start()
listener = socket.create_server(("10.0.0.1", 7100), backlog=100)
print("listening", flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
END
background server python3 "$work/server.py"
wait_for 60 grep -q listening "$work/server.log" || die "the server does not listen"

cat >"$work/do.py" <<'END'
import errno, os, socket, sys, time
AT = ("10.0.0.1", 7100)
def made(s):
    try: s.connect(AT)
    except OSError as e: return errno.errorcode[e.errno]
    return "made"
def several(number):
    """So many connections at once; then one is closed, and another one tried until it is made."""
    socks = [socket.socket() for _ in range(number)]
    said = [made(s) for s in socks]
    socks[0].close()
    last = socket.socket()
    until = time.monotonic() + 60
    while (again := made(last)) != "made" and time.monotonic() < until:
        last = socket.socket()
    return " ".join(said + ["then", again])
def of_children():
    """Each of two children has its own connection, and no second one."""
    said = []
    for _ in range(2):
        back, front = os.pipe()
        if os.fork() == 0:
            socks = [socket.socket(), socket.socket()]
            os.write(front, " ".join(made(s) for s in socks).encode())
            os._exit(0)
        os.wait()
        said.append(os.read(back, 100).decode())
    return " ".join(said)
def timed(number, rate, act):
    """Runs act; its bytes must take as long as the rate wants, but for those of 100 ms."""
    begin = time.monotonic()
    said = act()
    took = time.monotonic() - begin
    least = (number - rate / 10) / rate
    return said if took >= least * 0.98 else f"only {took:.3f} s, not {least:.3f} s"
def get(number, rate):
    def act():
        with socket.create_connection(AT) as s:
            s.sendall(b"get %d\n" % number)
            got = s.makefile("rb").read(number)
        return "got all" if got == bytes(i % 251 for i in range(number)) else "wrong bytes"
    return timed(number, rate, act)
def put(number, rate):
    def act():
        with socket.create_connection(AT) as s:
            s.sendall(b"put %d\n" % number + b"\1" * number)
            return "put all" if s.makefile("rb").readline() == b"%d\n" % number else "wrong bytes"
    return timed(number, rate, act)
def both(number, rate):
    """Two connections of one task share its rate."""
    def act():
        socks = [socket.create_connection(AT) for _ in range(2)]
        for s in socks: s.sendall(b"get %d\n" % (number // 2))
        for s in socks:
            if len(s.makefile("rb").read(number // 2)) != number // 2: return "too few"
        return "shared"
    return timed(number, rate, act)
def datagrams(number, size, rate):
    """Datagrams wait for the rate, and none is lost on the way to the host."""
    def act():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(60)
            s.connect(AT)
            for _ in range(number): s.send(bytes(size))
            return f"{sum(s.recv(100) == b'%d' % size for _ in range(number))} answers"
    return timed(number * size, rate, act)
for text in sys.argv[1:]:
    try: print(eval(text))
    except OSError as e: print(errno.errorcode.get(e.errno, e))
END

# acts TEXT LFP-RUN-OPTION... -- ACT=RESULT...: each in one program
acts() {
	local text=$1 options=() expressions=() results=() act
	shift
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	for act in "$@"; do expressions+=("${act%=*}") && results+=("${act##*=}"); done
	timeout 100 "$bin/lfp-run" --private "${options[@]}" python3 "$work/do.py" "${expressions[@]}" >"$work/said" 2>"$work/err"
	printf '%s\n' "${results[@]}" >"$work/wanted"
	check "$text" diff "$work/wanted" "$work/said" || { paste -d ' ' <(printf '%s\n' "${expressions[@]}") "$work/said"; cat "$work/err"; }
}

for mode in preload seccomp; do
	acts "$mode: connections at once" --mode=$mode --allow '10.0.0.1:7100 limit connections 2' -- \
		'several(4)=made made ECONNREFUSED ECONNREFUSED then made'
	acts "$mode: of each task" --mode=$mode --allow '10.0.0.1:7100 limit connections 1' -- \
		'of_children()=made ECONNREFUSED made ECONNREFUSED'
	acts "$mode: of the user" --mode=$mode --allow '10.0.0.1:7100 limit connections 1 per user' -- \
		'[made(s := socket.socket()), of_children(), s.close()][1]=ECONNREFUSED ECONNREFUSED ECONNREFUSED ECONNREFUSED'
	acts "$mode: bytes a second" --mode=$mode --allow '10.0.0.1:7100 limit rate 1M' -- \
		'get(300000, 1048576)=got all' 'put(300000, 1048576)=put all' 'both(300000, 1048576)=shared'
	# No more than fit the server's socket, should it be slow.
	acts "$mode: datagrams" --mode=$mode --allow '10.0.0.1:7100 limit rate 100K' -- 'datagrams(60, 1000, 102400)=60 answers'
done
check_exit 69 "a wrong limit is refused" into "$work/said" "$bin/lfp-run" --private --allow 'any limit rate none' true
check "and named" grep -qE -- "--allow .*: \"limit rate\" takes bytes a second" "$work/said"

# An instance of the system: the list, the log, the counts, a reload
printf 'allow connect tcp 10.0.0.1:7100 limit connections 1 rate 100K\ndefault deny\n' >"$work/rules"
lfp_up POLICY_FILE="$work/rules" REFUSE_WITH=EACCES CONNECTION_LOG=memory
cat >"$work/keep.py" <<'END'
import errno, socket, sys
first, second = socket.create_connection(("10.0.0.1", 7100)), socket.socket()
def try_second():
    try: second.connect(("10.0.0.1", 7100))
    except OSError as e: return errno.errorcode[e.errno]
    return "made"
first.sendall(b"get 50000\n")
first.makefile("rb").read(50000)
print(try_second(), flush=True)
sys.stdin.readline()
print(try_second(), flush=True)
END
mkfifo "$work/go"
on_lfp timeout 100 python3 "$work/keep.py" <"$work/go" >"$work/keep.log" 2>&1 &
keep=$!
pids+=($keep)
exec {go}>"$work/go"
said() { [ "$(wc -l <"$work/keep.log")" -ge "$1" ]; }
wait_for 60 said 1 || die "no connection"
"$bin/lfpd-admin" -i LINR02 --json limits >"$work/limits"
# of_limits EXPRESSION: a value of the only row
of_limits() { python3 -c "import json, sys; rows = json.load(sys.stdin)['limits']; row = rows[0]; print(len(rows), $1)" <"$work/limits"; }
check_eq "$(of_limits 'row["rule"], row["connections"], row["connections_max"], row["refused"], row["rate"], row["bytes_in"], row["bytes_out"], row["uid"]')" \
	"1 1 1 1 1 102400 50000 10 $(id -u)" "lfpd-admin limits"
check_eq "$(head -n 1 "$work/keep.log")" EACCES "REFUSE_WITH"
count() { "$bin/lfpd-admin" -i LINR02 statistics | awk -v name="$1" '$1 == name { print $2 }'; }
check_eq "$(count limits_refused) $(count rules_refused) $(($(count rates_held) > 0))" "1 1 1" "the statistics"
check "the log of lfpd names the reason" \
	grep -q "VLFD170W User $(id -u) was refused to reach 10.0.0.1, port 7100 of TCP, as its task has all 1 connections, by line 1 of " "$work/lfpd-LINR02.log"
sed -i '1s/connections 1/connections 2/' "$work/rules"
check "reload" into "$work/said" "$bin/lfpd-ctl" reload LINR02
echo >&"$go"
check "the program ends" wait_for 60 ended $keep
check_eq "$(tail -n 1 "$work/keep.log")" made "a reload changes the limit"
ends() { "$bin/lfpd-admin" -i LINR02 --json log >"$work/records" && [ "$(grep -c '"event":"end"\|"event": "end"' "$work/records")" -ge 2 ]; }
check "both connections end" wait_for 60 ends
python3 - "$work/records" >"$work/said" <<'END'
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    if record["event"] == "connect": print("connect", record["result"], record["rule"], record.get("refused_by", "-"))
    if record["event"] == "end" and record["bytes_in"]: print("end", record["slowed_us"] >= 100000)
END
check "the log of connections" diff <(printf '%s\n' "connect OK 1 -" "connect EACCES 1 limit" "connect OK 1 -" "end True") "$work/said"
finish
