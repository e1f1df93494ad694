#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run a program on a terminal of 80x24, send keys, and print the screen that it shows.

  pty-screen.py [-k KEYS]... [-u TEXT] PROGRAM...

Waits until the screen has TEXT, then sends each KEYS and waits until the screen has changed, prints the
screen, sends "q", and ends with the program's exit code. Knows the sequences that a screen of ours may
use; others are an error, and so is a line that is too long.
"""
import os
import pty
import re
import select
import struct
import sys
import termios
import fcntl
import time

ROWS, COLUMNS, PATIENCE = 24, 80, 30


class Screen:
    def __init__(self):
        self.lines = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.rest = b""
        self.other = False

    def put(self, data):
        self.rest += data
        while self.rest:
            sequence = re.match(rb"\x1b\[([?0-9;]*)([A-Za-z])", self.rest)
            if sequence:
                self.control(sequence[1].decode(), sequence[2].decode())
                self.rest = self.rest[sequence.end():]
            elif self.rest[0] == 0x1B:
                if len(self.rest) < 16:
                    return
                sys.exit(f"unknown sequence {self.rest[:16]!r}")
            else:
                self.character(self.rest[0])
                self.rest = self.rest[1:]

    def control(self, numbers, letter):
        if letter == "H" and not numbers:
            self.row = self.column = 0
        elif letter == "K":
            self.lines[self.row][self.column:] = [" "] * (COLUMNS - self.column)
        elif letter == "J":
            self.lines[self.row][self.column:] = [" "] * (COLUMNS - self.column)
            for row in range(self.row + 1, ROWS):
                self.lines[row] = [" "] * COLUMNS
        elif letter in "hl" and numbers in ("?1049", "?25"):
            if numbers == "?1049":
                self.other = letter == "h"
        elif letter != "m":
            sys.exit(f"unknown sequence ESC [ {numbers} {letter}")

    def character(self, byte):
        if byte == 0x0D:
            self.column = 0
        elif byte == 0x0A:
            self.row += 1
            if self.row >= ROWS:
                sys.exit("the screen scrolls")
        elif self.column >= COLUMNS:
            sys.exit(f"line {self.row + 1} is longer than the screen")
        else:
            self.lines[self.row][self.column] = chr(byte)
            self.column += 1

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines)

    def without_clock(self):
        return re.sub(r"^\d\d:\d\d:\d\d ", "", self.text(), flags=re.MULTILINE)


def main():
    arguments, keys, until = sys.argv[1:], [], ""
    while arguments and arguments[0] in ("-k", "-u"):
        if arguments[0] == "-k":
            keys.append(arguments[1].encode().decode("unicode_escape").encode())
        else:
            until = arguments[1]
        arguments = arguments[2:]
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.environ["TERM"] = "xterm"
        os.execvp(arguments[0], arguments)
    screen = Screen()
    deadline = time.monotonic() + PATIENCE

    def wait_for(condition, what):
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                sys.exit(f"{what}:\n{screen.text()}")
            if select.select([fd], [], [], left)[0]:
                try:
                    data = os.read(fd, 65536)
                except OSError:
                    sys.exit(f"the program has ended:\n{screen.text()}")
                screen.put(data)

    wait_for(lambda: screen.other and until in screen.text() and "q ends" in screen.text(), f"no '{until}' on the screen")
    for key in keys:
        before = screen.without_clock()
        os.write(fd, key)
        wait_for(lambda: screen.without_clock() != before, f"{key!r} changes nothing")
    print(screen.text())
    os.write(fd, b"q")
    try:
        while data := os.read(fd, 65536):
            screen.put(data)
    except OSError:
        pass
    if screen.other:
        sys.exit("the terminal is not as it was")
    _, status = os.waitpid(pid, 0)
    sys.exit(os.waitstatus_to_exitcode(status))


main()
