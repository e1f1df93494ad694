#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""echo-server.py asyncio|fork|thread HOST PORT - an echo server in each of Python's usual ways"""
import asyncio
import os
import socketserver
import sys

kind, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])


async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def serve():
    async with await asyncio.start_server(echo, host, port) as server:
        await server.serve_forever()


class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        while data := self.rfile.read1(65536):
            self.wfile.write(data)


class Forking(socketserver.ForkingTCPServer):
    allow_reuse_address = True
    request_queue_size = 128
    max_children = 100


class Threading(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    request_queue_size = 128


if kind == "asyncio":
    asyncio.run(serve())
else:
    {"fork": Forking, "thread": Threading}[kind]((host, port), Echo).serve_forever()
