#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""policy.py - what programs of test-policy.sh do, natively or on LFP; one word says what"""
import errno
import socket
import struct
import sys

GROUP, PORT = "239.1.2.3", 4711


def serve(name, port, where="0.0.0.0"):
    """Send the own name to each client, until a client sends "end"."""
    stream = socket.create_server((where, int(port)), family=socket.AF_INET6 if ":" in where else socket.AF_INET)
    udp = socket.socket(stream.family, socket.SOCK_DGRAM)
    udp.bind((where, int(port)))
    print("at", stream.getsockname()[0], udp.getsockname()[0], flush=True)
    while True:
        conn, peer = stream.accept()
        with conn:
            said = conn.recv(100).decode()
            conn.sendall(f"{name} sees {peer[0]} at {conn.getsockname()[0]} saying {said}".encode())
            if said == "end":
                break
        said, peer = udp.recvfrom(100)
        udp.sendto(f"{name} sees {peer[0]} saying {said.decode()}".encode(), peer)
    print("ended", flush=True)


def ask(word, *peers):
    """Ask servers ADDRESS/PORT, by TCP and then by UDP."""
    for peer in peers:
        host, port = peer.rsplit("/", 1)
        with socket.create_connection((host, int(port)), timeout=60) as conn:
            conn.sendall(word.encode())
            print(conn.recv(200).decode(), flush=True)
        if word == "end":
            continue
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.settimeout(60)
            udp.sendto(word.encode(), (host, int(port)))
            answer, sender = udp.recvfrom(200)
            print(answer.decode(), "from", sender[0], flush=True)


def many(host, port, number):
    """So many connections at once, half of them to the next port: do ports of one side suffice for both?"""
    conns = []
    for i in range(int(number)):
        try:
            conns.append(socket.create_connection((host, int(port) + i % 2), timeout=60))
        except OSError as e:
            print("only", i, errno.errorcode[e.errno])
            return
    sources = {c.getsockname()[0] for c in conns}
    print(number, "connections from", " ".join(sorted(sources)))


def sink(host, port):
    """A server natively, on two ports, that takes all."""
    import selectors
    sel = selectors.DefaultSelector()
    for i in range(2):
        sel.register(socket.create_server((host, int(port) + i), backlog=100), selectors.EVENT_READ)
    print("ready", flush=True)
    conns = []
    while True:
        for key, _ in sel.select():
            conns.append(key.fileobj.accept())


def group():
    """Join, be bound to the group, and send to it: what comes back, from where?"""
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.settimeout(60)
    udp.bind((GROUP, PORT))
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                   struct.pack("4s4s", socket.inet_aton(GROUP), socket.inet_aton("0.0.0.0")))
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.0.0.1"))
    udp.sendto(b"to the group", (GROUP, PORT))
    data, sender = udp.recvfrom(100)
    print(data.decode(), "from", sender[0])
    for what, level, name, value in (
            ("MULTICAST_IF", socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1")),
            ("ADD_MEMBERSHIP", socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
             socket.inet_aton("239.9.9.9") + socket.inet_aton("10.0.0.2")),
            ("ADD_SOURCE_MEMBERSHIP", socket.IPPROTO_IP, 39,
             socket.inet_aton("239.9.9.9") + socket.inet_aton("10.0.0.2") + socket.inet_aton("192.0.2.1"))):
        try:
            udp.setsockopt(level, name, value)
            print(what, "taken")
        except OSError as e:
            print(what, errno.errorcode[e.errno])


def hold(number, kind="tcp"):
    """Open sockets until so many are there or one is refused; keep them until standard input ends."""
    socks = []
    for _ in range(int(number)):
        try:
            socks.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM))
        except OSError as e:
            print(len(socks), "sockets, then", errno.errorcode[e.errno], flush=True)
            break
    else:
        print(len(socks), "sockets", flush=True)
    sys.stdin.read()


def stall(host, port):
    """Send to a server that does not read, until nothing more is taken; end when standard input does."""
    import select
    conn = socket.create_connection((host, int(port)), timeout=60)
    conn.setblocking(False)
    sent = 0
    while select.select([], [conn], [], 0.5)[1]:
        try:
            sent += conn.send(b"x" * 65536)
        except BlockingIOError:
            pass
    print("stalled", flush=True)
    sys.stdin.read()


def source(host, port):
    """A connection from where? Then one for each line of standard input."""
    old = socket.create_connection((host, int(port)), timeout=60)
    print("old", old.getsockname()[0], flush=True)
    for _ in sys.stdin:
        conn = socket.create_connection((host, int(port)), timeout=60)
        print("new", conn.getsockname()[0], flush=True)
        conn.close()
    old.sendall(b"still there")
    print("old", old.getsockname()[0], "works", flush=True)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
