#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""vseasm: assembles programs of z/VSE in HLASM with GNU as, for Linux on s390x; vseasm(1)"""

import argparse
import functools
import os
import platform
import shlex
import subprocess
import sys
import tempfile

import ezasmi
import socket_macro
import system
from assembly import Assembly
from errors import AsmError, SourceError
from source import Reader
from tables import Tables

HERE = os.path.dirname(os.path.realpath(__file__))


def macros():
    with open(os.path.join(HERE, "macros"), encoding="ascii") as file:
        tables = Tables(file.read())
    return {**system.MACROS, "EZASMI": functools.partial(ezasmi.expand, tables),
            "SOCKET": functools.partial(socket_macro.expand, tables)}


def translate(path, first=True):
    """Returns a source, the first or another one of a program, as GNU as takes it."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(path, 1, 1, getattr(error, "strerror", None) or "not a text in UTF-8") from None
    assembly = Assembly(macros())
    assembly.assemble(Reader(path, text).statements())
    try:
        return assembly.gnu(first)
    except AsmError as error:
        raise SourceError(path, 1, 1, error.text) from None


def compiler():
    chosen = os.environ.get("VSEASM_CC")
    if chosen:
        return shlex.split(chosen)
    return ["gcc" if platform.machine() == "s390x" else "s390x-linux-gnu-gcc"]


def build(texts, output, libraries):
    """Assembles and links; returns the exit code."""
    with tempfile.TemporaryDirectory(prefix="vseasm") as work:
        files = []
        for i, text in enumerate(texts):
            files.append(os.path.join(work, f"program{i}.s"))
            with open(files[-1], "w", encoding="ascii") as file:
                file.write(text)
        runtime = [os.path.join(HERE, "runtime", name) for name in ("first.S", "linkage.S", "partition.c", *files, "last.S")]
        command = [*compiler(), "-O1", "-no-pie", "-o", output, *runtime, *(f"-L{name}" for name in libraries), "-lvsesock",
                   "-Wl,--no-warn-rwx-segments", "-Wl,--allow-shlib-undefined"]
        try:
            return 8 if subprocess.run(command, check=False).returncode else 0
        except OSError as error:
            print(f"vseasm: {command[0]}: {error.strerror}", file=sys.stderr)
            return 69


class Parser(argparse.ArgumentParser):
    """A wrong command line is one line, and the exit code that of the other commands."""

    def error(self, message):
        self.exit(64, f"{self.prog}: {message}; see {self.prog} --help\n")


def main():
    parser = Parser(prog="vseasm", description="Assembles programs in HLASM for Linux on s390x.")
    parser.add_argument("-S", action="store_true", help="write the source for GNU as, and do not assemble it")
    parser.add_argument("-o", metavar="FILE", help="the program; default: the name of the first source without its ending")
    parser.add_argument("-L", metavar="DIR", action="append", default=[], help="where libvsesock.so is")
    parser.add_argument("source", nargs="+")
    options = parser.parse_args()
    try:
        texts = [translate(path, i == 0) for i, path in enumerate(options.source)]
    except SourceError as error:
        print(error, file=sys.stderr)
        return 8
    if options.S:
        for text in texts:
            sys.stdout.write(text)
        return 0
    output = options.o or os.path.splitext(os.path.basename(options.source[0]))[0]
    return build(texts, output, options.L)


if __name__ == "__main__":
    sys.exit(main())
