#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""endless.py HOST PORT FILE: an HTTP server whose only file never ends. It begins when FILE exists."""
import http.server
import os
import sys
import time


class Endless(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        while not os.path.exists(sys.argv[3]):
            time.sleep(0.02)
        try:
            while True:
                self.wfile.write(bytes(65536))
        except OSError:
            pass


http.server.ThreadingHTTPServer.request_queue_size = 128
http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Endless).serve_forever()
