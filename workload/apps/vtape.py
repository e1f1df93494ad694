# SPDX-License-Identifier: Apache-2.0
"""VTAPE: a program on z/VSE's side writes a tape and reads it; a server on Linux's side has it as an AWS file."""

import os
import struct

import product
import stream
from apps.base import App, compare, said
from errors import CellError

PORT = 2285
BLOCK = 32760
TAPE = "BACKUP"
HEAD = struct.Struct("<HHBB")


class Vtape(App):
    key = "vtape"
    slide = "VSE VTAPE"
    stand_in = "tape server"
    pattern = "client: bulk data out, and back"
    needs = ("cc",)
    middles = 2

    def run(self, middle):
        self.compiled("tape", os.path.join(product.PROGRAMS, "tape.c"), product.compile_c, False)
        size = self.size // 2
        half = size // BLOCK // 2 + 1
        server = self.gated(*self.python("tape-server.py"), str(PORT), self.folder, str(half))
        self.listens(PORT, server)
        job = self.job("VTAPE", ("tape", f"{self.route.address} {PORT} {TAPE} {size}"))
        self.pass_gate(server, middle, "written")
        self.pass_gate(server, middle, "read")
        self.finished(job)
        self.finished(server)
        if said(job.listing) != f"{size} BYTES EQUAL":
            raise CellError(f"the job says: {said(job.listing)}")
        with open(self.path(f"{TAPE}.aws"), "rb") as file:
            return size + compare(blocks(file.read()), stream.pattern(size), "the AWS file")


def blocks(data):
    """Returns the bytes of an AWS file with one tape mark at its end. Each head has to fit."""
    found, at, before = bytearray(), 0, 0
    while at < len(data):
        length, previous, kind, zero = HEAD.unpack_from(data, at)
        at += HEAD.size
        last = at + length == len(data)
        if (previous, zero, kind) != (before, 0, 0x40 if last else 0xA0) or at + length > len(data):
            raise CellError(f"the AWS file has a wrong head before byte {at}")
        found += data[at:at + length]
        at, before = at + length, length
    return bytes(found)
