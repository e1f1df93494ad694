# SPDX-License-Identifier: Apache-2.0
"""VSE Web Services: a SOAP server on z/VSE's side with zeep as its client, and then zeep on z/VSE's side with a server on Linux's."""

import importlib.util

import product
from apps.base import App, said
from errors import CellError

PORT = 8081
CALLS = 6


class Soap(App):
    key = "soap"
    slide = "VSE Web Services (SOAP), client and server"
    stand_in = "zeep"
    pattern = "server, then client, of SOAP calls by HTTP"
    middles = 2

    def lacks(self):
        super().lacks()
        if not importlib.util.find_spec("zeep"):
            raise product.missing("zeep")

    def run(self, middle):
        size = self.size // (4 * CALLS)
        url = f"http://{self.route.address}:{PORT}/"
        half = CALLS // 2 + 1
        # z/VSE's side has the server. The client waits between two calls.
        server = self.job("SOAPSRV", self.python("soap-server.py", PORT))
        self.listens(PORT, server)
        client = self.gated(*self.python("soap-client.py"), url, str(CALLS), str(size), str(half))
        self.pass_gate(client, middle)
        self.finished(client)
        done = self.bytes_of(client, size)
        self.ended(server)
        # z/VSE's side has the client. The server holds the answer to a call.
        server = self.gated(*self.python("soap-server.py"), str(PORT), str(half))
        self.listens(PORT, server)
        client = self.job("SOAPCLI", self.python("soap-client.py", url, CALLS, size))
        self.pass_gate(server, middle)
        self.finished(client)
        self.ended(server)
        return done + self.bytes_of(client, size)

    @staticmethod
    def bytes_of(client, size):
        want = 2 * CALLS * size
        if said(client.listing) != f"{want} BYTES EQUAL":
            raise CellError(f"the client says: {said(client.listing)}")
        return want
