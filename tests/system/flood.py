# SPDX-License-Identifier: Apache-2.0
"""Many connections that send at once: flood.py serve ADDRESS PORT, or send ADDRESS PORT CONNECTIONS BYTES.

The sender connects, prints "ready", waits for a line on standard input, sends on all connections, and compares the digests
that the server returns. It prints how many are right."""

import hashlib
import socket
import sys
import threading

what, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])


def serve(conn):
    digest = hashlib.sha256()
    while data := conn.recv(1 << 18):
        digest.update(data)
    conn.sendall(digest.digest())
    conn.close()


def send(conn, nr, size, right):
    data = bytes((i * i + nr) % 251 for i in range(1 << 12)) * (size >> 12)
    conn.sendall(data)
    conn.shutdown(socket.SHUT_WR)
    answer = b""
    while part := conn.recv(64):
        answer += part
    if answer == hashlib.sha256(data).digest():
        right.append(nr)


if what == "serve":
    listener = socket.create_server((address, port), backlog=200)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
connections, size = int(sys.argv[4]), int(sys.argv[5])
conns = [socket.create_connection((address, port)) for _ in range(connections)]
print("ready", flush=True)
sys.stdin.readline()
right = []
threads = [threading.Thread(target=send, args=(conn, nr, size, right)) for nr, conn in enumerate(conns)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(right), "right", flush=True)
