#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Near ends that a program makes itself: what becomes of them in other processes, and at a limit.

    fresh.py WORK PORT [FILE]

The echo server is at 127.0.0.1, PORT."""
import ctypes
import errno
import os
import signal
import socket
import subprocess
import sys
import time

work, port = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)


def earn():
    """Makes sockets until one is fresh, and returns that."""
    limit = time.monotonic() + 30
    while time.monotonic() < limit:
        sock = socket.socket()
        if is_fresh(sock):
            return sock
        sock.close()
    sys.exit("no credit")


def is_fresh(sock):
    """Unconnected and without a path in the kernel's list of this namespace: other near ends are of another one, and not in it at
    all."""
    with open("/proc/net/unix") as file:
        inode = str(os.fstat(sock.fileno()).st_ino)
        for line in file:
            words = line.split()
            if words[6:7] == [inode]:
                return len(words) == 7 and words[5] == "01"
    return False


def use(sock):
    sock.connect(("127.0.0.1", port))
    sock.sendall(b"hello")
    got = b""
    while len(got) < 5:
        got += sock.recv(5 - len(got))
    assert got == b"hello", got
    assert sock.getpeername() == ("127.0.0.1", port)
    assert not is_fresh(sock)
    sock.close()


def plain():
    for _ in range(30):
        use(earn())


def in_exec():
    sock = earn()
    os.set_inheritable(sock.fileno(), True)
    os.execv(sys.executable, [sys.executable, __file__, "inherited", str(port), str(sock.fileno())])


def inherited():
    use(socket.socket(fileno=int(sys.argv[3])))


def in_child():
    sock = earn()
    child = os.fork()
    if not child:
        use(sock)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    sock.close()


def in_both():
    """Parent and child make their first calls at once: one socket, which one of them connects."""
    for _ in range(20):
        sock = earn()
        child = os.fork()
        error = sock.connect_ex(("127.0.0.1", port))
        if not child:
            os._exit(error)
        other = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert sorted((error, other)) in ([0, errno.EISCONN], [0, 0], [0, errno.EALREADY]), (error, other)
        sock.sendall(b"x")
        assert sock.recv(1) == b"x"
        sock.close()


def passed():
    ends = socket.socketpair()
    child = os.fork()
    if not child:
        _, fds, _, _ = socket.recv_fds(ends[1], 1, 1)
        use(socket.socket(fileno=fds[0]))
        os._exit(0)
    sock = earn()
    socket.send_fds(ends[0], [b"x"], [sock.fileno()])
    sock.close()
    assert os.waitpid(child, 0)[1] == 0


def left():
    """In another root and network, where the path of the instance is out of reach."""
    sock = earn()
    if libc.unshare(0x40000000):  # CLONE_NEWNET
        sys.exit(f"unshare: {ctypes.get_errno()}")
    os.chroot(sys.argv[3])
    sock.connect(("127.0.0.1", port))
    sock.sendall(b"x")
    assert sock.recv(1) == b"x"


def goes_on():
    """Makes and uses sockets while lfpd restarts, until the file is there."""
    sock = earn()
    print("ready", flush=True)
    while not os.path.exists(sys.argv[3]):
        use(sock)
        sock = earn()
    use(sock)


def holds():
    """Has credit and sockets until it is killed: fresh ones, and closed ones."""
    socks = [earn() for _ in range(4)]
    earn().close()
    print("ready", len(socks), flush=True)
    time.sleep(600)


def fills():
    """Prints how many sockets there can be, and uses each of them."""
    socks = []
    while True:
        try:
            socks.append(socket.socket())
        except OSError as error:
            assert error.errno == errno.ENFILE, error
            break
    # No call after socket() fails for the limit.
    for sock in socks:
        sock.bind(("127.0.0.1", 0))
    print("sockets", len(socks), flush=True)


def many():
    """Processes that all have credit, and end without a word."""
    children = [subprocess.Popen([sys.executable, __file__, "holds", str(port)], stdout=subprocess.PIPE) for _ in range(10)]
    for child in children:
        assert child.stdout.readline().startswith(b"ready")
    for child in children:
        child.send_signal(signal.SIGKILL)
        child.wait()


class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.POINTER(Filter))]


def refuse_getsockopt(action):
    """A seccomp filter of the program's own: this action for getsockopt(), and no other system call."""
    getsockopt = {"x86_64": 55, "aarch64": 209, "s390x": 365, "ppc64le": 340}.get(os.uname().machine, 209)
    code = (Filter * 4)((0x20, 0, 0, 0), (0x15, 0, 1, getsockopt), (0x06, 0, 0, action), (0x06, 0, 0, 0x7fff0000))
    assert not libc.prctl(38, 1, 0, 0, 0)
    assert not libc.prctl(22, 2, ctypes.byref(Program(4, code)), 0, 0), os.strerror(ctypes.get_errno())


def filtered():
    """The program's own filter hides the mark of a connection's near end, or kills the program that looks at it."""
    for action in 0x00050000 | errno.EPERM, 0x80000000:
        child = os.fork()
        if not child:
            sock = earn()
            sock.connect(("127.0.0.1", port))
            refuse_getsockopt(action)
            assert sock.getpeername() == ("127.0.0.1", port), sock.getpeername()
            assert sock.getsockname()[0] == "127.0.0.1", sock.getsockname()
            sock.shutdown(socket.SHUT_WR)
            assert sock.recv(1) == b""
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        assert status == 0, (hex(action), status)


globals()[work]()
print("done", flush=True)
