#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Time limit: 60 s
"""The comparison of counts sees what it is to see: a call more, a call less, a new call"""

import contextlib
import io
import os
import random
import runpy
import sys
import tempfile

COMPARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare")

passed = failed = 0
work = tempfile.TemporaryDirectory()
known, counted = (os.path.join(work.name, name) for name in ("known", "counted"))


def check(text, got, want):
    global passed, failed
    passed, failed = (passed + 1, failed) if got == want else (passed, failed + 1)
    print(f"ok: {text}" if got == want else f"FAILED: {text}: {got!r}, not {want!r}")


def write(path, of, sends, others):
    """What count.c says of a process that makes two kinds of calls, and of the far end."""
    calls = [("lfpd", "sendmsg", sends), ("lfpd", "ioctl", others), ("lfpd", "wake-ups", random.randrange(32768)),
             ("far", "close", random.randrange(32768))]  # fmt: skip
    with open(path, "w") as file:
        file.writelines(f"{of}\t{process}\t{call}\t{count}\t1\t9\n" for process, call, count in calls if call != "ioctl" or count)


def run(*words):
    """Runs compare. Returns its exit code and its lines."""
    sys.argv, out = [COMPARE, *words], io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            runpy.run_path(COMPARE, run_name="__main__")
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue().splitlines()


def compares(code, text, of, sends, others):
    """Compares with 1000 sends and no others. Returns the lines."""
    write(known, of, 1000, 0)
    write(counted, of, sends, others)
    got, lines = run(known, counted)
    check(text, got, code)
    return lines


# All in one process: each start of an interpreter can be many processes, for instance those of pyenv.
compares(0, "the same calls", "socket", 1000, 0)
lines = compares(1, "a control work: one more", "socket", 1001, 0)
check("- which is named", lines[-1:], ["socket, lfpd: sendmsg 31.28 an operation instead of 31.25"])
compares(1, "a control work: one less", "socket", 999, 0)
compares(1, "a control work: a new call", "socket", 1000, 1)
compares(0, "a stream: 10 % more", "bulk-in", 1100, 0)
compares(1, "a stream: more than that", "bulk-in", 1101, 0)
lines = compares(0, "a stream: fewer", "bulk-in", 500, 0)
check("- which is told", [line.split(": ")[:2] for line in lines[-1:]], [["bulk-in, lfpd", "fewer calls"]])
compares(1, "a stream: a new call in each operation", "bulk-out", 900, 32)
compares(0, "a stream: a new call now and then", "bulk-out", 900, 4)
write(counted, "round-trip", 5, 5)
check("a new file is written", run("--update", known, counted)[0], 0)
with open(known) as file:
    lines = [line.rstrip("\n").split("\t") for line in file if line[0] != "#" and "wake-ups" not in line]
check("- without the far end", lines, [["round-trip", "lfpd", "ioctl", "5"], ["round-trip", "lfpd", "sendmsg", "5"]])
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
