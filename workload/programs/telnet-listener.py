#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The listener of the table telnet, on z/VSE's side: a telnetd for each connection.

  telnet-listener.py inet|inet6 PORT PEERS PROGRAM ARGS...

An inet6 socket takes IPv4 clients, too. The file PEERS gets a line for each connection: the client's address as accept() gives it.
It waits for its children, so their CPU time is its own at its end, which SIGTERM asks for."""

import os
import signal
import socket
import sys

FAMILIES = {"inet": socket.AF_INET, "inet6": socket.AF_INET6}


def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def end(*_):
    sys.exit(0)


def main():
    family, port, peers, command = FAMILIES[sys.argv[1]], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    listener.bind(("", port))
    listener.listen(256)
    signal.signal(signal.SIGCHLD, reap)
    signal.signal(signal.SIGTERM, end)
    with open(peers, "a", encoding="ascii", buffering=1) as seen:
        while True:
            connection, address = listener.accept()
            seen.write(address[0] + "\n")
            if not os.fork():
                for number in (signal.SIGCHLD, signal.SIGTERM):
                    signal.signal(number, signal.SIG_DFL)
                for number in range(3):
                    os.dup2(connection.fileno(), number)
                os.execvp(command[0], command)
            connection.close()


main()
