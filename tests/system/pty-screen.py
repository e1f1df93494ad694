#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run a program on a terminal of 80x24, send keys, and print the screen that it shows.

  pty-screen.py [-k KEYS]... [-u TEXT] PROGRAM...

Waits until the screen has TEXT, then sends each KEYS and waits until the screen has changed, prints the
screen, sends "q", and ends with the program's exit code.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from screen import Terminal  # noqa: E402


def main():
    arguments, keys, until = sys.argv[1:], [], ""
    while arguments and arguments[0] in ("-k", "-u"):
        if arguments[0] == "-k":
            keys.append(arguments[1].encode().decode("unicode_escape"))
        else:
            until = arguments[1]
        arguments = arguments[2:]
    terminal = Terminal(arguments)
    terminal.wait(lambda: until in terminal.text() and "q ends" in terminal.text(), f"'{until}'")
    for key in keys:
        before = terminal.without_clock()
        terminal.keys(key)
        terminal.wait(lambda: terminal.without_clock() != before, f"a change by {key!r}")
    print(terminal.text())
    terminal.keys("q")
    code = terminal.end()
    if not terminal.is_restored():
        sys.exit("the terminal is not as it was")
    sys.exit(code)


main()
