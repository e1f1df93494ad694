#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ask-upstream: datagrams through proxies of SOCKS5, of which some are hostile
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-rules.sh"
needs python3

cat >"$work/hosts" <<'END'
203.0.113.5 www.example.org
203.0.113.6 other.example.org
203.0.113.5 www.example.net
203.0.113.21 two.example.org
203.0.113.22 two.example.org
END
hosts_file
socks=10.0.0.1:1080
background proxy python3 "$here/relay-proxy.py" 1080 "$work/asked"
listen_both() { [ "$(grep -c listening "$work/proxy.log")" = 2 ]; }
wait_for 60 listen_both || die "the proxy does not listen"

cat >"$work/do.py" <<'END'
import errno, select, socket, struct, sys, time
def new(host="", port=0):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.settimeout(30)
    return s
def text(s, n=65536):
    data, peer = s.recvfrom(n)
    return data.decode() + " from " + peer[0] + " " + str(peer[1])
def ask(host, port=53, data=b"q"):
    with new(host) as s:
        s.sendto(data, (host, port))
        return text(s)
def peer(host, port=53):
    with new(host) as s:
        s.connect((host, port))
        s.send(b"q")
        return text(s) + " " + str(s.getpeername()[:2] == (host, port)) + " " + s.getsockname()[0]
def named(name, port=53):
    with new() as s:
        s.connect((socket.getaddrinfo(name, port, socket.AF_INET, socket.SOCK_DGRAM)[0][4]))
        s.send(b"q")
        return text(s)
def names():
    with new() as s:
        for name, port in ("www.example.org", 53), ("other.example.org", 54):
            s.sendto(b"q", (socket.gethostbyname(name), port))
        return ", ".join(sorted(text(s) for i in range(2)))
def two():
    with new() as s:
        for a in socket.getaddrinfo("two.example.org", 53, socket.AF_INET, socket.SOCK_DGRAM):
            s.sendto(b"q", a[4])
            assert s.recvfrom(100)[1] == a[4]
        return a[4][0][:-1]
def many(n=200, size=1000, host="203.0.113.5"):
    with new() as s:
        s.connect((host, 53))
        for i in range(n):
            s.send(struct.pack("!I", i) + bytes(size))
            assert s.recv(65536)[-size - 4:] == struct.pack("!I", i) + bytes(size)
    return n
def early(n=20):
    with new() as s:
        for i in range(n): s.sendto(b"%d" % i, ("203.0.113.5", 53))
        return [s.recv(100).split()[-1] for i in range(n)] == [b"%d" % i for i in range(n)]
def fails(host="203.0.113.5", connected=True, port=53, again=False):
    with new(host) as s:
        if connected: s.connect((host, port))
        try:
            s.send(b"q") if connected else s.sendto(b"q", (host, port))
            if connected:
                p = select.poll()
                p.register(s, select.POLLIN)
                p.poll(30000)
            for i in range(3000 if not connected else 1):
                time.sleep(0.01 if i else 0)
                s.send(b"q") if connected else s.sendto(b"q", (host, port))
            return text(s)
        except OSError as e: return errno.errorcode[e.errno]
def size(n):
    with new() as s:
        s.connect(("203.0.113.5", 53))
        s.send(b"q")
        s.recv(100)
        try: s.send(bytes(n))
        except OSError as e: return errno.errorcode[e.errno]
        return len(s.recv(65536))
def twice(host):
    with new() as s:
        s.connect((host, 53))
        s.send(b"1")
        first = s.recv(100).split()[-1]
        while True:
            s.send(b"2")
            s.settimeout(1)
            try: return first + s.recv(100).split()[-1]
            except OSError: pass
def both():
    with new() as s, new() as near:
        near.bind(("10.0.0.1", 0))
        s.sendto(b"q", ("203.0.113.5", 53))
        s.sendto(b"direct", near.getsockname())
        got, at = near.recvfrom(100)
        near.sendto(b"back", at)
        return got.decode() + ", " + ", ".join(sorted((text(s).split(" from")[0] for i in range(2))))
def moves():
    with new() as s:
        s.connect(("203.0.113.5", 53))
        s.send(b"1")
        first = text(s)
        s.connect(("203.0.113.6", 54))
        s.send(b"2")
        return first + ", " + text(s)
def leaves():
    with new("::1") as s:
        s.connect(("2001:db8::5", 53))
        s.connect(("::ffff:10.0.0.1", 9))
        return s.getsockname()[0]
def group():
    with new() as s:
        s.sendto(b"q", ("224.0.0.251", 5353))
        return text(s)
def close():
    s = new()
    s.sendto(b"q", ("203.0.113.5", 53))
    text(s)
    s.close()
    return "closed"
for text_ in sys.argv[1:]:
    try: print(eval(text_))
    except OSError as e: print(errno.errorcode.get(e.errno, e))
END
good=('ask("203.0.113.5")=203.0.113.5 53 q from 203.0.113.5 53' 'ask("2001:db8::5", 123)=2001:db8::5 123 q from 2001:db8::5 123'
	'ask("::ffff:203.0.113.5")=203.0.113.5 53 q from ::ffff:203.0.113.5 53'
	'peer("203.0.113.5")=203.0.113.5 53 q from 203.0.113.5 53 True 10.0.0.1' 'peer("2001:db8::5")[:42]=2001:db8::5 53 q from 2001:db8::5 53 True '
	'many()=200' 'early()=True' 'moves()=203.0.113.5 53 1 from 203.0.113.5 53, 203.0.113.6 54 2 from 203.0.113.6 54'
	'named("www.example.org")=203.0.113.5 53 q from 203.0.113.5 53' 'size(60000)=60015' 'group()=ENETUNREACH' 'close()=closed')
acts "preload: datagrams both ways" --upstream socks5://$socks -- "${good[@]}" 'size(65507)=EMSGSIZE'
acts "seccomp: the same" --mode=seccomp --upstream socks5://$socks -- "${good[@]}"
as_many_ends() { [ "$(grep -c '^none command 3' "$work/asked")" = "$(grep -c '^none end' "$work/asked")" ]; }
check "each association ends with its socket" wait_for 30 as_many_ends
acts "HTTP takes no datagrams" --upstream http://$socks -- 'ask("203.0.113.5")=ECONNREFUSED'

# One proxy for each address: the user says what the proxy does.
modes=(code elsewhere name brief chatty silent wildcard hostile once flood)
(umask 077 && echo "other:x" >"$work/user-other")
{
	for i in "${!modes[@]}"; do
		(umask 077 && echo "${modes[i]}:x" >"$work/user-${modes[i]}")
		echo "upstream ${modes[i]} socks5://$socks timeout 2 credentials $work/user-${modes[i]}"
		echo "ask-upstream ${modes[i]} connect udp 198.51.100.$i"
	done
	cat <<END
upstream web http://$socks
upstream p socks5h://$socks
upstream six socks5://[::1]:1080
upstream none socks5://10.0.0.1:1
ask-upstream web connect 203.0.113.7
ask-upstream six connect udp 203.0.113.8
ask-upstream six connect udp 2001:db8::5
ask-upstream none connect udp 203.0.113.9
ask-upstream none connect udp 2001:db8::9
ask-upstream p connect udp *.example.org:53-54
allow connect udp 10.0.0.1
deny connect udp 203.0.113.5:99
ask-upstream p connect 203.0.113.5
default deny
END
} >"$work/rules"
acts "errors" --rules "$work/rules" -- 'fails("198.51.100.0")=ENOTSUP' 'fails("198.51.100.0", False)=ENOTSUP' 'fails("198.51.100.1")=ECONNABORTED' \
	'fails("198.51.100.2")=ECONNABORTED' 'fails("198.51.100.3")=ECONNABORTED' \
	'fails("198.51.100.4")=ECONNABORTED' 'fails("198.51.100.5")=ETIMEDOUT' 'fails("203.0.113.9")=ENETUNREACH' \
	'fails("2001:db8::9")=ENETUNREACH'
acts "by rule" --rules "$work/rules" --log "$work/log" -- 'ask("203.0.113.7")=ECONNREFUSED' 'ask("203.0.113.5", 99)=ECONNREFUSED' 'named("www.example.org", 55)=203.0.113.5 55 q from 203.0.113.5 55' \
	'named("www.example.org", 53)=www.example.org 53 q from 203.0.113.5 53' 'both()=direct, back, www.example.org 53 q' 'ask("203.0.113.5", 56)=203.0.113.5 56 q from 203.0.113.5 56' \
	'names()=other.example.org 54 q from 203.0.113.6 54, www.example.org 53 q from 203.0.113.5 53' \
	'ask("203.0.113.8")=203.0.113.8 53 q from 203.0.113.8 53' 'peer("2001:db8::5")=2001:db8::5 53 q from 2001:db8::5 53 True ::1' \
	'ask("198.51.100.6")=198.51.100.6 53 q from 198.51.100.6 53' \
	'ask("198.51.100.7")=198.51.100.7 53 q from 198.51.100.7 53' 'peer("198.51.100.7")=198.51.100.7 53 q from 198.51.100.7 53 True 10.0.0.1' \
	'many(20, host="198.51.100.7")=20' "twice('198.51.100.8')=b'12'" \
	'leaves()=::ffff:10.0.0.1' 'two()=203.0.113.2'
check "the log has the upstream of a datagram" grep -q '"event":"send".*"protocol":"udp".*"address":"203.0.113.5","port":56.*"upstream":"p","result":"OK"' "$work/log"
check "of connect()" grep -q '"event":"connect".*"protocol":"udp".*"name":"www.example.org".*"upstream":"p","result":"OK"' "$work/log"
check "and at the end, with bytes" grep -q '"event":"end".*"address":"203.0.113.5","port":56.*"upstream":"p","result":"OK","bytes_out":1,"bytes_in":16' "$work/log"
printf 'upstream web http://%s\nask-upstream web connect udp any\ndefault deny\n' $socks >"$work/rules"
check_exit 69 "a rule for HTTP and UDP is refused" into "$work/said" timeout 60 "${on_host[@]}" "$bin/lfp-run" --private --rules "$work/rules" true
check "with the reason" grep -q 'an upstream of HTTP takes connect tcp' "$work/said"

# A lasting instance: what it shows, a restart, new rules
cat >"$work/lines.py" <<'END'
import errno, socket, sys
with socket.socket(type=socket.SOCK_DGRAM) as s:
    s.settimeout(30)
    s.connect(("203.0.113.5", 53))
    for line in sys.stdin:
        try:
            if line.startswith("to"): s.sendto(line.strip().encode(), ("203.0.113.5", 53))
            else: s.send(line.strip().encode())
            print(s.recv(100).decode(), s.getpeername(), flush=True)
        except OSError as e: print(errno.errorcode.get(e.errno, e), flush=True)
END
printf 'upstream p socks5://%s\nask-upstream p connect udp 203.0.113.5\nask-upstream p connect udp 10.0.0.1\n%s\ndefault deny\n' $socks \
	"$(printf 'upstream flood socks5://%s credentials %s\nask-upstream flood connect udp 198.51.100.9\nallow listen udp 10.0.0.1' $socks "$work/user-flood")" >"$work/lasting"
lfp_up POLICY_FILE="$work/lasting" MAX_SOCKETS=5 VSE_HOSTID=10.0.0.1 RESTRICT_TO_HOSTID=yes CONNECTION_LOG="$work/lasting-log"
check_eq "$(timeout 60 "${lfp_prefix[@]}" python3 "$work/do.py" 'peer("0.0.0.0")')" "10.0.0.1 53 q from 10.0.0.1 53 False 10.0.0.1" \
	"a wildcard is VSE_HOSTID, for the proxy, too"
if [ "$transport" != local ]; then
	cat >"$work/order.py" <<'END'
import socket
with socket.socket(type=socket.SOCK_DGRAM) as s:
    s.settimeout(30)
    s.bind(("10.0.0.1", 5000))
    s.sendto(b"q", ("198.51.100.9", 53))
    s.recv(100)
    print("one", flush=True)
    while s.recv(100) != b"direct": pass
    print(len(s.recv(100)), flush=True)
END
	lfpd=$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")
	timeout 60 "${lfp_prefix[@]}" python3 "$work/order.py" >"$work/order.log" 2>&1 &
	order=$!
	wait_for 60 grep -q one "$work/order.log"
	kill -STOP "$lfpd"
	: >"$work/asked.go"
	wait_for 60 grep -q "flood sent" "$work/asked"
	printf direct >/dev/udp/10.0.0.1/5000
	kill -CONT "$lfpd"
	wait $order
	check_eq "$(tail -n 1 "$work/order.log")" 1 "what comes without a proxy does not wait for one that floods"
fi
mkfifo "$work/in"
"${lfp_prefix[@]}" python3 "$work/lines.py" <"$work/in" >"$work/lines.log" 2>&1 &
pids+=($!)
exec 7>"$work/in"
lines=0
line() { # WORD: sends it; $answer is the answer
	echo "$1" >&7
	lines=$((lines + 1))
	has_line() { [ "$(wc -l <"$work/lines.log")" -ge $lines ]; }
	wait_for 60 has_line
	answer=$(sed -n ${lines}p "$work/lines.log")
}
associations() { "$bin/lfpd-admin" -i LINR02 statistics | awk '$1 == "associations" { print $2 }'; }
commands() { grep -c 'command 3' "$work/asked"; }
line 1
check_eq "$answer" "203.0.113.5 53 1 ('203.0.113.5', 53)" "a lasting instance"
check_eq "$(associations) $(lfpd_sockets)" "1 3" "counts the association, and its sockets"
check_eq "$("$bin/lfpd-admin" -i LINR02 sockets | grep -Ec '203\.0\.113\.5.* p( +-)* *$')" 1 "shows the peer, and its upstream"
check_eq "$(timeout 60 "${lfp_prefix[@]}" python3 "$work/do.py" 'fails()')" ENOBUFS "an association beyond MAX_SOCKETS fails"
one_less() { [ "$(associations) $(lfpd_sockets)" = "1 3" ]; }
check "and takes nothing from others" wait_for 30 one_less
if [ "$transport" != local ]; then
	before=$(commands)
	kill -USR2 "$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")"
	again() { [ "$(grep -c VLFD123I "$work/lfpd-LINR02.log")" -ge 2 ]; }
	check "lfpd restarts" wait_for 60 again
	line 2
	check_eq "$answer" "203.0.113.5 53 2 ('203.0.113.5', 53)" "the socket goes on with its peer"
	check_eq "$(commands)" $((before + 1)) "by another association"
fi
printf 'upstream p socks5://%s credentials %s\nask-upstream p connect udp 203.0.113.5\ndefault deny\n' $socks "$work/user-other" >"$work/lasting"
"$bin/lfpd-ctl" reload LINR02 >"$work/said" 2>&1 || cat "$work/said"
before=$(commands)
for word in to-1 peer-1 to-2 peer-2; do line $word; done
check_eq "$answer" "203.0.113.5 53 peer-2 ('203.0.113.5', 53)" "a reload changes the upstream, not that of the peer"
check_eq "$(commands)" $((before + 1)) "and each has one association"
printf 'upstream p socks5://%s\nask-upstream p connect udp 203.0.113.6\ndefault deny\n' $socks >"$work/lasting"
"$bin/lfpd-ctl" reload LINR02 >"$work/said" 2>&1 || cat "$work/said"
line 3
check_eq "$answer" "203.0.113.5 53 3 ('203.0.113.5', 53)" "a reload ends nothing"
"$bin/lfpd-ctl" reload --cut LINR02 >"$work/said" 2>&1 || cat "$work/said"
check_eq "$(associations)" 0 "reload --cut ends what the rules forbid"
line 4
check "and the program gets an error" [ "${answer:0:1}" = E ] || echo "$answer"
check "the log has the upstream at the end" grep -q '"event":"end".*"address":"203.0.113.5","port":53.*"upstream":"p","result":"EPROTO"' "$work/lasting-log" ||
	cat "$work/lasting-log"
exec 7>&-
check "nothing is left" wait_for 30 no_sockets
finish
