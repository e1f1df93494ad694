# SPDX-License-Identifier: Apache-2.0
"""VSE Connector Server: a Java server with a thread for each user, on z/VSE's side. Users on Linux's side store members and read them."""

import os
import struct

import product
from apps.base import App, Stream, compare, noise

PORT = 2893
USERS = 4


class Connector(App):
    key = "connector"
    slide = "VSE Connector Server"
    stand_in = "Java server"
    pattern = "server, a thread for each of 4 users"
    needs = ("java", "javac")

    def run(self, middle):
        classes = os.path.join(self.runner.programs, "Connector.class")
        if not os.path.exists(classes):
            product.compiled([product.program("javac"), "-d", self.runner.programs, os.path.join(product.PROGRAMS, "Connector.java")])
        server = self.job("CONNECT", ("java", f"-cp {self.runner.programs} Connector {PORT}"))
        self.listens(PORT, server)
        size = self.size // USERS
        users = [(Stream(self.route.address, PORT), noise(size, f"connector {nr}")) for nr in range(USERS)]
        for nr, (user, data) in enumerate(users):
            user.send(b"P" + struct.pack(">HI", nr, len(data)) + data[:size // 2])
        middle()
        for user, data in users:
            user.send(data[size // 2:])
        done = 0
        for nr, (user, data) in enumerate(users):
            compare(user.take(4), struct.pack(">I", len(data)), f"the answer to member {nr}")
        # Each reads the member of the next one.
        for nr, (user, _) in enumerate(users):
            other = (nr + 1) % USERS
            user.send(b"G" + struct.pack(">H", other))
            (length,) = struct.unpack(">I", user.take(4))
            done += compare(user.take(length), users[other][1], f"member {other}")
            user.close()
        self.ended(server)
        return 2 * done
