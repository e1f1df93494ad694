# SPDX-License-Identifier: Apache-2.0
"""An application for WSGI servers (app) and for ASGI servers (asgi): the generation of the server that
answers and its process on GET, the MD5 sum of the body on POST"""
import hashlib
import os

from generation import GENERATION


def app(environ, start_response):
    if environ["REQUEST_METHOD"] == "POST":
        md5 = hashlib.md5()
        while data := environ["wsgi.input"].read(1 << 16):
            md5.update(data)
        answer = md5.hexdigest()
    else:
        answer = f"{GENERATION} {os.getpid()}\n"
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(answer)))])
    return [answer.encode()]


async def asgi(scope, receive, send):
    if scope["type"] != "http":
        return
    answer = f"{GENERATION} {os.getpid()}\n"
    if scope["method"] == "POST":
        md5 = hashlib.md5()
        more = True
        while more:
            message = await receive()
            md5.update(message.get("body", b""))
            more = message.get("more_body", False)
        answer = md5.hexdigest()
    await send({"type": "http.response.start", "status": 200,
                "headers": [(b"content-length", str(len(answer)).encode())]})
    await send({"type": "http.response.body", "body": answer.encode()})
