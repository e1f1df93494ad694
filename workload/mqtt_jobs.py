#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The jobs of the table mq with two MQTT brokers in the place of queue managers.

  mqtt_jobs.py PORT

Each job is a client of the broker at 127.0.0.1, PORT, which is on z/VSE's side. It publishes to the topic to/NR; the bridges of
both brokers bring the message back as from/NR. Commands come on standard input, and are answered, as in queue_manager.py."""

import asyncio
import json
import os
import struct
import sys
import time

CONNECT, PUBLISH, SUBSCRIBE = 0x10, 0x30, 0x82
CONNACK, SUBACK = 0x20, 0x90
CLEAN_SESSION = 2
SECONDS = 60  # without a message, while one has to come
FIRST_SECONDS = 30  # until the bridges are up


class MqttError(Exception):
    """The broker has answered something else."""


def text(word):
    return struct.pack(">H", len(word)) + word.encode("ascii")


def packet(kind, body):
    """A packet of MQTT 3.1.1: kind and flags, the length in digits of 7 bits, the rest."""
    length, digits = len(body), bytearray()
    while True:
        length, digit = divmod(length, 128)
        digits.append(digit | (128 if length else 0))
        if not length:
            return bytes([kind]) + bytes(digits) + body


class Client:
    def __init__(self, nr):
        self.nr, self.reader, self.writer = nr, None, None

    async def take(self):
        kind, length, shift = (await self.reader.readexactly(1))[0], 0, 0
        while True:
            digit = (await self.reader.readexactly(1))[0]
            length |= (digit & 127) << shift
            shift += 7
            if not digit & 128:
                return kind, await self.reader.readexactly(length)
            if shift > 21:
                raise MqttError("a length of more than four digits")

    async def wanted(self, kind, good):
        got, body = await asyncio.wait_for(self.take(), SECONDS)
        if got != kind or not good(body):
            raise MqttError(f"job {self.nr}: packet {got:#x}, not {kind:#x}, or a refusal")

    async def connect(self, port):
        for _ in range(10 * FIRST_SECONDS):
            try:
                self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
                break
            except ConnectionRefusedError:
                await asyncio.sleep(0.1)  # the broker starts
        else:
            raise ConnectionRefusedError(f"no broker at port {port}")
        self.writer.write(packet(CONNECT, text("MQTT") + bytes([4, CLEAN_SESSION, 0, 0]) + text(f"job{self.nr}")))
        await self.wanted(CONNACK, lambda body: body[1:] == b"\0")
        self.writer.write(packet(SUBSCRIBE, b"\0\1" + text(f"from/{self.nr}") + b"\0"))
        await self.wanted(SUBACK, lambda body: body == b"\0\1\0")

    async def put(self, data):
        self.writer.write(packet(PUBLISH, text(f"to/{self.nr}") + data))
        await self.writer.drain()

    async def get(self, seconds=SECONDS):
        kind, body = await asyncio.wait_for(self.take(), seconds)
        topic = text(f"from/{self.nr}")
        if kind & 0xf0 != PUBLISH or not body.startswith(topic):
            raise MqttError(f"job {self.nr}: packet {kind:#x}, or another topic")
        return body[len(topic):]

    async def bridged(self):
        """Waits until a message comes back: a message before the bridges are up is lost."""
        for nr in range(FIRST_SECONDS):
            await self.put(b"%d" % nr)
            try:
                got = await self.get(1)
            except asyncio.TimeoutError:
                continue
            while got != b"%d" % nr:
                got = await self.get()
            return
        raise MqttError("the bridges carry nothing")


async def job(client, count, data):
    """Puts a message, gets it, puts the next one. Returns its rate, and the mean time of its messages by another clock."""
    total, first = 0, time.monotonic()
    for one in range(count):
        begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        await client.put(data)
        if await client.get() != data:
            raise MqttError(f"message {one} of job {client.nr} has other bytes")
        total += time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - begin
    return count / (time.monotonic() - first), total / 1e9 / count


async def drive(clients, port, jobs, messages, size):
    while len(clients) < jobs:
        client = Client(len(clients))
        await client.connect(port)
        await client.bridged()
        clients.append(client)
    data = [os.urandom(size) for _ in range(jobs)]
    each = await asyncio.gather(*(job(clients[nr], messages // jobs, data[nr]) for nr in range(jobs)))
    rate = sum(of for of, _ in each)
    # A faster job has more messages in the same time.
    return {"messages": messages // jobs * jobs, "rate": rate, "seconds": sum(of * mean for of, mean in each) / rate}


async def main():
    port, clients, reader = int(sys.argv[1]), [], asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    print(json.dumps({"ready": port}), flush=True)
    while line := await reader.readline():
        print(json.dumps(await drive(clients, port, **json.loads(line))), flush=True)
    for client in clients:
        client.writer.close()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
    except (OSError, EOFError, MqttError, asyncio.TimeoutError) as error:
        sys.exit(f"mqtt_jobs.py: {error or type(error).__name__}")
