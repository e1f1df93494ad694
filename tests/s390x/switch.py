#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames of AF_IUCV between a guest and several bridges (tests/s390x/bridge.c), which are datagrams of UNIX sockets:
switch.py OWN GUEST ID=BRIDGE... Those of the guest go to the bridge whose user id is their destination.

A thread sends to each of them. So the switch takes frames also while one of them has no room: a bridge takes none while it
waits to send, and each would wait for the other."""

import os
import queue
import socket
import sys
import threading

LINK, USER = 14, 14  # bytes of the Ethernet header, and before the destination's user id


def send_all(sock, path, frames):
    while True:
        frame = frames.get()
        # Who is not there yet, or not any more, gets nothing, as on a LAN.
        if os.path.exists(path):
            try:
                sock.sendto(frame, path)
            except OSError:
                pass


def main():
    own, guest = sys.argv[1:3]
    bridges = {}
    for word in sys.argv[3:]:
        name, path = word.split("=", 1)
        bridges[name.ljust(8).encode("cp037")] = path
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(own)
    frames = {path: queue.SimpleQueue() for path in {guest, *bridges.values()}}
    for path, waiting in frames.items():
        threading.Thread(target=send_all, args=(sock, path, waiting), daemon=True).start()
    while True:
        frame, sender = sock.recvfrom(1 << 17)
        to = bridges.get(frame[LINK + USER:LINK + USER + 8]) if sender == guest else guest
        if to:
            frames[to].put(frame)


main()
