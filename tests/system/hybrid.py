#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hybrid.py - plays a VMM whose guest's AF_VSOCK is a folder: port N of the guest is the UNIX socket GUEST/N

  hybrid.py PATH GUEST PORT...

As Firecracker does: a program of the host connects to PATH, sends "CONNECT N" and gets "OK PORT", and a program of the
guest that connects to PORT of the host, here GUEST/host_PORT, gets to PATH_PORT. Ends each connection as the other end of it ends.
"""
import os
import select
import socket
import sys
import threading


def listen(path):
    if os.path.exists(path):
        os.unlink(path)
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    os.chmod(path, 0o666)
    server.listen()
    return server


def connect(path):
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.connect(path)
    except OSError:
        sock.close()
        return None
    return sock


def relay(a, b):
    other = {a: b, b: a}
    while True:
        for sock in select.select([a, b], [], [])[0]:
            try:
                data = sock.recv(1 << 16)
                if data:
                    other[sock].sendall(data)
                    continue
            except OSError:
                pass
            a.close()
            b.close()
            return


def serve(server, get_other):
    while True:
        conn, _ = server.accept()

        def run(conn=conn):
            other = get_other(conn)
            if other:
                relay(conn, other)
            else:
                conn.close()
        threading.Thread(target=run, daemon=True).start()


def to_guest(conn):
    line = b''
    while not line.endswith(b'\n') and len(line) < 32:
        piece = conn.recv(1)
        if not piece:
            return None
        line += piece
    word, _, port = line.strip().partition(b' ')
    other = connect(f'{guest}/{int(port)}') if word == b'CONNECT' else None
    if other:
        conn.sendall(b'OK 1073741824\n')
    return other


path, guest, *ports = sys.argv[1:]
servers = [(listen(path), to_guest)]
servers += [(listen(f'{guest}/host_{port}'), lambda conn, port=port: connect(f'{path}_{port}')) for port in ports]
for server, get_other in servers:
    threading.Thread(target=serve, args=(server, get_other), daemon=True).start()
print('ready', flush=True)
threading.Event().wait()
