#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs for test-host-places.sh.

tied.py serve PORT WORD      a server that says WORD to each connection
tied.py ask ADDRESS PORT     prints that word
tied.py names                the interfaces of this program's host, in one line
tied.py hold INDEX           what a socket says that is bound to HOST_INTERFACE and wants the interface INDEX
tied.py bound PORT ADDRESS   the interface of a UDP socket whose connection was dissolved
tied.py again                prints the errno of socket(), once for each line that it reads
"""
import ctypes
import errno
import socket
import struct
import sys

SO_BINDTODEVICE = socket.SO_BINDTODEVICE


class Entry(ctypes.Structure):
    """The first members of struct ifaddrs."""


Entry._fields_ = [('next', ctypes.POINTER(Entry)), ('name', ctypes.c_char_p)]


def names():
    libc = ctypes.CDLL(None, use_errno=True)
    head = ctypes.POINTER(Entry)()
    if libc.getifaddrs(ctypes.byref(head)):
        return 'getifaddrs() fails'
    found, at = set(), head
    while at:
        found.add(at.contents.name.decode())
        at = at.contents.next
    return ' '.join(sorted(found))


def said(call, *args):
    """The name of the errno with which the call fails, or "works"."""
    try:
        call(*args)
    except OSError as error:
        return errno.errorcode[error.errno]
    return 'works'


def device(sock):
    return sock.getsockopt(socket.SOL_SOCKET, SO_BINDTODEVICE, 16).rstrip(b'\0').decode()


def hold(other):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    info = struct.pack('iII', other, 0, 0)
    answers = [device(udp),
               said(udp.setsockopt, socket.SOL_SOCKET, SO_BINDTODEVICE, b'\0'),
               said(udp.setsockopt, socket.SOL_SOCKET, 62, other),
               said(udp.sendmsg, [b'x'], [(socket.IPPROTO_IP, 8, info)], 0, ('10.9.9.9', 9)),
               said(udp.setsockopt, socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                    struct.pack('4s4si', socket.inet_aton('239.1.1.1'), bytes(4), other)),
               said(udp.setsockopt, socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                    struct.pack('4s4s', socket.inet_aton('239.1.1.1'), bytes(4)))]
    print(*answers)


def main(what, *args):
    if what == 'serve':
        server = socket.create_server(('', int(args[0])))
        while True:
            conn, _ = server.accept()
            conn.sendall(args[1].encode())
            conn.close()
    elif what == 'ask':
        try:
            with socket.create_connection((args[0], int(args[1])), timeout=30) as conn:
                print(conn.makefile().read())
        except OSError as error:
            print(errno.errorcode.get(error.errno, error))
    elif what == 'names':
        print(names())
    elif what == 'hold':
        hold(int(args[0]))
    elif what == 'bound':
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(('', int(args[0])))
        udp.connect((args[1], 9))
        # connect() to AF_UNSPEC, which Python's sockets cannot say
        assert ctypes.CDLL(None).connect(udp.fileno(), bytes(16), 16) == 0
        print(device(udp))
    elif what == 'again':
        for _ in sys.stdin:
            print(said(socket.socket), flush=True)


main(*sys.argv[1:])
