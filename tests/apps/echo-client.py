#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""echo-client.py HOST PORT CONNECTIONS BYTES - send BYTES on each of so many connections at once, end
the sending direction, and read them back; exit 1 if anything differs"""
import asyncio
import random
import sys

host, port, connections, size = sys.argv[1], *map(int, sys.argv[2:5])


async def one(number):
    data = random.Random(number).randbytes(size)
    reader, writer = await asyncio.open_connection(host, port)

    async def send():
        for at in range(0, size, 50000):
            writer.write(data[at:at + 50000])
            await writer.drain()
        writer.write_eof()

    sending = asyncio.create_task(send())
    back = await reader.read(-1)
    await sending
    writer.close()
    return back == data


async def main():
    return await asyncio.gather(*map(one, range(connections)), return_exceptions=True)

results = asyncio.run(main())
print(f"{results.count(True)} of {connections} good")
for result in results:
    if isinstance(result, Exception):
        print(repr(result))
        break
sys.exit(results.count(True) != connections)
