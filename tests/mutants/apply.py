#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plant one fault into a tree: apply.py FAULT TREE. apply.py --check FAULT... only checks that each would apply here.

A fault is a file of these lines:

    breaks: the broken behaviour
    file: a source file
    topics: the conformance topics that are most likely to see it
    ---
    " line", "-line" and "+line", as in a patch without line numbers

Old and context lines must be in the source exactly once.
"""
import sys


def read(path):
    head, _, hunk = open(path, encoding="utf-8").read().partition("---\n")
    said = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
    for key in ("breaks", "file", "topics"):
        if key not in said:
            sys.exit(f"{path}: the line \"{key}:\" is missing")
    lines = hunk.splitlines(keepends=True)
    wrong = [line for line in lines if line[0] not in " -+"]
    if wrong or not lines:
        sys.exit(f"{path}: empty, or a line that does not begin with one of \" -+\": {wrong[:1]}")
    old = "".join(line[1:] for line in lines if line[0] != "+")
    new = "".join(line[1:] for line in lines if line[0] != "-")
    return said, old, new


def plant(fault, tree):
    """Returns the path and the new text of the file with the fault."""
    said, old, new = read(fault)
    path = f"{tree}/{said['file']}"
    try:
        text = open(path, encoding="utf-8").read()
    except OSError as error:
        sys.exit(f"{fault} does not apply: {path}: {error.strerror}")
    # Whole lines only
    times = ("\n" + text).count("\n" + old)
    if times != 1:
        sys.exit(f"{fault} does not apply: its lines are {times} times in {said['file']}")
    return path, ("\n" + text).replace("\n" + old, "\n" + new, 1)[1:]


def main():
    if sys.argv[1] == "--check":
        for fault in sys.argv[2:]:
            plant(fault, ".")
        return
    if len(sys.argv) == 3 and sys.argv[1] == "--say":
        said = read(sys.argv[2])[0]
        print(said["file"], said["topics"], said["breaks"], sep="\n")
        return
    path, text = plant(*sys.argv[1:])
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


main()
