#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A server of tapes, in the place of IBM's Virtual Tape Server: each tape is an AWS file of a folder. tape.c has the protocol.

  tape-server.py PORT FOLDER BLOCK

At that block, first as it comes and then as it is read, it writes a line, and goes on when it has read one. It serves one
connection, and ends.

A block of an AWS file has a head of six bytes: its length and that of the block before it (little-endian), X'A0' for a whole
block or X'40' for a tape mark, and 0."""

import os
import re
import socket
import struct
import sys

HEAD, AWS = struct.Struct(">cI"), struct.Struct("<HHBB")
BLOCK, MARK = 0xA0, 0x40


class Tape:
    def __init__(self, path):
        self.file, self.before = open(path, "w+b"), 0

    def write(self, data, kind):
        self.file.write(AWS.pack(len(data), self.before, kind, 0) + data)
        self.before = len(data)

    def rewind(self):
        self.file.flush()
        self.file.seek(0)

    def next(self):
        """Returns the kind of the next block, and its bytes."""
        length, _, kind, _ = AWS.unpack(self.file.read(AWS.size))
        return kind, self.file.read(length)


def exactly(conn, size):
    data = bytearray()
    while len(data) < size:
        more = conn.recv(size - len(data))
        if not more:
            sys.exit("tape-server: the connection ends within a request")
        data += more
    return bytes(data)


def gate(word):
    print(word, flush=True)
    sys.stdin.readline()


def serve(conn, folder, middle):
    tape, written, read = None, 0, 0
    while True:
        verb, length = HEAD.unpack(exactly(conn, HEAD.size))
        if length > 65535:
            sys.exit(f"tape-server: a block of {length} bytes")
        data = exactly(conn, length)
        if verb == b"M" and re.fullmatch(rb"[A-Z0-9]{1,6}", data):
            tape = Tape(os.path.join(folder, data.decode() + ".aws"))
        elif tape is None:
            sys.exit("tape-server: no tape is mounted")
        elif verb == b"W":
            written += 1
            if written == middle:
                gate("written")
            tape.write(data, BLOCK)
        elif verb == b"T":
            tape.write(b"", MARK)
        elif verb == b"R":
            tape.rewind()
            conn.sendall(HEAD.pack(b"R", 0))
        elif verb == b"N":
            read += 1
            if read == middle:
                gate("read")
            kind, data = tape.next()
            conn.sendall(HEAD.pack(b"B" if kind == BLOCK else b"T", len(data)) + data)
        elif verb == b"U":
            tape.file.close()
            conn.sendall(HEAD.pack(b"U", 0))
            return
        else:
            sys.exit(f"tape-server: an unknown request {verb!r}")


def main():
    with socket.create_server(("", int(sys.argv[1]))) as listener:
        conn, _ = listener.accept()
    with conn:
        serve(conn, sys.argv[2], int(sys.argv[3]))


main()
