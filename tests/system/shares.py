#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shares.py - the programs of test-shares.sh, natively or on LFP, by one word each"""
import socket
import struct
import sys
import threading
import time

PING, PARK = 1, 20  # of lfp/ctl.h


def serve(port):
    """Answer every connection with a byte and keep it; give up one for each line of standard input."""
    kept = []
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=1024)
    print("listening", flush=True)

    def give_up():
        for _ in sys.stdin:
            kept.pop(0).close()

    threading.Thread(target=give_up, daemon=True).start()
    while True:
        conn = listener.accept()[0]
        conn.sendall(b"+")
        kept.append(conn)


def flood(port, number):
    """Natively: make so many connections, and count those that are answered."""
    conns = [socket.create_connection(("127.0.0.1", int(port)), timeout=60) for _ in range(int(number))]
    print("connected", flush=True)
    for answered, conn in enumerate(conns, 1):
        conn.settimeout(None)
        conn.recv(1)
        print("answered", answered, flush=True)
    sys.stdin.read()


def ask(port, number):
    """Natively: so many connections one after the other, each answered; how long the longest took, in ms."""
    longest = 0.0
    for _ in range(int(number)):
        start = time.monotonic()
        with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as conn:
            assert conn.recv(1) == b"+"
        longest = max(longest, time.monotonic() - start)
    print(int(longest * 1000), flush=True)


def name_server():
    """Take questions and never answer; say how many have come."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("127.0.0.1", 53))
    asked = set()
    print("here", flush=True)
    while True:
        asked.add(sock.recv(600)[12:])
        print("asked", len(asked), flush=True)


def look_up(prefix, number):
    """Look so many names up at once."""
    def one(nr):
        try:
            socket.getaddrinfo(f"{prefix}{nr}.slow.example.", 80, socket.AF_INET, socket.SOCK_STREAM)
        except OSError as e:
            print("failed", e.errno, flush=True)

    threads = [threading.Thread(target=one, args=(i,), daemon=True) for i in range(int(number))]
    for thread in threads:
        thread.start()
    print("looking", flush=True)
    sys.stdin.read()


def loopback():
    """Look up an address, which needs no name server; ms that it took."""
    start = time.monotonic()
    socket.getaddrinfo("127.0.0.1", 80, socket.AF_INET, socket.SOCK_STREAM)
    print(int((time.monotonic() - start) * 1000), flush=True)


def request(op):
    return struct.pack("=IHHiiiIiiQ", 0x4C465031, op, 0, 0, 0, 0, 0, 0, 0, 0)


def ping(path):
    """Natively: the instance has seen all earlier connections when it answers this one."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as conn:
        conn.connect(path)
        conn.send(request(PING))
        conn.recv(100)


def connections(path, kind, number):
    """Natively: so many connections to the LFP instance, silent or parked; at the end of standard input, how many are left."""
    conns = []
    for _ in range(int(number)):
        conn = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        conn.connect(path)
        if kind == "parked":
            conn.send(request(PARK))
        conns.append(conn)
    print("made", flush=True)
    sys.stdin.read()
    left = 0
    for conn in conns:
        conn.setblocking(False)
        try:
            conn.recv(1)
        except BlockingIOError:
            left += 1
        except OSError:
            pass
    print("left", left, flush=True)


{"serve": serve, "flood": flood, "ask": ask, "name-server": name_server, "look-up": look_up, "loopback": loopback,
 "ping": ping, "connections": connections}[sys.argv[1]](*sys.argv[2:])
