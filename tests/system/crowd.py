#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""crowd.py - a user that fills up an LFP instance on the control channel, in the way that a word names

CTL is the path of the instance's control socket. Each prints its progress on standard output.
"""
import array
import glob
import os
import socket
import struct
import sys
import time

PING, SOCKET, PARK, GUARD = 1, 2, 20, 36  # of lfp/ctl.h


def connect(path):
    conn = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    conn.connect(path)
    return conn


def ask(conn, op, fds=()):
    """A request; SOCKET is for a stream of IPv4."""
    args = (socket.AF_INET, socket.SOCK_STREAM, 0) if op == SOCKET else (0, 0, 0)
    data = struct.pack("=IHHiiiIiiQ", 0x4C465031, op, 0, *args, 0, 0, 0, 0)
    conn.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else [])


def answer(conn):
    """errno and the descriptors that came along."""
    data, rights, _, _ = conn.recvmsg(9000, socket.CMSG_SPACE(4))
    fds = array.array("i")
    for _, _, content in rights:
        fds.frombytes(content[:4])
    return struct.unpack_from("=i", data, 4)[0], list(fds)


def call(path, op):
    with connect(path) as conn:
        ask(conn, op)
        return answer(conn)


def held_up(pids):
    """Seconds in which these processes were ready to run and had no processor, so far."""
    ns = 0
    for pid in pids:
        for name in glob.glob(f'/proc/{pid}/task/*/schedstat'):
            try:
                with open(name, encoding='ascii') as file:
                    ns += int(file.read().split()[1])
            except OSError:
                pass  # a thread that has ended
    return ns / 1e9


def ping(path, number, *pids):
    """So many calls, with a pause after each; how long the longest took, in ms.

    Time in which one of the processes or this one had no processor does not count.
    """
    longest, pids = 0.0, {os.getpid(), *map(int, pids)}
    for _ in range(int(number)):
        held, start = held_up(pids), time.monotonic()
        call(path, PING)
        took = time.monotonic() - start
        longest = max(longest, took - (held_up(pids) - held))
        time.sleep(0.01)
    print(int(longest * 1000), flush=True)


def make(path):
    """One socket: the error."""
    error = call(path, SOCKET)[0]
    print(os.strerror(error) if error else "a socket", flush=True)


def refused(path, at_once):
    """All sockets that there are for this user, and so many more calls at a time, for as long as it lives."""
    held = []
    while True:
        error, fds = call(path, SOCKET)
        if error:
            break
        held += fds
    print("held", len(held), flush=True)
    while True:
        conns = []
        for _ in range(int(at_once)):
            conns.append(connect(path))
            ask(conns[-1], SOCKET)
        for conn in conns:
            answer(conn)
            conn.close()
        print("refused", flush=True)


def fill(path):
    """As many connections of every kind as the instance keeps."""
    kept = []
    for op, number in (PARK, 300), (GUARD, 500), (None, 192):
        for _ in range(number):
            conn = connect(path)
            if op:
                ask(conn, op)
            kept.append(conn)
    call(path, PING)
    print("filled", flush=True)
    sys.stdin.read()


{"ping": ping, "make": make, "refused": refused, "fill": fill}[sys.argv[1]](*sys.argv[2:])
