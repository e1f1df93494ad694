#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make socket calls, one a line of standard input, and print the result of each: OK, or the name of the error.

test-rules-table.sh runs it on LFP. The methods of Acts are the calls; their arguments follow, separated by blanks.
"""
import ctypes
import errno
import os
import socket
import struct
import sys

NONAME = {socket.EAI_NONAME: "NONAME", socket.EAI_FAIL: "FAIL", socket.EAI_AGAIN: "AGAIN"}
FAST_OPEN = 0x20000000


def new(addr, kind=socket.SOCK_STREAM):
    s = socket.socket(socket.AF_INET6 if ":" in addr else socket.AF_INET, kind)
    s.settimeout(20)
    return s


def place(addr, port):
    """The address of a socket; a zone id is a number here."""
    addr, _, zone = addr.partition("%")
    return (addr, int(port), 0, int(zone or 0)) if ":" in addr else (addr, int(port))


def disconnect(s):
    sockaddr = struct.pack("@H14x", socket.AF_UNSPEC)
    if ctypes.CDLL(None, use_errno=True).connect(s.fileno(), sockaddr, len(sockaddr)):
        raise OSError(ctypes.get_errno(), "connect")


def in_child(call):
    """The result of a call in a child."""
    ends = os.pipe()
    if os.fork() == 0:
        os.write(ends[1], result(call).encode())
        os._exit(0)
    os.wait()
    os.close(ends[1])
    with os.fdopen(ends[0]) as text:
        return text.read()


class Acts:
    def tcp(self, addr, port):
        with new(addr) as s:
            s.connect(place(addr, port))

    def udp(self, addr, port):
        with new(addr, socket.SOCK_DGRAM) as s:
            s.sendto(b"x", place(addr, port))

    def connected(self, addr, port):
        """A datagram to the peer of a socket."""
        with new(addr, socket.SOCK_DGRAM) as s:
            s.connect(place(addr, port))
            s.send(b"x")

    def elsewhere(self, first, port, addr):
        """A datagram of a connected socket to another peer."""
        with new(addr, socket.SOCK_DGRAM) as s:
            s.connect(place(first, port))
            s.sendto(b"x", place(addr, port))

    def message(self, addr, port):
        with new(addr, socket.SOCK_DGRAM) as s:
            s.sendmsg([b"x"], [], 0, place(addr, port))

    def messages(self, first, port, addr):
        """sendmmsg() of two datagrams, the second one to another address. An error is that of the second one."""
        class Vector(ctypes.Structure):
            _fields_ = [("base", ctypes.c_char_p), ("len", ctypes.c_size_t)]

        class Message(ctypes.Structure):
            _fields_ = [("name", ctypes.c_char_p), ("namelen", ctypes.c_uint), ("vector", ctypes.POINTER(Vector)),
                        ("vectors", ctypes.c_size_t), ("control", ctypes.c_void_p), ("controllen", ctypes.c_size_t),
                        ("flags", ctypes.c_int), ("padding", ctypes.c_int), ("len", ctypes.c_uint)]
        vector, messages, libc = Vector(b"x", 1), (Message * 2)(), ctypes.CDLL(None, use_errno=True)
        names = [struct.pack("!2s H 4s 8x", struct.pack("@H", socket.AF_INET), int(port), socket.inet_aton(a)) for a in (first, addr)]
        for message, name in zip(messages, names):
            message.name, message.namelen, message.vector, message.vectors = name, 16, ctypes.pointer(vector), 1
        with new(addr, socket.SOCK_DGRAM) as s:
            sent = libc.sendmmsg(s.fileno(), messages, 2, 0)
            if sent == 2:
                return
            sent = libc.sendmmsg(s.fileno(), ctypes.byref(messages, ctypes.sizeof(Message)), 1, 0) if sent == 1 else -1
            raise OSError(ctypes.get_errno(), "sendmmsg")

    def again(self, addr, port):
        """A second attempt after a failed one."""
        with new(addr) as s:
            try:
                s.connect(place(addr, port))
            except OSError:
                pass
            s.setblocking(True)
            s.connect(place(addr, port))

    def moved(self, first, port, addr):
        """Another peer after AF_UNSPEC."""
        with new(addr) as s:
            s.connect(place(first, port))
            disconnect(s)
            s.connect(place(addr, port))

    def moved_udp(self, first, port, addr):
        with new(addr, socket.SOCK_DGRAM) as s:
            s.connect(place(first, port))
            disconnect(s)
            s.connect(place(addr, port))

    def fast_open(self, addr, port):
        with new(addr) as s:
            s.setblocking(True)
            s.sendto(b"x", FAST_OPEN, place(addr, port))

    def fork(self, addr, port):
        return in_child(lambda: self.tcp(addr, port))

    def exec(self, addr, port):
        """Another program with the socket."""
        with new(addr) as s:
            os.set_inheritable(s.fileno(), True)
            ends = os.pipe()
            if os.fork() == 0:
                os.dup2(ends[1], 1)
                text = f"adopt {s.fileno()} {addr} {port}\n"
                fd = os.memfd_create("acts")
                os.write(fd, text.encode())
                os.lseek(fd, 0, 0)
                os.dup2(fd, 0)
                os.execv(sys.executable, [sys.executable, os.path.abspath(__file__)])
            os.wait()
            os.close(ends[1])
            with os.fdopen(ends[0]) as text:
                return text.read().strip()

    def adopt(self, fd, addr, port):
        with socket.socket(fileno=int(fd)) as s:
            s.setblocking(True)
            s.connect(place(addr, port))

    def passed(self, addr, port):
        """A socket that another task has made and passed."""
        ends = socket.socketpair()
        if os.fork() == 0:
            with new(addr) as s:
                socket.send_fds(ends[1], [b"x"], [s.fileno()])
            os._exit(0)
        fd = socket.recv_fds(ends[0], 1, 1)[1][0]
        os.wait()
        with socket.socket(fileno=fd) as s:
            s.setblocking(True)
            s.connect(place(addr, port))

    def bound(self, source, addr, port):
        with new(addr) as s:
            s.bind(place(source, 0))
            s.connect(place(addr, port))

    def listen(self, addr, port):
        with new(addr) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(place(addr, port))
            s.listen()

    def listen6(self, addr, port):
        """Of IPv6 alone."""
        with new(addr) as s:
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            s.bind(place(addr, port))
            s.listen()

    def unbound(self):
        with new("0.0.0.0") as s:
            s.listen()

    def bind(self, addr, port):
        with new(addr, socket.SOCK_DGRAM) as s:
            s.bind(place(addr, port))

    def lookup(self, name):
        socket.getaddrinfo(name, 443)

    def by_name(self, name):
        socket.gethostbyname(name)


def result(call):
    try:
        return call() or "OK"
    except socket.gaierror as e:
        return NONAME.get(e.errno, str(e.errno))
    except socket.herror as e:
        return "NONAME"
    except OSError as e:
        return errno.errorcode.get(e.errno, str(e))


for line in sys.stdin:
    words = line.split()
    print(result(lambda: getattr(Acts(), words[0])(*words[1:])), flush=True)
