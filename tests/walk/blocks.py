# SPDX-License-Identifier: Apache-2.0
"""Finds the blocks of commands in the pages of this tree: literal blocks whose lines begin with a program.

In the source of an example, the lines "Compile:" and "Run:" are blocks. Any other page is Markdown (indented and fenced code) or mdoc (.Bd -literal, .Dl). A line begins with a program if its first word, after a
prompt and assignments of variables, is a program of this tree or of the system, one of PROGRAMS, or a word of the shell."""

import collections
import glob
import os
import re
import shutil
import subprocess

PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "examples/*.md", "examples/*/README.md", "man/*.[1-8]",
         "examples/*.c", "examples/*/*.c", "examples/*/*.cbl")
Block = collections.namedtuple("Block", "page line text")

ITEM = re.compile(r" *(?:[*-]|\d+\.) +")
FENCE = re.compile(r" *(```+|~~~+)(\S*)")
WORDS = {"export", "for", "while", "if", "cd", "umask", "echo", "exec", ".", "source", "kill", "wait", "test", "["}
# Programs of this tree, and programs of others that a machine may lack
PROGRAMS = set("""lfpd lfpd-ctl lfpd-admin ijblfpop lfp-run lfp-via vsejob zdev vseasm lfp-workload vselfp-course vselfp-class
    ansible-playbook cmake cobc curl gcc ip jq journalctl kubectl make meson mkdocs npm pip pkg-config podman python3 socat ss systemctl
    systemd-sysusers tshark wireshark""".split())
ASSIGNMENT = re.compile(r"(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\$\([^)]*\)|\S)*\s+)*")
ESCAPES = ((r"\e", "\\"), (r"\-", "-"), (r"\(aq", "'"), (r"\(dq", '"'), (r"\(ti", "~"), (r"\(ha", "^"), (r"\(ga", "`"), (r"\&", ""))


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def markdown(text):
    """Yields the line and the text of each code block."""
    lines = text.split("\n") + [""]
    number, before_empty, item = 0, True, 0
    while number < len(lines):
        line = lines[number]
        fence = FENCE.match(line)
        column = len(line) - len(line.lstrip())
        if fence:
            start = number + 1
            number += 1
            while number < len(lines) and lines[number].strip() != fence.group(1):
                number += 1
            if fence.group(2) != "mermaid":
                yield start + 1, "\n".join(lines[start:number])
        elif line.strip() and before_empty and column >= item + 4:
            start = number
            while number < len(lines) and (not lines[number].strip() or len(lines[number]) - len(lines[number].lstrip()) >= item + 4):
                number += 1
            yield start + 1, "\n".join(l[column:] for l in lines[start:number]).rstrip()
            number -= 1
        elif ITEM.match(line):
            item = ITEM.match(line).end()
        elif line.strip() and before_empty and column < item:
            item = 0
        before_empty = number < len(lines) and not lines[number].strip()
        number += 1


def plain(line):
    for escape, char in ESCAPES:
        line = line.replace(escape, char)
    return line


def mdoc(text):
    """Yields the line and the text of each literal display."""
    start, body = 0, []
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\.Bd .*(-literal|-unfilled)", line):
            start, body = number + 1, []
        elif line.startswith(".Ed") and start:
            yield start, "\n".join(body)
            start = 0
        elif start and not line.startswith('.\\"'):
            body.append(plain(re.sub(r"^\.(?:Ic|Li|Pa|Cm|D1|Dl) ", "", line)))
        elif line.startswith(".Dl "):
            yield number, plain(line[4:])


def source(text):
    """Yields the lines of an example's source that say how to compile and to run it."""
    for number, line in enumerate(text.split("\n"), 1):
        told = re.match(r" *(?:\*>|\*) (?:Compile|Run): +(.+)", line)
        if told:
            yield number, told.group(1)


def command(line):
    """Returns the line without its prompt if it begins with a program, or None."""
    bare = re.sub(r"^\s*[$#] (?=\S)", "", line).lstrip()
    word = bare[ASSIGNMENT.match(bare).end():].split(" ")[0].rstrip(";")
    if not word or not re.match(r"[a-z./\[]", word):
        return None
    known = word in WORDS or word in PROGRAMS or shutil.which(word) or word.startswith("./") or re.match(r"(?:build|scripts|tests|bench|course)/", word)
    return bare if known else None


def blocks(tree):
    """Returns the blocks of all pages that have at least one line that begins with a program."""
    found = []
    for pattern in PAGES:
        for path in sorted(glob.glob(os.path.join(tree, pattern))):
            page = os.path.relpath(path, tree)
            text = read(path)
            kind = markdown if page.endswith(".md") else source if page.endswith((".c", ".cbl")) else mdoc
            for line, body in kind(text):
                if any(command(l) for l in body.split("\n")):
                    found.append(Block(page, line, body))
    return found


# Programs whose words in running text are looked up in their manuals
MANUALS = {"lfpd": "lfpd.8", "lfpd-ctl": "lfpd-ctl.8", "lfpd-admin": "lfpd-admin.8", "ijblfpop": "ijblfpop.8", "lfp-run": "lfp-run.1", "lfp-via": "lfp-via.8",
           "vsejob": "vsejob.1", "zdev": "zdev.1", "vseasm": "vseasm.1", "lfp-workload": "lfp-workload.1", "vselfp-course": "vselfp-course.1",
           "vselfp-class": "vselfp-class.8"}
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def spans(tree):
    """Returns the commands within the text of Markdown pages as blocks, and what is wrong with each: "" or a word's fault.

    The first word after the options, and each option, has to be in the program's manual."""
    known = {}
    for program, page in MANUALS.items():
        text = subprocess.run(["mandoc", "-T", "utf8", os.path.join(tree, "man", page)], capture_output=True, encoding="utf-8", check=True)
        known[program] = set(re.findall(r"[\w.-]+", re.sub(r".\x08", "", text.stdout)))
    found = []
    for pattern in PAGES:
        for path in sorted(glob.glob(os.path.join(tree, pattern))):
            if not path.endswith(".md"):
                continue
            with open(path, encoding="utf-8") as f:
                for number, line in enumerate(f, 1):
                    for span in () if line.startswith("    ") else SPAN.findall(line):
                        words = span[ASSIGNMENT.match(span).end():].split()
                        if len(words) < 2 or words[0] not in MANUALS:
                            continue
                        options = [w.split("=")[0] for w in words[1:] if re.match(r"--?[a-z]", w)]
                        if words[0] == "lfp-run":  # the words of the program that it starts are not its own
                            options = options[:1] if words[1].startswith("-") else []
                        verb = [] if words[0] in ("lfp-run", "lfpd", "vsejob", "vseasm") or not re.fullmatch(r"[A-Za-z-]+", words[1]) else words[1:2]
                        wrong = [w for w in options + verb if w not in known[words[0]]]
                        found.append((Block(os.path.relpath(path, tree), number, span), f"not in its manual: {' '.join(wrong)}" if wrong else ""))
    return found
