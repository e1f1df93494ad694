#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A client of a queue manager by a client channel: puts messages, gets them, and compares.

  mq_client.py ADDRESS PORT MESSAGES SIZE

Its last line has the number of bytes. mq_calls.py has the segments."""

import random
import socket
import sys

import mq_calls
import mq_frames

QUEUE = "CLIENT.Q"


class Connection:
    def __init__(self, address, port):
        self.socket = socket.create_connection((address, port), 120)
        self.exchange(mq_frames.initial(mq_calls.CHANNEL, ""), mq_frames.INITIAL_DATA)
        self.handle = 0

    def exactly(self, size):
        data = bytearray()
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise mq_frames.FrameError("the queue manager ends the channel")
            data += more
        return bytes(data)

    def exchange(self, segment, wanted):
        self.socket.sendall(segment)
        length, kind, _ = mq_frames.take(self.exactly(mq_frames.TSH.size))
        body = self.exactly(length)
        if kind != wanted:
            raise mq_frames.FrameError(f"an answer of type {kind}, not {wanted}")
        return body

    def call(self, verb, body):
        """Returns what the answer has behind its head."""
        answer = self.exchange(mq_calls.request(verb, self.handle, body), verb + mq_calls.REPLY)
        reason, self.handle, rest = mq_calls.take(answer)
        if reason:
            raise mq_frames.FrameError(f"call {verb:#x} fails with reason {reason}")
        return rest


def main():
    address, port, messages, size = sys.argv[1], *map(int, sys.argv[2:])
    connection = Connection(address, port)
    connection.call(mq_calls.CONN, mq_calls.connect())
    connection.call(mq_calls.OPEN, mq_calls.open_queue(QUEUE))
    sent = [random.Random(f"mq {nr}").randbytes(size) for nr in range(messages)]
    for data in sent:
        connection.call(mq_calls.PUT, mq_calls.put(data))
    for nr, data in enumerate(sent):
        if mq_calls.data_of(connection.call(mq_calls.GET, mq_calls.get())) != data:
            raise mq_frames.FrameError(f"message {nr} has other bytes")
    connection.call(mq_calls.CLOSE, mq_calls.close_queue())
    connection.call(mq_calls.DISC, b"")
    print(f"{2 * messages * size} BYTES EQUAL")


if __name__ == "__main__":
    try:
        main()
    except (OSError, mq_frames.FrameError) as wrong:
        sys.exit(f"mq_client: {wrong}")
