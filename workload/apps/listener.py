# SPDX-License-Identifier: Apache-2.0
"""The CICS Listener: examples/cobol's listener, which gives each connection to a transaction by GIVESOCKET and TAKESOCKET."""

import os

import product
from apps.base import App, Stream, compare, letters

PORT = 3010
USERS = 3
BLOCK = 4000  # less than a transaction reads at once, so that it can send while the user sends no more


class Listener(App):
    key = "listener"
    slide = "CICS Listener"
    stand_in = "COBOL listener"
    pattern = "3 connections by GIVESOCKET and TAKESOCKET"
    needs = ("cobc",)

    def run(self, middle):
        for name in ("listener", "transaction"):
            self.compiled(name, os.path.join(product.examples("cobol"), f"{name}.cbl"), product.compile_cobol)
        server = self.job("LISTENER", ("listener", f"{PORT} {USERS} STANDARD transaction"))
        self.listens(PORT, server)
        users, done = [], 0
        for nr in range(USERS):
            user = Stream(self.route.address, PORT)
            user.send(f"UPPE,user {nr}".encode())  # without a line feed
            done += compare(user.take(6), f"USER {nr}".encode(), "the answer of a transaction")
            users.append((user, letters(self.size // (2 * USERS), f"listener {nr}").encode()))
        self.finished(server)  # all of its sockets are given; the transactions go on
        for user, data in users:
            done += self.exchange(user, data[:len(data) // 2])
            user.send(data[len(data) // 2:len(data) // 2 + BLOCK])
        middle()
        for user, data in users:
            half = len(data) // 2
            done += compare(user.take(BLOCK), data[half:half + BLOCK].upper(), "the block of the middle")
            done += self.exchange(user, data[half + BLOCK:])
            user.shut()
            compare(user.rest(), b"", "the end")
            user.close()
        self.route.settle()
        return 2 * done

    @staticmethod
    def exchange(user, data):
        done = 0
        for at in range(0, len(data), BLOCK):
            block = data[at:at + BLOCK]
            user.send(block)
            done += compare(user.take(len(block)), block.upper(), "a block")
        return done
