# SPDX-License-Identifier: Apache-2.0
"""HTTPS on port 443 and HTTP on port 80 of each address: outside.py CERTIFICATE KEY DIRECTORY ADDRESS..."""
import functools
import hashlib
import http.server
import ssl
import sys
import threading

certificate, key, directory, *addresses = sys.argv[1:]


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = hashlib.md5(self.rfile.read(int(self.headers["Content-Length"]))).hexdigest().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code="-", size="-"):
        print(self.server.server_port, getattr(self.connection, "named", "-"), self.path, flush=True)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that does not complete TLS


class Secure(Server):
    def finish_request(self, request, client_address):
        with context.wrap_socket(request, server_side=True) as tls:
            super().finish_request(tls, client_address)


def remember(tls, name, _):
    tls.named = name


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.sni_callback = remember
handler = functools.partial(Handler, directory=directory)
for address in dict.fromkeys(addresses):
    for server in Secure((address, 443), handler), Server((address, 80), handler):
        threading.Thread(target=server.serve_forever, daemon=True).start()
print("ready", flush=True)
threading.Event().wait()
