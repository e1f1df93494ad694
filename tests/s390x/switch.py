#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames of AF_IUCV between a guest and several bridges (tests/s390x/bridge.c), which are datagrams of UNIX sockets:
switch.py OWN GUEST ID=BRIDGE... Those of the guest go to the bridge whose user id is their destination."""

import os
import socket
import sys

LINK, USER = 14, 14  # bytes of the Ethernet header, and before the destination's user id


def main():
    own, guest = sys.argv[1:3]
    bridges = {}
    for word in sys.argv[3:]:
        name, path = word.split("=", 1)
        bridges[name.ljust(8).encode("cp037")] = path
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(own)
    while True:
        frame, sender = sock.recvfrom(1 << 17)
        to = bridges.get(frame[LINK + USER:LINK + USER + 8]) if sender == guest else guest
        # Who is not there yet, or not any more, gets nothing, as on a LAN.
        if to and os.path.exists(to):
            try:
                sock.sendto(frame, to)
            except OSError:
                pass


main()
