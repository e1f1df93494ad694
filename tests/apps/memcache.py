#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""memcache.py tcp|udp HOST PORT ITEMS - set so many items and get them back, by memcached's text
protocol; exit 1 if anything differs"""
import random
import socket
import struct
import sys

kind, host, port, items = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
family = socket.AF_INET6 if ":" in host else socket.AF_INET


class Tcp:
    def __init__(self):
        self.file = socket.create_connection((host, port), 60).makefile("rwb")

    def ask(self, request, end):
        self.file.write(request)
        self.file.flush()
        answer = b""
        while not answer.endswith(end):
            line = self.file.readline()
            if not line:
                raise EOFError
            answer += line
        return answer


class Udp:
    """Each datagram: id of the request, number of the datagram, how many, 0; all of 2 bytes"""

    def __init__(self):
        self.sock = socket.socket(family, socket.SOCK_DGRAM)
        self.sock.settimeout(60)
        self.sock.connect((host, port))
        self.id = 0

    def ask(self, request, end):
        self.id = (self.id + 1) % 65536
        self.sock.send(struct.pack(">HHHH", self.id, 0, 1, 0) + request)
        answer = b""
        while not answer.endswith(end):
            data = self.sock.recv(2000)
            if struct.unpack(">HHHH", data[:8])[0] != self.id:
                raise ValueError("an answer to something else")
            answer += data[8:]
        return answer


memcached = {"tcp": Tcp, "udp": Udp}[kind]()
good = 0
for number in range(items):
    # what is asked by UDP has to fit one datagram; the answer may take several
    data = random.Random(number).randbytes(number * 13 % (1200 if kind == "udp" else 100000)).hex().encode()[:1300]
    name = b"%s%d" % (kind.encode(), number)
    stored = memcached.ask(b"set %s 0 0 %d\r\n%s\r\n" % (name, len(data), data), b"STORED\r\n")
    back = memcached.ask(b"get %s\r\n" % name, b"END\r\n")
    good += stored == b"STORED\r\n" and back == b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (name, len(data), data)
if kind == "udp":
    names = b" ".join(b"udp%d" % number for number in range(min(items, 20)))
    back = memcached.ask(b"get " + names + b"\r\n", b"END\r\n")
    good -= back.count(b"VALUE ") != min(items, 20)
print(f"{good} of {items} good")
sys.exit(good != items)
