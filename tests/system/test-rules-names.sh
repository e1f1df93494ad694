#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# POLICY_FILE: names that programs look up on sockets of their own, by the name servers of the host
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-rules.sh"
needs python3

: >"$work/hosts"
echo "nameserver 203.0.113.53" >"$work/resolv.conf"
hosts_file
for last in 5 6 7 8 53 54; do ip addr add 203.0.113.$last/32 dev lo; done

# A name server at two addresses, only one of which is the host's, and servers to connect to.
cat >"$work/servers.py" <<'END'
import select, socket, struct, sys
A, CNAME, AAAA = 1, 5, 28
records = {
    "www.example.org": [(A, "203.0.113.5"), (AAAA, "2001:db8::5")],
    "alias.example.org": [(CNAME, "middle.example.net")],
    "middle.example.net": [(CNAME, "end.example.net")],
    "end.example.net": [(A, "203.0.113.6"), (A, "203.0.113.8")],
    "loop.example.org": [(CNAME, "loop.example.org")],
    "rebound.example.org": [(A, "127.0.0.1")],
    "evil.example.net": [(A, "203.0.113.7")],
    "id.example.org": [(A, "203.0.113.7")],
    "question.example.org": [(A, "203.0.113.7")],
    "port.example.org": [(A, "203.0.113.7")],
}
def wire(name): return b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + b"\0"
def answer(query):
    ident, flags = struct.unpack("!HH", query[:4])
    at, labels = 12, []
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    kind = struct.unpack("!H", query[at + 1:at + 3])[0]
    question, name = query[12:at + 5], ".".join(labels).lower()
    print(name, kind, flush=True)
    found, owner = [], name
    if name == "id.example.org": ident ^= 1
    if name == "question.example.org": question = wire("www.example.org") + question[-4:]
    for _ in range(4):
        for t, value in records.get(owner, []):
            if t == CNAME: found.append((owner, t, wire(value)))
            elif t == kind: found.append((owner, t, socket.inet_pton(socket.AF_INET if t == A else socket.AF_INET6, value)))
        owner = next((v for t, v in records.get(owner, []) if t == CNAME), None)
    body = b"".join(wire(o) + struct.pack("!HHIH", t, 1, 1, len(d)) + d for o, t, d in found)
    return struct.pack("!HHHHHH", ident, 0x8180 | (0 if name in records else 3), 1, len(found), 0, 0) + question + body, name
udp = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
for s, a in zip(udp, ("203.0.113.53", "203.0.113.54")): s.bind((a, 53))
other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
other.bind(("203.0.113.53", 5353))
asked = [socket.create_server(a) for a in (("203.0.113.53", 53), ("203.0.113.54", 53), ("203.0.113.53", 443))]
# Answers by TCP, in single bytes
def serve(peer):
    want, query = 2, b""
    while len(query) < want:
        query += peer.recv(4096)
        if len(query) >= 2: want = 2 + int.from_bytes(query[:2], "big")
    reply = answer(query[2:])[0]
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in len(reply).to_bytes(2, "big") + reply: peer.send(bytes([byte]))
    peer.close()
tcp = [socket.create_server((f"203.0.113.{n}", 443)) for n in (5, 6, 7, 8)] + [socket.create_server(("127.0.0.1", 443))]
print("listening", flush=True)
while True:
    for s in select.select(udp + tcp + asked, [], [])[0]:
        if s in asked:
            serve(s.accept()[0])
            continue
        if s in tcp:
            s.accept()[0].close()
            continue
        query, peer = s.recvfrom(4096)
        reply, name = answer(query)
        (other if name == "port.example.org" else s).sendto(reply, peer)
END
cat >"$work/do.py" <<'END'
import errno, random, socket, struct, sys
def wire(name): return b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + b"\0"
def query(name, kind=1, extra=b""):
    return struct.pack("!HHHHHH", random.getrandbits(16), 0x100, 1, 0, 0, 0) + wire(name) + struct.pack("!HH", kind, 1) + extra
# Returns the code and the number of records, as the name server or lfpd says it.
def ask(name, kind=1, server="203.0.113.53", connected=False, checks=True, family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.settimeout(20)
        to, message = ("::ffff:" + server if family == socket.AF_INET6 else server, 53), query(name, kind)
        if connected: s.connect(to)
        s.send(message) if connected else s.sendto(message, to)
        reply, peer = s.recvfrom(4096)
        if checks and (reply[:2] != message[:2] or peer[:2] != to): return "wrong"
        return f"{reply[3] & 15} {struct.unpack('!H', reply[6:8])[0]}"
def ask_tcp(name, server="203.0.113.53", kind=1, port=53):
    with socket.socket() as s:
        s.settimeout(20)
        s.connect((server, port))
        message = query(name, kind)
        s.sendall(len(message).to_bytes(2, "big") + message)
        reply = b""
        while more := s.recv(4096): reply += more
        return f"{reply[5] & 15} {struct.unpack('!H', reply[8:10])[0]}"
def send(data, connected=False, more=False):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        if connected: s.connect(("203.0.113.53", 53))
        s.sendto(data, socket.MSG_MORE if more else 0, ("203.0.113.53", 53))
        return "sent"
def both(*names):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(20)
        sent = {}
        for n in names:
            m = query(n)
            sent[m[:2]] = n
            s.sendto(m, ("203.0.113.53", 53))
        got = [s.recv(4096) for _ in names]
        return " ".join(f"{n}:{r[3] & 15}" for n, r in sorted((sent[r[:2]], r) for r in got))
def literal(host, port=443):
    with socket.socket() as s:
        s.settimeout(20)
        s.connect((host, port))
        return "connected"
def bind(host, port=53, kind=socket.SOCK_DGRAM):
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind((host, port))
        return "bound"
# An answer from a socket of the program's own, which names the server's address as its source.
def forge(spec, host="127.0.0.2", family=socket.AF_INET):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a, socket.socket(family, socket.SOCK_DGRAM) as b:
        a.settimeout(20)
        m = query("port.example.org")
        a.sendto(m, ("203.0.113.53", 53))
        b.bind((host, 53))
        if spec is None:
            b.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        info = (socket.IPPROTO_IP, 8, struct.pack("@I4s4s", 0, socket.inet_aton(spec or "0.0.0.0"), bytes(4)))
        to = "203.0.113.53" if spec in (None, "0.0.0.0") else "127.0.0.1"
        r = m[:2] + struct.pack("!HHHHH", 0x8180, 1, 1, 0, 0) + m[12:] + b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 300, 4) + socket.inet_aton("203.0.113.7")
        if spec is None: # the kernel refuses the bound address as a source, by one errno or another
            try: b.sendto(r, (to, a.getsockname()[1]))
            except OSError: return "failed"
            return "sent"
        b.sendmsg([r], [info], 0, ("::ffff:" + to if family == socket.AF_INET6 else to, a.getsockname()[1]))
        return "sent"
def until_refused(host):
    while True:
        try: literal(host)
        except OSError: return "refused"
for text in sys.argv[1:]:
    try: print(eval(text))
    except OSError as e: print(errno.errorcode.get(e.errno, e))
END
background servers python3 "$work/servers.py"
wait_for 60 grep -q listening "$work/servers.log" || die "the servers do not listen"
asked() { grep -c "^$1 " "$work/servers.log"; }

allow=(--allow '*.example.org:443')
for mode in preload seccomp; do
	: >"$work/servers.log"
	acts "$mode: names that a program looks up by itself" --mode=$mode "${allow[@]}" -- \
		'literal("203.0.113.5")=ECONNREFUSED' \
		'ask("www.example.org")=0 1' \
		'literal("203.0.113.5")=connected' \
		'literal("203.0.113.5", 80)=ECONNREFUSED' \
		'literal("203.0.113.6")=ECONNREFUSED' \
		'ask("alias.EXAMPLE.org", connected=True)=0 4' \
		'literal("203.0.113.6")=connected' \
		'literal("203.0.113.8")=connected' \
		'ask("evil.example.net")=3 0' \
		'ask("evil.example.net", connected=True)=3 0' \
		'ask("EVIL.example.net", family=socket.AF_INET6)=3 0' \
		'ask("end.example.net")=3 0' \
		'ask("5.113.0.203.in-addr.arpa", 12)=3 0' \
		'ask("www.example.org", 28)=0 1' \
		'ask("none.example.org")=3 0' \
		'ask("loop.example.org")=0 4' \
		'both("www.example.org", "evil.example.net", "none.example.org")=evil.example.net:3 none.example.org:3 www.example.org:0' \
		'ask("rebound.example.org")=0 1' \
		'literal("127.0.0.1")=ECONNREFUSED' \
		'ask("id.example.org", checks=False)=0 1' \
		'ask("question.example.org", checks=False)=0 1' \
		'ask("port.example.org", checks=False)=0 1' \
		'literal("203.0.113.7")=ECONNREFUSED' \
		'ask("www.example.org", server="203.0.113.54")=ECONNREFUSED' \
		'send(b"any bytes")=ECONNREFUSED' \
		'send(query("www.example.org", extra=b"more"))=ECONNREFUSED' \
		'send(query("www.example.org"), more=True)=ECONNREFUSED' \
		'send(b"any bytes", connected=True)=ECONNREFUSED'
	check_eq "$(asked evil.example.net) $(asked end.example.net)" "0 0" "a refused query is not sent"
done
for mode in preload seccomp; do
	acts "$mode: no program sends in the place of the name server" --mode=$mode "${allow[@]}" --allow "connect udp localhost" --allow "connect udp 203.0.113.53" \
		--allow "listen any" -- 'forge("203.0.113.53")=ECONNREFUSED' 'forge("0.0.0.0")=ECONNREFUSED' \
		'forge("203.0.113.53", "::ffff:127.0.0.2", socket.AF_INET6)=ECONNREFUSED' 'literal("203.0.113.7")=ECONNREFUSED' 'forge("127.0.0.1")=sent' \
		'forge(None, "224.0.0.1")=failed' 'forge(None, "127.255.255.255")=failed' 'forge(None)=sent' 'literal("203.0.113.7")=ECONNREFUSED'
done
acts "another name server teaches nothing" "${allow[@]}" --allow "udp 203.0.113.54:53" -- \
	'ask("www.example.org", server="203.0.113.54")=0 1' 'literal("203.0.113.5")=ECONNREFUSED'
for mode in preload seccomp; do
	acts "$mode: answers on a connection teach names" --mode=$mode "${allow[@]}" --allow "tcp 203.0.113.53:53" --allow "tcp 203.0.113.54:53" -- \
		'ask_tcp("www.example.org", "203.0.113.54")=0 1' \
		'literal("203.0.113.5")=ECONNREFUSED' \
		'ask_tcp("www.example.org")=0 1' \
		'literal("203.0.113.5")=connected' \
		'literal("203.0.113.6")=ECONNREFUSED' \
		'ask_tcp("alias.example.org")=0 4' \
		'literal("203.0.113.6")=connected' \
		'ask_tcp("rebound.example.org")=0 1' \
		'literal("127.0.0.1")=ECONNREFUSED' \
		'ask_tcp("evil.example.net")=0 1' \
		'literal("203.0.113.7")=ECONNREFUSED'
done
# As DNS over HTTPS: lfpd takes what it cannot know to be an answer for nothing.
acts "over port 443 the host's own name server teaches nothing" "${allow[@]}" --allow "tcp 203.0.113.53:443" -- \
	'ask_tcp("www.example.org", port=443)=0 1' 'literal("203.0.113.5")=ECONNREFUSED'
acts "a connection to a name server needs a rule" "${allow[@]}" -- 'ask_tcp("www.example.org")=ECONNREFUSED'
acts "a rule may deny the name server" --deny "203.0.113.53" "${allow[@]}" -- 'ask("www.example.org")=ECONNREFUSED'
acts "a denied name where others are allowed" --deny "lookup evil.example.net" --deny "www.example.org" -- \
	'ask("evil.example.net")=3 0' 'ask("www.example.org")=0 1' 'literal("203.0.113.5")=ECONNREFUSED' 'literal("203.0.113.6")=connected'
if command -v dig >/dev/null; then
	check_eq "$(timeout 60 "${on_host[@]}" "$bin/lfp-run" --private "${allow[@]}" dig +short www.example.org alias.example.org evil.example.net 2>"$work/err" |
		paste -sd ' ')" "203.0.113.5 middle.example.net. end.example.net. 203.0.113.6 203.0.113.8" "dig"
else
	skip_part "dig is not installed"
fi
ip addr add 203.0.113.55/32 dev lo
echo "nameserver 203.0.113.55" >"$work/resolv.conf"
acts "no program is the host's name server" --allow "listen any" -- 'bind("203.0.113.55")=ECONNREFUSED' 'bind("0.0.0.0")=ECONNREFUSED' \
	'bind("203.0.113.55", kind=socket.SOCK_STREAM)=ECONNREFUSED' 'bind("203.0.113.55", 5300)=bound'
echo "nameserver 203.0.113.53" >"$work/resolv.conf"

# The time of an answer is 1 s, and NAME_LIFETIME_MIN no longer.
printf 'allow connect www.example.org:443\ndefault deny\n' >"$work/rules"
lfpd_conf LINR02 POLICY_FILE="$work/rules" NAME_LIFETIME_MIN=1
statements 01
lfpd_start LINR02 "${on_host[@]}"
instance_start 01
check_eq "$(on_lfp timeout 60 python3 "$work/do.py" 'ask("www.example.org")' 'literal("203.0.113.5")' 'until_refused("203.0.113.5")' 'ask("www.example.org")' \
	'literal("203.0.113.5")' | paste -sd ,)" "0 1,connected,refused,0 1,connected" "an answer counts for its time"
check_eq "$("$bin/lfpd-admin" -i LINR02 statistics | awk '$1 == "rules_refused" { print ($2 >= 1) }')" 1 "refusals are counted"
log=$work/connections.log
acts "with a log" "${allow[@]}" --log "$log" --summary -- 'ask("evil.example.net")=3 0' 'ask("rebound.example.org")=0 1' \
	'literal("127.0.0.1")=ECONNREFUSED'
check "a name with a private address: the summary has the reason" \
	grep -Eq ' tcp +rebound.example.org:443 .*refused by the default; line 1 does not allow the private address 127[.]0[.]0[.]1$' "$work/err"
check_eq "$(grep -c '"event":"lookup".*"name":"evil.example.net".*"refused_by":"rule"' "$log")" 1 "the log has the question that lfpd answers"
check_eq "$(grep -cE '"event":"(send|end)".*"name":"evil' "$log")" 0 "and no datagram, as none was sent"
sed -i 's/"result":"ECONNREFUSED"/"result":"OK"/' "$log" # as where all is allowed
check_eq "$(python3 "$top/examples/agent/learn.py" "$log" | sed 's/ *#.*//; / udp /d')" "allow connect tcp 127.0.0.1:443
allow lookup rebound.example.org
default deny" "rules from a log: a private address needs a rule of its own"
finish
