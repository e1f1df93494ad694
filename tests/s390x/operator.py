#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A controller of the appliance on the switch's LAN (tests/s390x/switch.py): operator.py OWN LAN USER DEST COMMAND...

It speaks AF_IUCV over HiperSockets by itself, in datagrams that are frames: transport/hs-frame.h. Prints the answer, and ends
with its exit code; 69: the appliance has refused, or has not answered for OPERATOR_SECONDS."""

import os
import socket
import struct
import sys

LINK, HEAD = 14, 118
ACK, SYN, FIN, WIN = 1, 2, 4, 8
WINDOW = 64  # messages


def name(text):
    return text.ljust(8).encode("cp037")


class Connection:
    def __init__(self, own, lan, user, dest):
        self.lan, self.tag, self.taken = lan, 0, 0
        self.user, self.app = name(user), name("OP%06X" % (os.getpid() & 0xFFFFFF))
        self.dest, self.dest_app = name(dest), name("LFPVIA")
        if os.path.exists(own):
            os.unlink(own)
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.sock.bind(own)
        self.sock.settimeout(int(os.environ.get("OPERATOR_SECONDS", 120)))

    def send(self, flags, window=0, message=b""):
        head = bytearray(HEAD)
        head[0:6], head[6:12] = b"\xff" * 6, b"\x02\0\0\0\0\x07"
        struct.pack_into(">HHBBH", head, 12, 0xFBFB, 0xFBFB, 1, flags, window)
        head[LINK + 14:LINK + 30] = self.dest + self.dest_app
        head[LINK + 46:LINK + 62] = self.user + self.app
        if not flags:
            self.tag += 1
            struct.pack_into(">I", head, LINK + 82, self.tag)
        self.sock.sendto(head + message, self.lan)

    def receive(self):
        while True:
            frame = self.sock.recv(1 << 17)
            if len(frame) >= HEAD and frame[LINK + 22:LINK + 30] == self.app:
                return frame[LINK + 3], frame[HEAD:]

    def open(self):
        self.send(SYN, WINDOW)
        flags, _ = self.receive()
        return flags == SYN | ACK

    def message(self):
        """The next message, or None at the end."""
        while True:
            flags, message = self.receive()
            if flags == FIN:
                return None
            if not flags or message:
                self.taken += 1
                if self.taken >= WINDOW // 2:
                    self.send(WIN, self.taken)
                    self.taken = 0
                return message.decode()


def main():
    own, lan, user, dest = sys.argv[1:5]
    connection = Connection(own, lan, user, dest)
    if not connection.open():
        return 69
    connection.send(0, message=" ".join(sys.argv[5:]).encode())
    number, line = 0, ""
    while (piece := connection.message()) is not None:
        sign, text = piece[0], piece[5:]
        if int(piece[1:5], 16) != number:
            sys.exit(f"piece {piece[1:5]}, and not {number:04x}")
        number += 1
        if sign == ".":
            connection.send(FIN)
            return int(text)
        line += text
        if sign == "-":
            print(line)
            line = ""
    return 69


try:
    sys.exit(main())
except TimeoutError:
    print("no answer", file=sys.stderr)
    sys.exit(69)
