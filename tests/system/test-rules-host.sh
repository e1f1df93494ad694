#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# POLICY_FILE: rules with "host" tell names apart that have one address, by the header Host of HTTP/1
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-rules.sh"
needs python3

cat >"$work/hosts" <<'END'
203.0.113.5 www.example.org evil.example.net tls.example.com
END
hosts_file
ip addr add 203.0.113.5/32 dev lo

# A server that answers with the number of bytes that have come, and tells "end" where none has
cat >"$work/server.py" <<'END'
import socket
listener = socket.create_server(("203.0.113.5", 80))
print("listening", flush=True)
while True:
    peer = listener.accept()[0]
    try:
        data = b""
        while more := peer.recv(65536):
            data += more
            if b"\r\n\r\n" in data: break
        if data: peer.sendall(b"%d" % len(data))
        print("bytes" if data else "end", flush=True)
    except ConnectionResetError:
        print("reset", flush=True)
    peer.close()
END
background server python3 "$work/server.py"
wait_for 60 grep -q listening "$work/server.log" || die "the server does not listen"

cat >"$work/do.py" <<'END'
import errno, socket, sys
def request(host, target="/", more=""):
    return f"GET {target} HTTP/1.1\r\nAccept: */*\r\n" + (f"Host: {host}" if host else "X: y") + f"\r\n{more}\r\n"
def say(data, step=None, end=False):
    data = data.encode()
    with socket.socket() as s:
        s.settimeout(20)
        s.connect((socket.gethostbyname("www.example.org"), 80))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(0, len(data), step or len(data)):
            s.send(data[i:i + (step or len(data))])
        if end: s.shutdown(socket.SHUT_WR)
        said = s.recv(10).decode()
        return "all" if said == str(len(data)) else said or "end"
long = lambda n: "X-Long: " + n * "a" + "\r\n"
for text in sys.argv[1:]:
    try: print(eval(text))
    except OSError as e: print(errno.errorcode.get(e.errno, e))
END

all_told() { [ "$(grep -cE 'bytes|end|reset' "$work/server.log")" -ge 15 ]; }
for mode in preload both; do
	: >"$work/server.log"
	acts "$mode: the name in the header Host" --mode=$mode --allow '*.example.org:80 host' --allow 'tls.example.com:80 sni' -- \
		'say(request("www.example.org"))=all' \
		'say(request("WWW.example.org.:80"), step=1)=all' \
		'say(request("other.example.org", "http://other.example.org/a"))=all' \
		'say(request("www.example.org", more=long(9000)))=all' \
		'say(request("evil.example.net"))=ECONNRESET' \
		'say(request("evil.example.net"), step=1)=ECONNRESET' \
		'say(request("tls.example.com"))=ECONNRESET' \
		'say(request("www.example.org", "http://evil.example.net/"))=ECONNRESET' \
		'say(request(None))=ECONNRESET' \
		'say(request("www.example.org", more="Host: evil.example.net\r\n"))=ECONNRESET' \
		'say(request("www.example.org:443").replace("GET / ", "CONNECT www.example.org:443 "))=ECONNRESET' \
		'say("SSH-2.0-x\r\n")=ECONNRESET' \
		'say(request("www.example.org")[:40], end=True)=ECONNRESET' \
		'say(request("www.example.org", more=long(17000)))=ECONNRESET' \
		'say(request("www.example.org").replace("\r", ""))=ECONNRESET'
	check "the server has told all" wait_for 60 all_told
	check_eq "$(grep -c bytes "$work/server.log")" 4 "no byte of the others has come to the server"
done
check_exit 69 "host without a name is refused" into "$work/said" "$bin/lfp-run" --private --allow 'any:80 host' true
finish
