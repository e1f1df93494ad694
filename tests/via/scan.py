#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the TCP ports of an address that accept a connection: scan.py ADDRESS FIRST LAST. Its last line is how many it has
tried. A port that neither accepts nor refuses within 20 s is an error, with exit code 1."""

import errno
import select
import socket
import sys
import time

AT_ONCE = 400
PATIENCE = 20


def scan(address, ports):
    waiting, found, silent = {}, [], []
    poll = select.epoll()
    ports = iter(ports)
    more = True
    while more or waiting:
        while more and len(waiting) < AT_ONCE:
            port = next(ports, None)
            if port is None:
                more = False
                break
            sock = socket.socket()
            sock.setblocking(False)
            rc = sock.connect_ex((address, port))
            if rc == errno.EINPROGRESS:
                waiting[sock.fileno()] = sock, port, time.monotonic()
                poll.register(sock, select.EPOLLOUT)
            elif rc != errno.ECONNREFUSED:
                raise OSError(rc, f"port {port}")
        for number, _ in poll.poll(1):
            sock, port, _ = waiting.pop(number)
            if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                found.append(port)
            sock.close()
        now = time.monotonic()
        for number in [n for n, (_, _, since) in waiting.items() if now - since > PATIENCE]:
            sock, port, _ = waiting.pop(number)
            silent.append(port)
            sock.close()
    return found, silent


def main():
    address, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    found, silent = scan(address, range(first, last + 1))
    print("open:", *sorted(found))
    print("silent:", *sorted(silent))
    print(last - first + 1, "tried")
    return 1 if silent else 0


sys.exit(main())
