#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lfp-workload capacity: the slide's percent, sums, measured CPU time from results, and files that are none"""

import json
import os
import random
import subprocess
import sys
import tempfile
from types import SimpleNamespace

sys.dont_write_bytecode = True
TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
O = os.path.join(TOP, os.environ.get("O", "build"))
sys.path.insert(0, os.path.join(O, "workload"))
import capacity  # noqa: E402 (lfp-workload's)
from errors import UsageError  # noqa: E402

counts = {"passed": 0, "failed": 0}
work = tempfile.TemporaryDirectory()


def check(text, got, want):
    good = got == want
    counts["passed" if good else "failed"] += 1
    print(f"ok: {text}" if good else f"FAILED: {text}: {got!r}, not {want!r}")


def near(text, got, want, most=1e-9):
    check(text, abs(got - want) <= most * abs(want) or (got, want), True)


def asked(**changes):
    return SimpleNamespace(**{"out": 5000.0, "inward": 20000.0, "work": "ftp", "language": "c", "mode": "zvm", "speed": 1.0, "cps": 1,
                              "results": None, **changes})


def said(*words):
    done = subprocess.run([os.path.join(O, "bin/lfp-workload"), "capacity", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


# The slide
rows = list(capacity.replayed())
check("the slide's percent come out", [[round(value) for value in row["replayed"]] for row in rows], [[29, 20], [55, 20], [26, 9], [26, 9]])
for row, want in zip(rows, ((15.3, 2.8), (26.2, 2.9))):
    check(f"{row['work']}: CPU ms a MB", tuple(round(value, 1) for value in row["ms_per_mb"]), want)
table = capacity.compute(asked())
both = {name: capacity.total(table["published"], name) for name in ("stack", "lfp", "saved")}
near("a stack: 5000 MB and 20000 MB", both["stack"], 5000 * 0.29 / 19 + 20000 * 0.55 / 21)
near("LFP", both["lfp"], 5000 * 0.20 / 72 + 20000 * 0.20 / 70)
near("saved is the difference", both["saved"], both["stack"] - both["lfp"])
check("the slide has no CPU time of lfpd", table["published"]["out"]["lfpd"], None)
near("a CP of twice the speed", capacity.total(capacity.compute(asked(speed=2.0))["published"], "stack"), both["stack"] / 2)
check("more than a day", "more than 1 CPs can do" in "\n".join(capacity.text(capacity.compute(asked(inward=1e7)))), True)
check("but not for many CPs", "can do" in "\n".join(capacity.text(capacity.compute(asked(inward=1e7, cps=64)))), False)
near("the application", capacity.compute(asked(work="application"))["published"]["out"]["stack"], 5000 * 0.26 / 13.8)
check("assumptions are marked", [sum("Assumption" in line for line in capacity.text(capacity.compute(asked(work=work_, mode=mode))))
                                 for work_, mode in (("ftp", "zvm"), ("ftp", "lpar"), ("application", "lpar"))], [1, 2, 3])

# Measured CPU time
cell = {"ms_per_mb": {"zvse": 2.0, "lfpd": 0.5}}
good = {"table": "lfp", "complete": True, "quick": False, "started": "today", "machine": {"processor": "a", "kernel": "6"},
        "cells": {"stack-osa": {key: {"ms_per_mb": {"zvse": 8.0}} for key in ("ftp-out", "ftp-in", "c-in")},
                  "unix": {"ftp-out": cell, "ftp-in": cell}, "hipersockets": {"ftp-in": {"ms_per_mb": {"zvse": 3.0, "lfpd": 1.0}}}}}


def results(content):
    path = os.path.join(work.name, "results.json")
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


table = capacity.compute(asked(results=results(good)))
near("measured: a stack", capacity.total(table["measured"], "stack"), 25000 * 0.008)
near("measured: LFP", capacity.total(table["measured"], "lfp"), 25000 * 0.002)
near("measured: lfpd, apart", capacity.total(table["measured"], "lfpd"), 25000 * 0.0005)
check("a whole run has no doubts", table["measured"]["doubts"], [])
check("published stays as it was", table["published"], capacity.compute(asked())["published"])
check("--speed changes published numbers alone", capacity.compute(asked(results=results(good), speed=4.0))["measured"], table["measured"])
table = capacity.compute(asked(results=results(good), mode="lpar", out=0.0))
check("an LPAR is hipersockets", (table["measured"]["in"]["route"], table["measured"]["in"]["lfp"]), ("hipersockets", 60.0))
table = capacity.compute(asked(results=results(good), work="application"))
check("a cell that was not measured", [capacity.total(table["measured"], name) for name in ("stack", "lfp", "lfpd")], [None] * 3)
check("is shown as such", any(line.startswith("both, measured here") and line.split()[-4:] == ["-"] * 4 for line in capacity.text(table)), True)
table = capacity.compute(asked(results=results({**good, "quick": True, "complete": False})))
check("quick and partial runs are told", sum(line.startswith("measured here: a ") for line in capacity.text(table)), 2)
with_iucv = {**good, "cells": {**good["cells"], "iucv": {"ftp-out": cell, "ftp-in": cell}}}
check("iucv comes first", capacity.compute(asked(results=results(with_iucv)))["measured"]["in"]["route"], "iucv")


# Files that are none
def refused(text, content, why):
    try:
        capacity.text(capacity.compute(asked(results=results(content))))
        got = "accepted"
    except UsageError as error:
        got = str(error).rpartition(": ")[2]
    check(text, got, why)


refused("no JSON", b"{", "it is not JSON")
refused("no text", b"\xff\xfe", "it is not JSON")
refused("deep", b"[" * 100000, "it is not JSON")
refused("another table", {**good, "table": "capacity"}, "it has no cells of the table lfp")
refused("a list", b"[]", "it has no cells of the table lfp")
refused("too long", b" " * (2**24 + 1), "it has more than 16 MiB")
for value in (-1.0, 1e300, float("nan"), "8", True):
    bad = json.loads(json.dumps(good))
    bad["cells"]["stack-osa"]["ftp-in"]["ms_per_mb"]["zvse"] = value
    refused(f"CPU time {value!r}", bad, f"{value!r} is no CPU time")
refused("a column that is no object", {**good, "cells": {"stack-osa": []}}, "no object")
table = capacity.compute(asked(results=results({**good, "machine": {"processor": "\x1b[2J" + "x" * 10000}})))
check("a terminal's controls are not printed", (any("\x1b" in line for line in capacity.text(table)), len(table["measured"]["where"]) < 200), (False, True))

seed = random.Random(19)
accepted = 0
for _ in range(500):
    data = bytearray(json.dumps(good).encode())
    for _ in range(seed.randint(1, 4)):
        at = seed.randrange(len(data))
        if seed.random() < 0.3:
            del data[at:at + seed.randint(1, 20)]
        else:
            data[at] = seed.choice(b'{}[]",:0189eE.-ntf\\ ')
    try:
        capacity.text(capacity.compute(asked(results=results(bytes(data)))))
        accepted += 1
    except UsageError:
        pass
check("500 damaged files: accepted or refused", 0 < accepted < 500, True)

# The command
code, out, err = said("--out", "5000", "--in", "20000", "--json")
check("as JSON", (code, json.loads(out)["published"]["out"]["stack"], err), (0, capacity.compute(asked())["published"]["out"]["stack"], ""))
for words, text in ((("--out", "0"), "no data, so there is nothing to compute"), (("--in", "nan"), "nan: not a number from 0 to 1e+12"),
                    (("--in", "-5"), "-5: not a number from 0"), (("--in", "1", "--cps", "0"), "0: not a number from 1 to 256"),
                    (("--in", "1", "--speed", "0"), "0: not a number from 0.001 to 1000"), (("--in", "1", "--mode", "vm"), "invalid choice: 'vm'"),
                    (("--in", "1", "--results", "/nowhere"), "/nowhere: No such file or directory"),
                    (("--in", "1", "--results", "/"), "/: Is a directory")):
    code, out, err = said(*words)
    check(f"capacity {' '.join(words)}", (code, out, text in err, err.count("\n")), (64, "", True, 1))
with open("/dev/full", "w", encoding="ascii") as full:
    done = subprocess.run([os.path.join(O, "bin/lfp-workload"), "capacity", "--in", "1"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
check("a full disk", (done.returncode, done.stderr), (74, "lfp-workload: cannot write the results: No space left on device\n"))

print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
sys.exit(1 if counts["failed"] else 0)
