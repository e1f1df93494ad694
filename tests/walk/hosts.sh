#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hosts.sh LAYER: the names, the certificate, the user and the programs that the pages take for granted
set -e
layer=$1
for name in www.example.com www.example.org deb.example.com packages.example.com proxy.example.com evil.example.net; do
	echo "203.0.113.80 $name"
done >>"$layer/etc/hosts"
echo 'lfpd:x:799:799::/:/usr/sbin/nologin' >>"$layer/etc/passwd"
echo 'lfpd:x:799:' >>"$layer/etc/group"
mkdir -p "$layer/etc/walk" "$layer/usr/local/bin" "$layer/root" "$layer/home/anna"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=example.com \
	-addext 'subjectAltName=DNS:*.example.com,DNS:*.example.org' \
	-keyout "$layer/etc/walk/key.pem" -out "$layer/etc/walk/cert.pem" 2>/dev/null
cat >"$layer/etc/walk/servers.py" <<'END'
import http.server, ssl, sys, threading
plain = http.server.ThreadingHTTPServer((sys.argv[1], 80), http.server.SimpleHTTPRequestHandler)
secure = http.server.ThreadingHTTPServer((sys.argv[1], 443), http.server.SimpleHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/etc/walk/cert.pem", "/etc/walk/key.pem")
secure.socket = context.wrap_socket(secure.socket, server_side=True)
threading.Thread(target=plain.serve_forever, daemon=True).start()
secure.serve_forever()
END
# ADDRESS PORT echo|sink: sends back what comes, or not
cat >"$layer/etc/walk/echo.py" <<'END'
import socketserver, sys
class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(65536):
            if sys.argv[3] == "echo":
                self.request.sendall(data)
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer((sys.argv[1], int(sys.argv[2])), Echo).serve_forever()
END
# The pages' PROGRAM
cat >"$layer/usr/local/bin/PROGRAM" <<'END'
#!/bin/sh
exec curl -sSf -o /dev/null https://www.example.com/
END
# A window is not needed to see that a file can be read.
cat >"$layer/usr/local/bin/wireshark" <<'END'
#!/bin/sh
exec tshark -r "$@"
END
chmod 755 "$layer/usr/local/bin/PROGRAM" "$layer/usr/local/bin/wireshark"
