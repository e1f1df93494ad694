#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""descriptor-store.py ORDERS SOCKET COMMAND... - stands for systemd and its descriptor store.

Starts COMMAND for each "start" in the FIFO ORDERS, with the contents of the store, and takes orders at
the UNIX socket SOCKET to put descriptors in and to take them out. Prints, a line each: "started PID", "store NUMBER" when
that has changed, "ready", "ended CODE". "age" makes the contents of the store an hour old."""

import fcntl
import os
import select
import signal
import socket
import sys
import time

ABOVE_ALL = 500  # high descriptors are in no other program's way


def say(*words):
    print("systemd:", *words, flush=True)


def start(command, notify, store):
    """The descriptors from 3 on, with their names; no other is inherited."""
    pid = os.fork()
    if pid:
        return pid
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, ABOVE_ALL) for _, fd in store]
    for number, fd in enumerate(high, 3):
        os.dup2(fd, number)
    env = dict(os.environ, NOTIFY_SOCKET=notify)
    if store:
        env.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(store)),
                   LISTEN_FDNAMES=":".join(name for name, _ in store))
    os.execvpe(command[0], command, env)


def take_message(sock, store):
    """False without a message."""
    try:
        data, fds, _, _ = socket.recv_fds(sock, 4096, 253)
    except BlockingIOError:
        return False
    for fd in fds:
        os.set_inheritable(fd, False)
    words = dict(line.split("=", 1) for line in data.decode().splitlines() if line)
    before = len(store)
    if "FDSTORE" in words:
        store += [(words["FDNAME"], fd) for fd in fds]
        fds = []
    if "FDSTOREREMOVE" in words:
        fds += [fd for name, fd in store if name == words["FDNAME"]]
        store[:] = [(name, fd) for name, fd in store if name != words["FDNAME"]]
    for fd in fds:  # of BARRIER=1, too: this lets its sender go on
        os.close(fd)
    if len(store) != before:
        say("store", len(store))
    if "READY" in words:
        say("ready")
    return True


def main():
    orders_path, notify, *command = sys.argv[1:]
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.setblocking(False)
    sock.bind(notify)
    os.chmod(notify, 0o666)
    orders = os.open(orders_path, os.O_RDWR)
    wakes, waker = os.pipe2(os.O_NONBLOCK)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    store, pid = [], 0
    while True:
        readable, _, _ = select.select([sock, orders, wakes], [], [])
        if wakes in readable:
            os.read(wakes, 512)
        ended, status = os.waitpid(-1, os.WNOHANG) if pid else (0, 0)
        while take_message(sock, store):  # all of a process that has ended
            pass
        if ended:
            say("ended", os.WEXITSTATUS(status) if os.WIFEXITED(status) else f"by {status & 127}")
            pid = 0
        for order in os.read(orders, 512).split() if orders in readable else []:
            if order == b"age":
                for fd in [fd for name, fd in store if name == "state"]:
                    os.utime(fd, times=(time.time() - 3600,) * 2)
            elif not pid:
                pid = start(command, notify, store)
                say("started", pid)


main()
