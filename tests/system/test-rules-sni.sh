#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# POLICY_FILE: rules with "sni" tell names apart that have one address, by the ClientHello of TLS
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-rules.sh"
needs python3
python3 -c 'import ssl' 2>/dev/null || skip "Python has no ssl"

cat >"$work/hosts" <<'END'
203.0.113.5 www.example.org evil.example.net ech.example.com plain.example.com
END
hosts_file
ip addr add 203.0.113.5/32 dev lo

# A server that tells how many bytes have come, and "end" where the peer has reset or ended the connection.
cat >"$work/server.py" <<'END'
import select, socket
listener = socket.create_server(("203.0.113.5", 443))
print("listening", flush=True)
while True:
    peer = listener.accept()[0]
    try:
        data = peer.recv(65536)
        if data: peer.sendall(b"%d" % (data[0] if len(data) < 2 else 22))
        print("bytes" if data else "end", flush=True)
    except ConnectionResetError:
        print("reset", flush=True)
    peer.close()
END
background server python3 "$work/server.py"
wait_for 60 grep -q listening "$work/server.log" || die "the server does not listen"

all_told() { [ "$(grep -cE 'bytes|end|reset' "$work/server.log")" -ge 11 ]; }
cat >"$work/do.py" <<'END'
import errno, socket, ssl, struct, sys
def hello(name):
    out = ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try: context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError: pass
    return out.read()
# Adds an extension to the ClientHello, which is the last thing in it.
def with_ech(data):
    body, extra = data[9:], struct.pack("!HH", 0xfe0d, 4) + b"\0\0\0\0"
    at = 34 + 1 + body[34]
    at += 2 + struct.unpack("!H", body[at:at + 2])[0]
    at += 1 + body[at]
    length = struct.unpack("!H", body[at:at + 2])[0] + len(extra)
    body = body[:at] + struct.pack("!H", length) + body[at + 2:] + extra
    return data[:3] + struct.pack("!H", len(body) + 4) + b"\1" + len(body).to_bytes(3, "big") + body
def say(looked_up, data, step=None, end=False):
    family, kind, proto, _, addr = socket.getaddrinfo(looked_up, 443, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, proto) as s:
        s.settimeout(20)
        s.connect(addr)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(0, len(data), step or len(data)):
            s.send(data[i:i + (step or len(data))])
        if end: s.shutdown(socket.SHUT_WR)
        return s.recv(10).decode() or "end"
for text in sys.argv[1:]:
    try: print(eval(text))
    except OSError as e: print(errno.errorcode.get(e.errno, e))
END

allow=(--allow '*.example.org:443 sni' --allow 'ech.example.com:443 sni ech' --allow plain.example.com:444)
for mode in preload both; do
	: >"$work/server.log"
	acts "$mode: the name in the ClientHello" --mode=$mode "${allow[@]}" -- \
		'say("www.example.org", hello("www.example.org"))=22' \
		'say("www.example.org", hello("other.example.org"), step=1)=22' \
		'say("www.example.org", hello("evil.example.net"))=ECONNRESET' \
		'say("www.example.org", hello("evil.example.net"), step=1)=ECONNRESET' \
		'say("www.example.org", hello("plain.example.com"))=ECONNRESET' \
		'say("www.example.org", hello(None))=ECONNRESET' \
		'say("www.example.org", b"GET / HTTP/1.1")=ECONNRESET' \
		'say("www.example.org", hello("www.example.org")[:100], end=True)=ECONNRESET' \
		'say("www.example.org", with_ech(hello("www.example.org")))=ECONNRESET' \
		'say("ech.example.com", with_ech(hello("ech.example.com")))=22' \
		'say("ech.example.com", with_ech(hello("evil.example.net")))=ECONNRESET'
	check "the server has told all" wait_for 60 all_told
	check_eq "$(grep -c bytes "$work/server.log")" 3 "no byte of the others has come to the server"
done
check_exit 69 "sni without a name is refused" into "$work/said" "$bin/lfp-run" --private --allow 'any:443 sni' true
finish
