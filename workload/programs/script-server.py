#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A script server, in the place of IBM's VSE Script Server: it runs the scripts of a folder for clients.

  script-server.py PORT FOLDER

A client sends the line "CALL NAME ARGUMENT". NAME.sh of the folder runs with the one argument, and its output comes back while it
runs: pieces of at most 4096 bytes, each behind its length in eight digits. A length of 0 and four digits, the script's exit
code, are the end. A call that is none, or names no script, has the exit code 12."""

import os
import re
import socketserver
import subprocess
import sys

PIECE, NO_SCRIPT = 4096, 12


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        call = re.fullmatch(r"CALL ([A-Za-z0-9]{1,32}) ([ -~]{0,64})\n", self.rfile.readline(200).decode("ascii", "replace"))
        script = os.path.join(sys.argv[2], f"{call[1]}.sh") if call else None
        if not script or not os.path.isfile(script):
            self.end(NO_SCRIPT)
            return
        with subprocess.Popen(["/bin/sh", script, call[2]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as running:
            while piece := os.read(running.stdout.fileno(), PIECE):
                self.wfile.write(b"%08d" % len(piece) + piece)
        self.end(running.returncode if 0 <= running.returncode < 256 else 16)

    def end(self, code):
        self.wfile.write(b"%08d%04d" % (0, code))


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True


with Server(("", int(sys.argv[1])), Handler) as server:
    server.serve_forever()
