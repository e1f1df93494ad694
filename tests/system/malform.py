#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Send invalid frames and packets, for some seconds.

malform.py lfpd PATH SECONDS SEED       as an LFP instance, to lfpd's path socket; vsock:PORT for the host's AF_VSOCK
malform.py instance PATH SECONDS SEED   as an lfpd at PATH, to the instances that connect; starts when PATH.go exists
malform.py ctl PATH SECONDS SEED        as programs, to an instance's control socket
malform.py lines PATH SECONDS SEED      as a command, to an admin or operator socket

The layouts are those of lfp/frame.h, lfp/messages.h and lfp/ctl.h. Prints its counts. Fails only
if the listener is gone.
"""
import os
import random
import select
import socket
import struct
import sys
import time

MTU = 8192
SOCKETS = range(1, 12)
HELLO, BYE, TASK_BEGIN, TASK_END = 1, 2, 3, 4
SOCKET, BIND, CONNECT, CONNECTED, LISTEN, ACCEPT, ACCEPTED, SHUTDOWN, CLOSE, RESET = range(0x10, 0x1a)
GETSOCKNAME, GETPEERNAME, GETSOCKOPT, SETSOCKOPT, DATA, WINDOW = range(0x1a, 0x20)
GETADDRINFO, GETNAMEINFO, GETHOSTBYNAME, GETHOSTBYADDR, GETHOSTNAME, GETHOSTID, GETIFADDRS = range(0x20, 0x27)
TOP = 1 << 63

rnd = random.Random(int(sys.argv[4]))

class Made:
    """What a path, as an instance, has made so far."""
    last = 0  # the highest socket id
    sockets = []  # those that there should be now



def name8(text):
    return text.ljust(8).encode()


def text(value):
    return struct.pack(">H", len(value)) + value


def addr(port=None):
    if rnd.random() < 0.1:
        return rnd.randbytes(28)
    family, ip = rnd.choice(((2, bytes((127, 0, 0, 1)) + bytes(12)), (2, bytes(16)), (19, bytes(15) + b"\1"),
                             (19, bytes(16)), (0, bytes(16)), (2, bytes((192, 0, 2, 1)) + bytes(12))))
    return struct.pack(">HHI16sI", family, rnd.choice((0, 7000, 7001, 9)) if port is None else port, 0, ip, 0)


def frame(code, body=b"", flags=0, status=0, request=0, task=0, sock=0):
    return struct.pack(">IBBHIIQ", 24 + len(body), code, flags, status, request, task, sock) + body


class Stream:
    """One direction of a path: numbers of packets, and what an lfpd knows of the sockets."""

    def __init__(self):
        self.sequence = self.taken = 0
        self.connected = []
        self.listening = []
        self.sent = {}  # bytes sent to each

    def packet(self, frames, data=None):
        self.sequence += 1
        body = b"".join(frames)
        if data is None:
            data = any(f[4] == DATA for f in frames)
        return struct.pack(">HBBIII", 0x4C46, 1, int(data), 16 + len(body), self.sequence & 0xffffffff,
                           self.taken & 0xffffffff) + body


def some_u64():
    return rnd.choice((0, 1, 100, 65535, 65536, 1 << 20, 1 << 32, 1 << 63, (1 << 64) - 1, rnd.getrandbits(64)))


def some_sock(top=False):
    sock = rnd.choice(SOCKETS) if rnd.random() < 0.9 else some_u64()
    if rnd.random() < 0.05:  # an epoch that it need not have
        sock |= rnd.choice((1, 2, 0x3fff, 0x4000, 0x7fff)) << 48
    return sock | TOP if top or rnd.random() < 0.1 else sock


def name_query(code):
    host = rnd.choice((b"\x93\x96\x83\x81\x93\x88\x96\xa2\xa3", b"", b"\xf1\xf2\xf7\x4b\xf0\x4b\xf0\x4b\xf1", rnd.randbytes(20)))
    if code == GETADDRINFO:
        return struct.pack(">IHHHB", rnd.choice((0, 1, 2, 4, rnd.getrandbits(32))), rnd.choice((0, 2, 19, 99)),
                           rnd.choice((0, 1, 2)), 0, rnd.randrange(4)) + text(host) + text(rnd.choice((b"", b"\xf8\xf0")))
    if code == GETNAMEINFO:
        return addr() + struct.pack(">I", rnd.choice((0, 1, 2, 8, rnd.getrandbits(32))))
    if code == GETHOSTBYNAME:
        return struct.pack(">H", rnd.choice((2, 19, 0))) + text(host)
    return addr() if code == GETHOSTBYADDR else b""


def vse_frame():
    """A frame that an instance may send, of good form, at any time and about anything."""
    code = rnd.choice((SOCKET, SOCKET, BIND, CONNECT, LISTEN, ACCEPT, SHUTDOWN, CLOSE, DATA, DATA, WINDOW, GETSOCKNAME,
                       GETPEERNAME, GETSOCKOPT, SETSOCKOPT, TASK_BEGIN, TASK_END, GETADDRINFO, GETNAMEINFO,
                       GETHOSTBYNAME, GETHOSTBYADDR, GETHOSTNAME, GETHOSTID, GETIFADDRS, HELLO,
                       BYE))
    if code in (HELLO, BYE) and rnd.random() < 0.9:
        code = SOCKET
    if not Made.sockets and rnd.random() < 0.97:
        code = SOCKET
    request, task = rnd.randrange(1, 100), rnd.randrange(1, 4)
    sock = rnd.choice(Made.sockets) if Made.sockets and rnd.random() < 0.97 else some_sock()
    if rnd.random() < 0.02:
        sock |= rnd.choice((1, 0x7fff)) << 48
    if code == SOCKET:
        family, kind = rnd.choice((2, 2, 19)), 1
        if rnd.random() < 0.97:
            sock = Made.last = Made.last + 1
            Made.sockets.append(sock)
        else:
            family, kind = rnd.choice((2, 99, 0)), rnd.randrange(5)
        body = struct.pack(">HHH", family, kind, rnd.choice((0, 6)))
    elif code in (BIND, CONNECT):
        body = addr()
    elif code == LISTEN:
        body = struct.pack(">i", rnd.choice((0, 5, -1, 1 << 30)))
    elif code == ACCEPT:
        body, request = struct.pack(">I", rnd.choice((1, 16, 65535))), 0
    elif code == SHUTDOWN:
        body, request = struct.pack(">BQ", rnd.randrange(3), some_u64()), 0
    elif code == CLOSE:
        body = struct.pack(">BQ", rnd.randrange(2), some_u64())
        if sock in Made.sockets and rnd.random() < 0.97:
            Made.sockets.remove(sock)
    elif code == DATA:
        body, request, task = struct.pack(">Q", rnd.choice((0, 0, some_u64()))) + rnd.randbytes(rnd.choice((1, 100, 4000))), 0, 0
    elif code == WINDOW:
        body, request, task = struct.pack(">Q", some_u64()), 0, 0
    elif code in (GETSOCKOPT, SETSOCKOPT):
        level, name = rnd.choice((1, 6, 0, 41, rnd.randrange(300))), rnd.randrange(80)
        body = struct.pack(">ii", level, name)
        body += struct.pack(">I", rnd.choice((0, 4, 16, 4096))) if code == GETSOCKOPT else rnd.randbytes(rnd.choice((0, 1, 4, 8, 16, 300)))
    elif code == TASK_BEGIN:
        task = rnd.randrange(1, 200)
        body, sock = struct.pack(">IIH8s", rnd.getrandbits(20), 0, 0x2e, b"Z1      ") + text(b"\x83"), 0
    elif code == HELLO:
        return hello()
    elif code == BYE:
        body, request, task, sock = text(b"enough"), 0, 0, 0
    elif code in (TASK_END, GETSOCKNAME, GETPEERNAME):
        body = b""
    else:
        body, sock = name_query(code), 0
    return frame(code, body, request=request, task=task, sock=sock)


def lfpd_frame():
    """A frame that lfpd may send without a request, and answers without a request."""
    code = rnd.choice((CONNECTED, ACCEPTED, SHUTDOWN, RESET, DATA, WINDOW, SOCKET | 0x80, CLOSE | 0x80, CONNECT | 0x80, BYE))
    if code == BYE and rnd.random() < 0.9:
        code = DATA
    sock, status, request, body = some_sock(), 0, 0, b""
    if code in (CONNECTED, RESET):
        status = rnd.choice((0, 104, 111, 4095))
    elif code == ACCEPTED:
        body = struct.pack(">Q", some_sock(True)) + addr() + addr()
    elif code == SHUTDOWN:
        body = struct.pack(">BQ", rnd.randrange(3), some_u64())
    elif code == DATA:
        body = struct.pack(">Q", some_u64()) + rnd.randbytes(rnd.choice((1, 100, 4000)))
    elif code == WINDOW:
        body = struct.pack(">Q", some_u64())
    elif code == BYE:
        body, sock = text(b"enough"), 0
    else:
        request, status = rnd.randrange(1, 100), rnd.choice((0, 115, 104))
    return frame(code, body, status=status, request=request, sock=sock)


def hello(vmid="VSER05", appname="TESTV"):
    return frame(HELLO, struct.pack(">HHIQIII", 1, 25, 0, 0, MTU, 1024, 65535) + name8(vmid) + name8(appname) +
                 name8("LINLFP") + name8("LINR02"), request=1)


def hello_reply(request):
    return frame(HELLO | 0x80, struct.pack(">HHIQIII", 1, 25, 0, 7, MTU, 1024, 65536) + name8("LINLFP") +
                 name8("LINR02") + text(b"EBCDIC-US"), request=request)


def mutate(packet):
    """Damage a packet in one of the ways that a transport or a bad peer could."""
    data = bytearray(packet)
    kind = rnd.randrange(7)
    if kind == 0:
        return bytes(data[:rnd.randrange(len(data) + 1)])
    if kind == 1:
        return bytes(data) + rnd.randbytes(rnd.choice((1, 24, 10000, 70000)))
    if kind == 2:
        for _ in range(rnd.randrange(1, 5)):
            data[rnd.randrange(len(data))] ^= 1 << rnd.randrange(8)
    elif kind == 3:
        at = rnd.randrange(len(data))
        data[at:at + 4] = struct.pack(">I", rnd.choice((0, 1, 23, 24, 0x7fffffff, 0x80000000, 0xffffffff)))
    elif kind == 4 and len(data) >= 20:  # the length of the first frame
        data[16:20] = struct.pack(">I", rnd.choice((0, 1, 23, 24, 25, len(data), 0xffffffff)))
    elif kind == 5 and len(data) >= 21:  # its code
        data[20] = rnd.randrange(256)
    else:
        at = rnd.randrange(len(data))
        del data[at:at + rnd.randrange(1, 30)]
    return bytes(data)


def bad_packet(stream, make):
    kind = rnd.random()
    if kind < 0.02:
        return rnd.randbytes(rnd.choice((1, 15, 16, 17, 40, 8192, 8193, 70000)))
    good = stream.packet([make() for _ in range(rnd.choice((1, 1, 2, 5)))])
    if kind < 0.93:
        return good
    if kind < 0.95:  # the flag is wrong, or the numbers are not consecutive
        stream.sequence += rnd.choice((0, 1, 1 << 31))
        stream.taken += rnd.choice((0, 1, 1 << 31))
        return stream.packet([make()], data=rnd.random() < 0.5)
    return mutate(good)


def drain(sock):
    """Take what came; False at the end."""
    try:
        while select.select([sock], [], [], 0)[0]:
            if not sock.recv(70000):
                return False
        return True
    except OSError:
        return False


def to_lfpd(path, end):
    sessions = packets = 0
    while time.monotonic() < end:
        if path.startswith("vsock:"):
            sock = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
            address = (socket.VMADDR_CID_HOST, int(path[6:]))
        else:
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            address = path
        sock.settimeout(60)
        sock.connect(address)
        sock.settimeout(2)
        sessions += 1
        stream = Stream()
        Made.last, Made.sockets = 0, []
        first = rnd.random()
        try:
            if first < 0.95:
                sock.send(stream.packet([hello()]))
                sock.recv(70000)
                sock.send(stream.packet([frame(TASK_BEGIN, struct.pack(">IIH8s", 1, 0, 0x2e, b"Z1      ") + text(b"\x83"),
                                               request=99, task=task) for task in (1, 2, 3)]))
            for _ in range(rnd.choice((1, 10, 200))):
                sock.send(bad_packet(stream, vse_frame))
                packets += 1
                if not drain(sock):
                    break
        except OSError:
            pass
        sock.close()
    print(sessions, "paths,", packets, "packets")


def answer(stream, received):
    """Answer a request of the instance, mostly well."""
    _, code, _, _, request, task, sock = struct.unpack_from(">IBBHIIQ", received)
    if code & 0x80 or not request or code in (DATA, WINDOW):
        return []
    if code == HELLO:
        return [hello_reply(request)]
    body, status, more = b"", 0, []
    if code in (GETSOCKNAME, GETPEERNAME):
        body = addr(7000)
    elif code == GETSOCKOPT:
        body = struct.pack(">I", 0)
    elif code == CONNECT:
        status, later = rnd.choice(((0, 0), (115, 0), (115, 111), (111, 0)))
        if status == 115:
            more = [frame(CONNECTED, status=later, sock=sock)]
        if status in (0, 115) and not later:
            stream.connected.append(sock)
    elif code in (GETADDRINFO, GETNAMEINFO, GETHOSTBYNAME, GETHOSTBYADDR):
        body = rnd.randbytes(rnd.randrange(60))
    elif code == LISTEN:
        stream.listening.append(sock)
    elif code == CLOSE and rnd.random() < 0.97:
        for known in (stream.connected, stream.listening):
            while sock in known:
                known.remove(sock)
    return [frame(code | 0x80, body, status=status, request=request, task=task if code == TASK_BEGIN else 0,
                  sock=sock)] + more



def frames_of(packet):
    at = 16
    while at + 24 <= len(packet):
        length = struct.unpack_from(">I", packet, at)[0]
        if length < 24:
            return
        yield packet[at:at + length]
        at += length


def near_frame(stream):
    """As lfpd_frame, about a socket that the instance has; mostly data that goes on where it must."""
    if stream.listening and rnd.random() < 0.3:
        sock = TOP | rnd.randrange(1, 1000)
        stream.connected.append(sock)
        here = struct.pack(">HHI16sI", 2, 7, 0, bytes((127, 0, 0, 1)), 0)
        return frame(ACCEPTED, struct.pack(">Q", sock) + here + here, sock=rnd.choice(stream.listening))
    if not stream.connected or rnd.random() < 0.03:
        return lfpd_frame()
    sock = rnd.choice(stream.connected)
    position = stream.sent.setdefault(sock, 0)
    kind = rnd.randrange(20)
    if kind == 0:
        return frame(WINDOW, struct.pack(">Q", rnd.choice((0, 5, 5, 100000, 1 << 60))), sock=sock)
    if kind == 1:
        return frame(SHUTDOWN, struct.pack(">BQ", rnd.randrange(3), position), sock=sock)
    if kind == 2:
        return frame(RESET, status=104, sock=sock)
    data = rnd.randbytes(rnd.choice((1, 5, 4000)))
    stream.sent[sock] += len(data)
    return frame(DATA, struct.pack(">Q", position) + data, sock=sock)


def as_lfpd(path, end):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen(50)
    os.chmod(path, 0o666)
    print("listening", flush=True)
    # The time starts when the test reports that all instances are up.
    seconds, end = end - time.monotonic(), None
    streams, paths, packets = {}, 0, 0
    while not end or time.monotonic() < end:
        if not end and os.path.exists(path + ".go"):
            end = time.monotonic() + seconds
        for sock in select.select([listener, *streams], [], [], 0.1)[0]:
            if sock is listener:
                streams[listener.accept()[0]] = Stream()
                paths += 1
                continue
            stream = streams[sock]
            try:
                packet = sock.recv(70000)
                if not packet:
                    raise EOFError
                if packet[3] & 1:
                    stream.taken += 1
                replies = []
                for received in frames_of(packet):
                    replies += answer(stream, received)
                if replies:
                    good = stream.packet(replies)
                    sock.send(mutate(good) if rnd.random() < 0.02 else good)
                if rnd.random() < (0.4 if stream.connected or stream.listening else 0.01):
                    sock.send(bad_packet(stream, lambda: near_frame(stream)))
                    packets += 1
            except (OSError, EOFError):
                sock.close()
                del streams[sock]
    print(paths, "paths,", packets, "packets")


PARK, HAND = 20, 21
MAGIC = 0x4C465031


def ctl_request(op, data=b"", length=None, task=0, magic=MAGIC):
    return struct.pack("=IHHiiiIii", magic, op, rnd.choice((0, 1, 0xffff)),
                       *(rnd.choice((0, 1, 2, 6, 10, -1, 1 << 30)) for _ in range(3)),
                       len(data) if length is None else length, task, os.getpid() if task else 0) + data


def some_fds():
    """Descriptors of all kinds to send, and what is to be closed then."""
    keep, fds = [], []
    for _ in range(rnd.choice((0, 0, 1, 1, 2, 20))):
        kind = rnd.randrange(5)
        if kind == 0:
            pair = socket.socketpair()
        elif kind == 1:
            pair = (socket.socket(socket.AF_INET),)
        elif kind == 2:
            pair = (socket.socket(socket.AF_UNIX),)
            pair[0].bind(b"\0vselfp/01/%016x/%016x" % (rnd.getrandbits(64), rnd.getrandbits(64)))
        elif kind == 3:
            pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        else:
            pair = (open("/dev/null", "rb"),)
        keep += pair
        fds.append(pair[0].fileno())
    return fds, keep


def ctl_message():
    data = rnd.randbytes(rnd.choice((0, 1, 28, 36, 100, 8192)))
    length = len(data) if rnd.random() < 0.7 else rnd.choice((0, 1, 8192, 8193, 0xffffffff))
    # Must not be the number of another living process: the instance would treat that process as a
    # task until its end.
    message = ctl_request(rnd.randrange(32), data, length, rnd.choice((0, 0, 0, os.getpid(), -1, 1 << 30)),
                          MAGIC if rnd.random() < 0.9 else rnd.getrandbits(32))
    if rnd.random() < 0.2:
        message = message[:rnd.randrange(len(message))]
    elif rnd.random() < 0.1:
        message += rnd.randbytes(rnd.choice((1, 9000, 60000)))
    return message or b"x"


def park(sock):
    """Make it a parked connection, and hand over others through it; the number of messages."""
    messages = rnd.randrange(1, 6)
    sock.send(ctl_request(PARK))
    for _ in range(messages):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        fds, keep = some_fds()
        try:
            if rnd.random() < 0.8:
                socket.send_fds(ours, [ctl_message()], fds)
            if rnd.random() < 0.9:
                socket.send_fds(sock, [ctl_request(HAND)], [theirs.fileno()])
            else:
                socket.send_fds(sock, [ctl_message()], fds)
        finally:
            for thing in (*keep, ours, theirs):
                thing.close()
    return messages


def to_ctl(path, end):
    messages = 0
    while time.monotonic() < end:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sock.settimeout(60)
        sock.connect(path)
        sock.settimeout(5)
        fds, keep = some_fds()
        try:
            if rnd.random() < 0.3:
                messages += park(sock)
                continue
            message = ctl_message()
            for _ in range(rnd.choice((1, 1, 1, 3))):
                socket.send_fds(sock, [message], fds)
                messages += 1
            if rnd.random() < 0.5:
                sock.settimeout(0.05)
                sock.recv(10000)
        except OSError:
            pass
        finally:
            for thing in (*keep, sock):
                thing.close()
    print(messages, "messages")


def to_lines(path, end):
    lines = 0
    held = []
    while time.monotonic() < end:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(60)
        sock.connect(path)
        sock.settimeout(1)
        try:
            kind = rnd.randrange(4)
            if kind == 0:
                sock.send(rnd.randbytes(rnd.choice((1, 255, 256, 257, 100000))))
            elif kind == 1:
                sock.send(b"status" * rnd.choice((1, 100, 10000)) + b"\n")
            elif kind == 2:
                sock.send(b"stat")
                held.append(sock)  # says nothing more, and stays
                held = held[-20:]
                continue
            else:
                sock.send(b"\n\n\0\n" + rnd.randbytes(10) + b"\n")
            lines += 1
            sock.settimeout(0.2)
            sock.recv(100)
        except OSError:
            pass
        sock.close()
    print(lines, "lines")


work = {"lfpd": to_lfpd, "instance": as_lfpd, "ctl": to_ctl, "lines": to_lines}[sys.argv[1]]
work(sys.argv[2], time.monotonic() + float(sys.argv[3]))
