# SPDX-License-Identifier: Apache-2.0
"""The VSE Script Client: a COBOL program on z/VSE's side calls scripts of a server on Linux's side."""

import os

import product
from apps.base import App, Feed, compare, letters

PORT = 4711


class Script(App):
    key = "script"
    slide = "VSE Script Client"
    stand_in = "COBOL client"
    pattern = "client: calls scripts, and has their output"
    needs = ("cobc",)

    def run(self, middle):
        self.compiled("script-client", os.path.join(product.PROGRAMS, "script-client.cbl"), product.compile_cobol)
        data = letters(self.size, "script").encode()
        self.write("files.sh", 'cat "$1"; exit 3\n')
        server = self.program(*self.python("script-server.py"), str(PORT), self.folder)
        self.listens(PORT, server)
        # The script's output is what this pipe has.
        feed = Feed(self, "output")
        called = self.job("SCRIPT", ("script-client", f"{self.route.address} {PORT} files output"))
        feed.write(data[:len(data) // 2], called)
        middle()
        feed.write(data[len(data) // 2:], called)
        feed.close()
        self.finished(called, 3)  # the script's exit code
        done = compare(self.output(called), data, "the script's output")
        self.finished(self.job("NOSCRIPT", ("script-client", f"{self.route.address} {PORT} none x")), 12)
        self.ended(server)
        return done
