#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A terminal of Hercules' console, for test-tn3270.sh.

  tn3270.py core FILE           write main storage with a program of System/370 that greets the terminal, and sends back what it reads
  tn3270.py session HOST:PORT TEXT... -- PROGRAM...
                                run c3270 by PROGRAM..., enter each TEXT, print the program's lines; ends with 0 if each was sent back
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
sys.dont_write_bytecode = True

GREETING, BACK = "LFP READY", "GOT"
WIDTH = 40  # of the field that is typed into
WRITE, READ, PSW, STREAM, INPUT = 0x418, 0x420, 0x410, 0x500, 0x600
DEVICE = "0009"


def text(string):
    return string.encode("cp037")


def stream():
    """What is written to the terminal, and where in it the text goes that is sent back."""
    before = (bytes.fromhex("C3 114040 1D60") + text(GREETING)  # restore the keyboard; line 1, protected
              + bytes.fromhex("11C150 1D60") + text(BACK + " "))  # line 2
    behind = bytes.fromhex("11C260 1D40 13 11C34A 1D60")  # line 3: a field, with the cursor in it
    return before + text(" " * WIDTH) + behind, STREAM + len(before)


def core():
    """Main storage from 0: PSWs, the program at 200, its I/O interruption at 240, channel programs at 418."""
    storage = bytearray(0x1000)

    def put(at, *parts):
        data = b"".join(bytes.fromhex(p) if isinstance(p, str) else p for p in parts)
        storage[at:at + len(data)] = data

    data, back = stream()
    put(0x000, "00000000 00000200")  # PSW of restart
    put(0x068, "00020000 00000BAD")  # of program interruptions: a disabled wait
    put(0x078, "00000000 00000240")  # of I/O interruptions
    put(0x200, "9D00", DEVICE,       # TIO until the device is free
        "47700200",
        "D20300480400",              # MVC to the CAW: write
        "9C00", DEVICE,              # SIO
        "47700200",
        "9D00", DEVICE, "47200216",  # TIO until it has ended
        "82000410")                  # LPSW: wait for an interruption
    put(0x240, "91800044",           # TM: attention?
        "47800200",                  # no: a terminal has come, write
        "92400600 D26206010600",     # blanks for the input
        "D20300480404",              # MVC to the CAW: read
        "9C00", DEVICE, "47700200",
        "9D00", DEVICE, "47200260",
        "D2", bytes([WIDTH - 1]), back.to_bytes(2, "big"), "0606",  # MVC of the text, behind AID, cursor, SBA and its address
        "47F00200")
    put(0x400, WRITE.to_bytes(4, "big"), READ.to_bytes(4, "big"))
    put(PSW, "FE020000 00000000")    # a wait with all channels enabled, and the interval timer not
    put(WRITE, "05", STREAM.to_bytes(3, "big"), "2000", len(data).to_bytes(2, "big"))  # Erase/Write
    put(READ, "06", INPUT.to_bytes(3, "big"), "2000", "0064")  # Read Modified
    put(STREAM, data)
    return bytes(storage)


def session(host, *rest):
    from screen import Terminal
    at = rest.index("--")
    terminal = Terminal([*rest[at + 1:], "c3270", "-model", "2", host], rows=25)
    terminal.wait_text(GREETING)
    for word in rest[:at]:
        terminal.keys(word + "\r")
        terminal.wait_text(f"{BACK} {word}")
        print(*terminal.lines()[:2], sep="\n")  # the program's; below them c3270 may not be done yet
    terminal.keys("\x1d")  # Ctrl-] asks for commands
    terminal.wait_text("c3270>")
    terminal.keys("quit\r")
    return terminal.end()


if sys.argv[1] == "core":
    with open(sys.argv[2], "wb") as f:
        f.write(core())
else:
    sys.exit(session(*sys.argv[2:]))
