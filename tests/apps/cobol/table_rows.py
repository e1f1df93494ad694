# SPDX-License-Identifier: Apache-2.0
"""The rows of ezasoket.table: the written ones, and those that come by themselves of lists, options and translation tables."""
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")

# A parameter of each kind, where its value does not matter.
USUAL = {
    "s": "h:S1", "h": "h:0", "f": "f:0", "n": "NAME", "c": "CLIENT",
    "p": "POINTER-3", "i": "IDENT", "j": "SUBTASK", "a": "BUF",
}  # fmt: skip


class Row:
    def __init__(self, function, what, before="", params=(), retcode="-1", errno="", check="", after="", source=""):
        self.source = source.split()
        self.function, _, self.family = function.partition("@")
        self.what, self.params = what, list(params)
        self.before = [s.strip() for s in before.split(";") if s.strip()]
        self.retcode, self.errno, self.check, self.after = retcode, errno, check, after
        self.plain = False
        self.of_option = False  # tests/eza/options.c has those with native numbers

    def needs_sizes(self):
        """Does its result depend on sizes and types of parameters, which a COBOL program tells, and a C program does not?"""
        cut = any(re.fullmatch(r"NAME\(.*\)|BUF\(1:[24]\)", param) for param in self.params)
        told = re.search("is no binary number|too many parameters|too few parameters", self.what)
        cobol = "(COBOL)" in self.what or self.of_option or self.function == "TERMAPI"
        return cobol or self.retcode != "0" and bool(cut or told)

    def is_helper(self):
        return self.function.startswith("EZACIC")


class List:
    def __init__(self, words, source):
        self.source = source
        parts, _, flags = " ".join(words).partition(":")
        self.name, extended, *self.kinds = parts.split()
        self.extended = int(extended)
        self.flags = flags.split()

    def error(self, symbol):
        return f"{symbol}/{self.extended}" if self.extended else symbol

    def row(self, what, errno, params=None, before="", source="ours table68"):
        return Row(self.name, what, before, self.usual() if params is None else params, errno=errno, source=source)

    def usual(self):
        return [USUAL[kind] for kind in self.kinds]

    def with_one(self, at, value):
        return [value if i == at else param for i, param in enumerate(self.usual())]

    def not_open(self, what):
        if "first" in self.flags or "starts" in self.flags:
            return []
        return [self.row(what, "EIBMBADCALL/10108")]

    def wrong(self):
        """Wrong argument cases, for an open interface whose S1 is a socket."""
        count = "EIBMBADPARM/10105"
        yield self.row("too many parameters", count, self.usual() + ["f:0"] * (2 if "plain" in self.flags else 1))
        if self.kinds:
            yield self.row("too few parameters", count, self.usual()[:-1])
        for at, kind in enumerate(self.kinds):
            if kind != "a":
                yield self.row(f"parameter {at + 1} is OMITTED", self.error("EIBMBADPARM"), self.with_one(at, "omit"))
            if kind not in "an":
                nowhere = self.with_one(at, "nowhere")
                yield self.row(f"parameter {at + 1} is nobody's memory", self.error("EFAULT"), nowhere, source="errno-vse table68")
        numbers = [at for at, kind in enumerate(self.kinds) if kind in "shf"]
        if numbers:
            wrong = self.with_one(numbers[0], "DIGITS-4")
            yield self.row(f"parameter {numbers[0] + 1} is no binary number", self.error("EINVAL"), wrong)
        if "s" in self.kinds:
            yield self.row("a descriptor that is none", "EBADF", self.with_one(0, "h:40"), "PERFORM ANYBODY", "table67")


def words(text):
    """Blank separated, but for literals."""
    return re.findall(r"(?:X?'[^']*'|\S)+", text)


def data(name):
    """The rows of a file in tests/data."""
    for line in open(os.path.join(TOP, "tests", "data", name)):
        if not line.startswith("#"):
            yield line.rstrip("\n").split("\t")


def translations():
    """All 256 bytes of each helper that translates."""
    for helper, row, to, source in data("ezacic.tsv"):
        of = "".join(f"{row}{digit:X}" for digit in range(16))
        what = f"bytes {row}0 to {row}F"
        check = f"BUF(1:16) = X'{to.replace(' ', '')}'"
        yield Row(f"EZACIC{helper}", what, f"MOVE X'{of}' TO BUF(1:16)", ["BUF", "f:16"], "0", "7777", check, source=source)


def values(kind, length, value):
    """Values of an option as a program has them: what is set, in hexadecimal, and what is read back."""
    size = int(length)
    if kind == "flag":
        return [f"{number:0{2 * size}X}" for number in (1, 0, 1)]
    if kind == "byte":
        return [f"{number:0{2 * size}X}" for number in (7, 255)]
    if kind == "buffer":
        return [f"{number:08X}" for number in (512, 1024, 0, 20000, 1000000)]
    if kind == "time":
        return ["000000010007A120"]
    if kind in ("bytes", "address", "join", "leave"):
        return [value]
    if kind == "none":
        return ["00" * size]
    if kind in ("join6", "leave6"):
        return [value + "00000001"]
    return [f"{int(value):0{2 * size}X}"]


def options():
    """Each option in each length, on a socket of its own."""
    alone = {"join": "0", "join6": "0", "leave": "EADDRNOTAVAIL", "leave6": "EADDRNOTAVAIL", "told": "ENOPROTOOPT", "none": "ENOPROTOOPT", "refused": "EACCES"}
    for name, number, kind, lengths, socket, value, source in data("options.tsv"):
        at, optname = "@" + socket[-1], f"f:{int(number, 16)}"
        for length in lengths.split():
            what = f"{name}, {length} bytes"
            kinds = f"f:AF f:{1 if socket[0] == 's' else 2} f:0".split()
            yield Row("SOCKET" + at, f"for {what}", "", kinds, "any", "0", "", "MOVE RETCODE TO S", source=source)
            for set_to in values(kind, length, value):
                error = alone.get(kind, "0")
                made = f"MOVE ALL X'EE' TO BUF2(1:32); MOVE X'{set_to}' TO BUF2(1:{len(set_to) // 2})"
                if kind == "none":  # too long for a literal
                    made = f"MOVE ALL X'00' TO BUF2(1:{length})"
                result = "0" if error == "0" else "-1"
                param = f"BUF2(1:{max(int(length), len(set_to) // 2)})"
                yield Row("SETSOCKOPT" + at, what, made, ["h:S", optname, param, f"f:{length}"], result, error, source=source)
                if kind[:4] in ("join", "leav"):
                    continue
                if kind == "none":
                    yield Row("GETSOCKOPT" + at, what, "", ["h:S", optname, "BUF", f"f:{length}"], "-1", error, source=source)
                    continue
                asked = f"MOVE ALL X'EE' TO BUF(1:32); MOVE {length} TO FW2"
                check = f"BUF(1:{len(set_to) // 2}) = X'{set_to}' AND FW2 = {len(set_to) // 2}"
                yield Row("GETSOCKOPT" + at, what, asked, ["h:S", optname, "BUF", "FW2"], "0", "0", check, source=source)
            yield Row("CLOSE" + at, f"after {what}", "", ["h:S"], "0", "0", source=source)


def check_sources(rows, sources):
    """No row without a source, no source that is not explained, none that no row has."""
    known = set(sources) | {word for name in ("ezacic.tsv", "options.tsv") for row in data(name) for word in row[-1].split()}
    used = {word for row in rows for word in row.source}
    for row in rows:
        name = getattr(row, "name", "") or f"{row.function}, {row.what}"
        if not name.startswith("-") and (not row.source or not set(row.source) <= known):
            sys.exit(f"{name}: no source, or an unknown one: {' '.join(row.source)}")
    if set(sources) - used:
        sys.exit(f"sources that nothing has: {' '.join(sorted(set(sources) - used))}")


def read(path):
    """Rows in the order of the program."""
    lists, written, sources = [], [], []
    for line in open(path):
        line, _, source = line.strip().partition(" <- ")
        if line.startswith("source "):
            sources.append(line.split()[1])
        elif line.startswith("list "):
            lists.append(List(line.split()[1:], source.split()))
        elif line and not line.startswith("#"):
            fields = [field.strip() for field in line.split("|")]
            if fields[0] == "-":
                written.append(Row("-", "", fields[1]))
            else:
                fields += [""] * (8 - len(fields))
                written.append(Row(*fields[:3], words(fields[3]), *fields[4:8], source))
    rows = [row for one in lists for row in one.not_open("before INITAPI")]
    rows += written
    rows += [row for one in lists for row in one.wrong()]
    of_options = list(options())
    for row in of_options:
        row.of_option = True
    rows += [*of_options, *translations()]
    rows += [Row("TERMAPI", "at last", retcode="0", errno="0", source="termapi")]
    rows += [row for one in lists for row in one.not_open("after TERMAPI")]
    check_sources(rows + lists, sources)
    plain = {one.name for one in lists if "plain" in one.flags}
    for row in rows:
        row.plain = row.function in plain
    return rows
