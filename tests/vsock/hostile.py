#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In a hostile guest: nonsense and connections without number for the host's AF_VSOCK.

hostile.py noise PORT SECONDS   connections that send random bytes and read nothing
hostile.py many PORT NUMBER     so many connections, all held and silent; prints the number, and ends with SIGTERM
hostile.py take PORT NUMBER ADDRESS    on LFP: so many requests at an HTTP server of the host, and no reading; ends with SIGTERM
"""
import errno
import os
import select
import signal
import socket
import sys
import time

HOST = socket.VMADDR_CID_HOST
what, port, amount = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def dial():
    sock = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    sock.settimeout(5)
    sock.connect((HOST, port))
    return sock


def noise(end):
    ended = sent = 0
    while time.monotonic() < end:
        try:
            with dial() as sock:
                for _ in range(64):
                    sent += sock.send(os.urandom(65536))
        except OSError:
            ended += 1
    print(f"{sent} bytes of noise, {ended} connections ended by the host", flush=True)


def many(number):
    """A connection that the host has ended is told by its POLLHUP: its descriptor is used again."""
    held, made, refused = [], 0, 0
    while made + refused < number:
        try:
            held.append(dial())
            made += 1
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise
            refused += 1
    poll = select.poll()
    for sock in held:
        poll.register(sock, select.POLLRDHUP)
    print(f"{made} connections made, {refused} refused, {made - len(poll.poll(0))} still held", flush=True)
    signal.sigwait([signal.SIGTERM])


def take(number, address):
    held = [socket.create_connection((address, port)) for _ in range(number)]
    for sock in held:
        sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
    for sock in held:
        sock.recv(1)
    print(f"{len(held)} answers begun", flush=True)
    signal.sigwait([signal.SIGTERM])


signal.pthread_sigmask(signal.SIG_BLOCK, [] if what == "noise" else [signal.SIGTERM])
if what == "noise":
    noise(time.monotonic() + amount)
elif what == "many":
    many(amount)
else:
    take(amount, sys.argv[4])
