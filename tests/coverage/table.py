#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""table.py FILE [ROOM] - lines and branches of each room, from gcovr's summary; with ROOM, of its files"""
import collections
import json
import sys

KEYS = ("line_covered", "line_total", "branch_covered", "branch_total")
sums = collections.defaultdict(collections.Counter)
with open(sys.argv[1]) as f:
    files = json.load(f)["files"]
for file in files:
    name = file["filename"]
    if len(sys.argv) > 2:
        if not name.startswith(sys.argv[2] + "/"):
            continue
    else:
        name = name.split("/")[0]
    sums[name].update({key: file[key] for key in KEYS})


def percent(part, whole):
    return f"{100 * part / whole:5.1f} %" if whole else "      -"


width = max(map(len, sums), default=0)
print(f"{'':{width}}    lines          branches")
for name, n in sorted(sums.items()):
    print(f"{name:{width}} {n['line_total']:6} {percent(n['line_covered'], n['line_total'])}"
          f"  {n['branch_total']:6} {percent(n['branch_covered'], n['branch_total'])}")
