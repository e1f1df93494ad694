#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of tests/data/rules.tsv for test-rules-table.sh.

  rules-table.py sets                      the number of sets
  rules-table.py name|rules N              of set N
  rules-table.py calls TIER N              its calls in this tier, for rules-acts.py
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
    """What the log has of each call, without the ends of sockets."""
    out = []
    with open(log) as lines:
        for line in lines:
            if not line.endswith("\n"):
                break
            record = json.loads(line)
            if record["event"] != "end":
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
    if len(records) < at:
        return 2
    if len(records) > at:
        print(f"{len(records) - at} records too many: {' '.join(records[at:])}")
        wrong = True
    print(len(rows), "calls")
    return int(wrong)


def main():
    sets = read()
    verb = sys.argv[1]
    if verb == "sets":
        print(len(sets))
        return 0
    one = sets[int(sys.argv[-1 if verb in ("name", "rules", "calls") else 3])]
    if verb == "name":
        print(one["name"])
    elif verb == "rules":
        print("\n".join(one["rules"]))
    elif verb == "calls":
        print("\n".join(row[1] for row in rows_of(one, sys.argv[2])))
    else:
        return compare(rows_of(one, sys.argv[2]), sys.argv[4], sys.argv[5])
    return 0


sys.exit(main())
