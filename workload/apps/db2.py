# SPDX-License-Identifier: Apache-2.0
"""DB2 Server and Client: PostgreSQL on z/VSE's side with psql on Linux's, and then a CICS-style partition with PostgreSQL on Linux's side."""

import hashlib
import os
import subprocess

import product
from apps import postgres
from apps.base import App, Feed, compare, halves, letters, said, step_output
from errors import CellError

ROW = 64  # bytes of a row that letters() gives
QUERY = "select n||chr(32)||md5(n::text)||chr(46) from generate_series(1,%d) n"


class Db2(App):
    key = "db2"
    slide = "DB2/VSE Server and Client"
    stand_in = "PostgreSQL"
    pattern = "server; client with a connection that two tasks share"
    needs = (*postgres.NEEDS, "cc", "setpriv")
    middles = 3

    def run(self, middle):
        self.compiled("requestor", os.path.join(product.PROGRAMS, "requestor.c"), product.compile_c, False)
        database = postgres.Database(self)
        return self.server(database, middle) + self.client(database, middle)

    def server(self, database, middle):
        data = letters(self.size // 4 // ROW * ROW, "db2").encode()
        server = database.start(on_vse=True)
        # Rows come by a pipe with half of them, and go back in an order that the database makes.
        feed = Feed(self, "rows")
        loads = self.program(*database.psql("-c", "drop table if exists twelve; create table twelve (nr serial, line text)",
                                            "-c", r"\copy twelve (line) from rows"))
        feed.write(data[:len(data) // 2 // ROW * ROW], loads)
        middle()
        feed.write(data[len(data) // 2 // ROW * ROW:], loads)
        feed.close()
        self.finished(loads)
        reads = self.program(*database.psql("-c", r"\copy (select line from twelve order by nr) to stdout"), stdout=subprocess.PIPE)
        got = halves(reads, len(data) // 2, middle)
        self.finished(reads)
        self.ended(server)
        return 2 * compare(got, data, "the rows of the server on z/VSE's side")

    def client(self, database, middle):
        server = database.start(on_vse=False)
        rows = self.size // 2 // 40
        words = f'{self.route.address} {postgres.PORT} {QUERY % rows}'
        # Without LFP$CIC=SHARE a task may not use the socket of another one.
        refused = self.job("NOSHARE", ("requestor", words))
        self.finished(refused, 8)
        if "EBADF" not in said(refused.listing):
            raise CellError(f"without LFP$CIC=SHARE the second task has no EBADF: {said(refused.listing)}")
        shared = self.job("SHARE", ("requestor", words), setparm="LFP$CIC=SHARE", stdout=subprocess.PIPE)
        want = "".join(f"{nr} {hashlib.md5(str(nr).encode()).hexdigest()}.\n" for nr in range(1, rows + 1)).encode()
        listing = halves(shared, len(want) // 2, middle)
        self.finished(shared)
        self.ended(server)
        return compare(step_output(listing), want, "the rows of the client on z/VSE's side")
