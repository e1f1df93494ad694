#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""httpd.py PORT DIR - a web server: GET a file of DIR, PUT or POST anything and get its MD5 sum"""
import functools
import hashlib
import http.server
import socket
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        left = int(self.headers["Content-Length"])
        md5 = hashlib.md5()
        while left:
            data = self.rfile.read(min(left, 1 << 18))
            if not data:
                break
            md5.update(data)
            left -= len(data)
        answer = md5.hexdigest().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_PUT

    def handle_expect_100(self):
        self.send_response_only(100)
        self.end_headers()
        return True

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    request_queue_size = 128

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


Server(("::", int(sys.argv[1])),
       functools.partial(Handler, directory=sys.argv[2])).serve_forever()
