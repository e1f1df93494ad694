#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every IPv6 address in a text parses back to 16 bytes that are expected.

  ipv6-displays.py addresses FILE ADDRESS...      the text is a file; each ADDRESS is in it
  ipv6-displays.py screen COLUMNS KEYS ADDRESS... PROGRAM...   it is the screen of a program, after KEYS, page by page
  ipv6-displays.py client                         TCP and UDP between the addresses, for test-ipv6-displays.sh
  ipv6-displays.py serve ADDRESS                  a peer at ADDRESS

A word that has a group of the test's addresses is an address, or part of one. A part is wrong, unless a screen marks it with
"<" or ">".
"""
import ipaddress
import os
import re
import select
import socket
import sys

GROUPS = "aaaa|bbbb|cccc|dddd|eeee|ffff|fffe"
PLACE = re.compile(r"(?:rows|lines) \d+-(\d+) of (\d+)")
WORD = re.compile(rf"[0-9A-Fa-f:.<>]*(?:{GROUPS})[0-9A-Fa-f:.<>]*")


def packed(text):
    address = ipaddress.ip_address(text)
    return address.packed if address.version == 6 else b"\0" * 10 + b"\xff\xff" + address.packed


def check(text, expected, what, cuts=False):
    """Returns the addresses that are there; exits at one that is not expected."""
    seen, wanted = set(), {packed(a): a for a in expected}
    for word in WORD.findall(text):
        word = re.sub(r"\.\.\d+$", "", word).rstrip(".")  # NETSTAT's form is ADDRESS..PORT
        if cuts and ("<" in word or ">" in word):
            continue
        try:
            found = packed(word)
        except ValueError:
            sys.exit(f"{what}: {word!r} is no address, in:\n{text}")
        if found not in wanted:
            sys.exit(f"{what}: {word!r} is another address, in:\n{text}")
        seen.add(found)
    for address in expected:  # IPv4 and mapped ones have no group in each display
        if re.search(rf"(?<![0-9.]){re.escape(address.removeprefix('::ffff:'))}(?![0-9])", text) and "." in address:
            seen.add(packed(address))
    return seen


def need(seen, expected, what, text):
    for address in expected:
        if packed(address) not in seen:
            sys.exit(f"{what}: {address} is missing in:\n{text}")


def addresses(name, *expected):
    with open(name, encoding="utf-8", errors="replace") as f:
        text = f.read()
    need(check(text, expected, name), expected, name, text)


def screen(columns, keys, *rest):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.dont_write_bytecode = True
    from screen import Terminal
    at = next(i for i, word in enumerate(rest) if "/" in word)
    expected, program = rest[:at], rest[at:]
    terminal = Terminal(list(program), columns=int(columns), rows=24)
    terminal.wait_text("sockets")
    terminal.wait_pattern(r"rows 1-")
    terminal.keys(keys)
    if "w" in keys:
        terminal.wait_pattern(r"lines 1-")
    seen, pages = set(), []
    while True:
        pages.append(terminal.text())
        seen |= check(pages[-1], expected, f"{columns} columns", cuts=True)
        place = PLACE.search(pages[-1])
        if not place or place[1] == place[2]:
            break
        terminal.keys(" ")
        terminal.wait(lambda: (now := PLACE.search(terminal.text())) and now[0] != place[0], "the next page")
    if "w" in keys:
        need(seen, expected, f"{columns} columns", "\n".join(pages))
    terminal.keys("q")
    sys.exit(terminal.end())


def serve(address):
    server = socket.create_server((address, 7000), family=socket.AF_INET6 if ":" in address else socket.AF_INET, backlog=16)
    kept = []
    while True:
        kept.append(server.accept()[0])
        kept[-1].sendall(b"hello")


def client(whole, refused, other, ready, go):
    kept = []
    for address in whole, "10.0.0.1":
        kept.append(socket.create_connection((address, 7000)))
        assert kept[-1].recv(5) == b"hello"
    mapped = socket.socket(socket.AF_INET6)
    mapped.connect(("::ffff:10.0.0.1", 7000))
    assert mapped.recv(5) == b"hello"
    server = socket.create_server((whole, 7001), family=socket.AF_INET6)
    datagrams = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    datagrams.bind((whole, 7002))
    datagrams.connect((whole, 7003))
    datagrams.send(b"x")
    for address, port in (refused, 7009), (other, 7010):
        try:
            socket.create_connection((address, port))
        except OSError:
            pass
    kept += mapped, server, datagrams
    with open(ready, "w"):
        pass
    while not os.path.exists(go):
        select.select([], [], [], 0.02)


globals()[sys.argv[1]](*sys.argv[2:])
