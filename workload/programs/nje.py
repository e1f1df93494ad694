#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A node of NJE over TCP, in the place of POWER's PNET. The same program is both sides.

  nje.py NODE PEER PORT DAYS SIZE             listens
  nje.py NODE PEER PORT DAYS SIZE ADDRESS     connects, and says when a day is over

The two sign on, and stay connected for so many days of their own clocks. Each day begins with a file of SIZE bytes from each
node to the other one, which compares it. Then nothing is sent until the next day. The node that connects writes "day N" behind
each day's first half of its file, and behind the whole: "night N"; each time it waits for a line. Behind a night, a day has to
have passed.

Records, as NJE over TCP has them. The first ones have 33 bytes: type OPEN or ACK (or NAK), the node that is asked for, its
address, the node that asks, its address, each name with 8 characters of EBCDIC, and a reason. Then each buffer has a head TTB of
eight bytes with its length. In it are records, each behind a head TTR of four bytes; a TTR of length 0 ends the buffer. What
a file has in its records is ours: there are no headers of jobs, and no compression."""

import random
import socket
import struct
import sys
import time

CONTROL = struct.Struct(">8s8s4s8s4sB")
TTB, TTR = struct.Struct(">BBHI"), struct.Struct(">BBH")
DAY = 24 * 3600
BUFFER, RECORD = 8192, 252
ROOM = (BUFFER - TTR.size) // (RECORD + TTR.size) * RECORD  # of a file, in a buffer


class Lost(Exception):
    """The connection, or what came by it, is not in order."""


def ebcdic(name):
    return name.ljust(8).encode("cp037")


class Node:
    def __init__(self, name, peer, conn):
        self.name, self.peer, self.conn = name, peer, conn

    def read(self, size):
        data = bytearray()
        while len(data) < size:
            more = self.conn.recv(size - len(data))
            if not more:
                raise Lost(f"{self.peer} ends the connection")
            data += more
        return bytes(data)

    def control(self, kind, reason=0):
        self.conn.sendall(CONTROL.pack(ebcdic(kind), ebcdic(self.peer), bytes(4), ebcdic(self.name), bytes(4), reason))

    def take_control(self, wanted):
        kind, asked, _, asking, _, reason = CONTROL.unpack(self.read(CONTROL.size))
        if (kind, asked, asking, reason) != (ebcdic(wanted), ebcdic(self.name), ebcdic(self.peer), 0):
            if wanted == "OPEN":
                self.control("NAK", 1)
            raise Lost(f"no {wanted} of {self.peer} for {self.name}")

    def send(self, part):
        records = [part[at:at + RECORD] for at in range(0, len(part), RECORD)]
        body = b"".join(TTR.pack(0, 0, len(record)) + record for record in records) + TTR.pack(0, 0, 0)
        self.conn.sendall(TTB.pack(0, 0, TTB.size + len(body), 0) + body)

    def take(self):
        """Returns the bytes of the next buffer's records."""
        zero, flags, length, _ = TTB.unpack(self.read(TTB.size))
        if zero or flags or not TTB.size + TTR.size <= length <= TTB.size + BUFFER:
            raise Lost(f"a TTB of {length} bytes")
        body, data, at = self.read(length - TTB.size), bytearray(), 0
        while at + TTR.size <= len(body):
            size = TTR.unpack_from(body, at)[2]
            at += TTR.size
            if not size and at == len(body):
                return bytes(data)
            if not size or at + size > len(body):
                break
            data += body[at:at + size]
            at += size
        raise Lost("the records do not fit into their buffer")

    def exchange(self, day, size, half):
        """Sends a file and takes one, in turns of a buffer. Calls half() in the middle."""
        mine, theirs = (random.Random(f"{name} {day}").randbytes(size) for name in (self.name, self.peer))
        middle = size // ROOM // 2 * ROOM
        for at in range(0, size, ROOM):
            self.send(mine[at:at + ROOM])
            if at == middle:
                half()
            if self.take() != theirs[at:at + ROOM]:
                raise Lost(f"the file of {self.peer} on day {day} has other bytes behind byte {at}")


def gate(text):
    print(text, flush=True)
    sys.stdin.readline()


def main():
    name, peer, port, days, size, *address = sys.argv[1:]
    if address:
        node = Node(name, peer, socket.create_connection((address[0], int(port)), 60))
        node.control("OPEN")
        node.take_control("ACK")
    else:
        with socket.create_server(("", int(port))) as listener:
            node = Node(name, peer, listener.accept()[0])
        node.take_control("OPEN")
        node.control("ACK")
    node.conn.settimeout(None)
    begin = time.time()
    for day in range(1, int(days) + 1):
        node.exchange(day, int(size), lambda: address and gate(f"day {day}"))
        if address:
            gate(f"night {day}")
            if time.time() < begin + day * DAY:
                raise Lost(f"only {time.time() - begin:.0f} seconds have passed on day {day}")
    print(f"{2 * int(days) * int(size)} BYTES EQUAL, {(time.time() - begin) / DAY:.1f} DAYS")


if __name__ == "__main__":
    try:
        main()
    except (OSError, Lost) as wrong:
        sys.exit(f"{sys.argv[1]}: {wrong}")
