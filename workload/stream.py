# SPDX-License-Identifier: Apache-2.0
"""The Linux side of the socket application: sends or receives the known stream of programs/transfer.c.

  stream.py ADDRESS PORT PROGRAMS OUT|IN BYTES

Prints "ready", accepts that many connections, then lets all programs begin at once. A process serves each
connection. Prints a line of JSON for each: begin and end on the monotonic clock, and the bytes, all compared."""

import json
import os
import socket
import sys
import time

PERIOD = 8191
BLOCK = 256 * 1024


def pattern(length):
    """Returns the begin of the stream."""
    x, period = 1, bytearray()
    for _ in range(PERIOD):
        x = (x * 25173 + 13849) % 65536
        period.append(x // 256)
    return (bytes(period) * (length // PERIOD + 1))[:length]


def receive(conn, total):
    expected, at = pattern(PERIOD + BLOCK), 0
    buffer = memoryview(bytearray(BLOCK))
    while True:
        n = conn.recv_into(buffer)
        if not n:
            break
        offset = at % PERIOD
        if bytes(buffer[:n]) != expected[offset:offset + n]:
            return at, f"wrong data behind byte {at}"
        at += n
    return at, None if at == total else f"the stream ends at byte {at}, not {total}"


def send(conn, total):
    source, at = memoryview(pattern(PERIOD + BLOCK)), 0
    while at < total:
        offset = at % PERIOD
        at += conn.send(source[offset:offset + min(BLOCK, total - at)])
    conn.shutdown(socket.SHUT_WR)
    while conn.recv(1):  # the program closes when it has compared everything
        pass
    return at, None


def serve(conn, direction, total, begin, out):
    try:
        sent, wrong = (receive if direction == "OUT" else send)(conn, total)
    except OSError as error:
        sent, wrong = 0, error.strerror
    end = time.monotonic()
    conn.close()
    out.write(json.dumps({"begin": begin, "end": end, "bytes": sent, "error": wrong}) + "\n")
    out.flush()


def main():
    address, port, programs, direction, total = sys.argv[1:]
    listener = socket.create_server((address, int(port)))
    print("ready", flush=True)
    conns = [listener.accept()[0] for _ in range(int(programs))]
    for conn in conns:
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    pids, begin = [], time.monotonic()
    for conn in conns:
        conn.sendall(b"G")
        pid = os.fork()
        if not pid:
            for other in conns:
                if other is not conn:
                    other.close()
            serve(conn, direction, int(total), begin, sys.stdout)
            os._exit(0)
        pids.append(pid)
    for conn in conns:
        conn.close()
    for pid in pids:
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
