#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of tests/data/rules.tsv for test-rules-table.sh.

  rules-table.py write DIR                 write N.name, N.rules, and N.TIER, the calls for rules-acts.py, of each set N;
                                           print the number of sets
  rules-table.py compare TIER N SAID LOG   compare results and records; print what differs and the number of calls.
                                           Exit code 1: something differs, 2: records are missing yet
"""
import json
import os
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "rules.tsv")


def read():
    sets = []
    with open(TABLE) as lines:
        for line in lines:
            line = line.rstrip("\n").replace("@UID@", str(os.getuid()))
            if line.startswith("= "):
                sets.append({"name": line[2:], "rules": [], "rows": []})
            elif line.startswith("| "):
                sets[-1]["rules"].append(line[2:])
            elif not line.startswith("#"):
                sets[-1]["rows"].append(line.split("\t"))
    return sets


def rows_of(one, tier):
    return [row for row in one["rows"] if row[0] in ("any", tier)]


def records_of(log):
    """What the log has of each call, without the ends of sockets, and without a bind or a listen that found the socket of the
    call before still there: the program does not see it, because the instance asks again (ijblfp/ctl/again.c)."""
    out = []
    with open(log) as lines:
        for line in lines:
            if not line.endswith("\n"):
                break
            record = json.loads(line)
            if record["event"] != "end" and record.get("result") != "EADDRINUSE":
                sign = "-" if record.get("refused_by") == "rule" else "+"
                out.append(f'{record["event"]}{sign}{record.get("rule", "")}')
    return out


def compare(rows, said, log):
    with open(said) as text:
        results = text.read().split("\n")[:-1]
    records, at, wrong = records_of(log), 0, False
    for i, (_, call, result, wanted) in enumerate(rows):
        got = results[i] if i < len(results) else "nothing"
        wanted = wanted.split()
        found = records[at : at + len(wanted)]
        at += len(wanted)
        if got != result or found != wanted:
            print(f"{call}: {got}, {' '.join(found)}; wanted: {result}, {' '.join(wanted)}")
            wrong = True
    if len(records) > at:
        print(f"{len(records) - at} records too many: {' '.join(records[at:])}")
        wrong = True
    print(len(rows), "calls")
    return 2 if len(records) < at else int(wrong)


def write(sets, directory):
    def put(name, lines):
        with open(os.path.join(directory, name), "w") as text:
            text.write("".join(line + "\n" for line in lines))
    for i, one in enumerate(sets):
        put(f"{i}.name", [one["name"]])
        put(f"{i}.rules", one["rules"])
        for tier in "preload", "seccomp":
            put(f"{i}.{tier}", [row[1] for row in rows_of(one, tier)])
    print(len(sets))
    return 0


def main():
    sets = read()
    if sys.argv[1] == "write":
        return write(sets, sys.argv[2])
    tier, number, said, log = sys.argv[2:]
    return compare(rows_of(sets[int(number)], tier), said, log)


sys.exit(main())
