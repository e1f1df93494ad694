#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""urllib-client.py URL MD5 - fetch and compare, send back by POST and compare; socket.makefile too"""
import hashlib
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request

url, want = sys.argv[1:3]
data = urllib.request.urlopen(url).read()
assert hashlib.md5(data).hexdigest() == want, "GET"
assert urllib.request.urlopen(url, data=data).read().decode() == want, "POST"

parts = urllib.parse.urlsplit(url)
with socket.create_connection((parts.hostname, parts.port)) as sock, sock.makefile("rwb") as file:
    file.write(f"GET {parts.path} HTTP/1.0\r\n\r\n".encode())
    file.flush()
    assert b" 200 " in file.readline()
    while file.readline().strip():
        pass
    assert hashlib.md5(file.read()).hexdigest() == want, "makefile"

try:
    urllib.request.urlopen("http://127.0.0.1:1/")
except urllib.error.URLError as error:
    assert isinstance(error.reason, ConnectionRefusedError), error
else:
    sys.exit("a closed port answers")
