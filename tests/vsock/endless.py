#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""endless.py HOST PORT: an HTTP server whose only file never ends"""
import http.server
import sys


class Endless(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(bytes(65536))
        except OSError:
            pass


http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Endless).serve_forever()
