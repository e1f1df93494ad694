#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The functions of EZASOKET as a table: makes a COBOL program of it, and compares that program's output.

  table.py program TABLE [comp5] [ebcdic]       the program, in free format
  table.py compare TABLE FAMILY SPACE [c] <OUTPUT   a line a row; SPACE is zvse, zos or linux; c: it is a C program
"""
import csv
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")

# A parameter of each kind, where its value does not matter.
USUAL = {
    "s": "h:S1", "h": "h:0", "f": "f:0", "n": "NAME", "c": "CLIENT",
    "p": "POINTER-3", "i": "IDENT", "j": "SUBTASK", "a": "BUF",
}  # fmt: skip

DATA = """\
IDENTIFICATION DIVISION.
PROGRAM-ID. TABLE-PROGRAM.
DATA DIVISION.
WORKING-STORAGE SECTION.
01 SOC-FUNCTION PIC X(16).
01 ERRNO PIC 9(8) BINARY.
01 RETCODE PIC S9(8) BINARY.
01 AF PIC 9(8) BINARY VALUE 2.
01 S PIC 9(4) BINARY VALUE 0.
01 S1 PIC 9(4) BINARY VALUE 0.
01 S2 PIC 9(4) BINARY VALUE 0.
01 S3 PIC 9(4) BINARY VALUE 0.
01 S4 PIC 9(4) BINARY VALUE 0.
01 S5 PIC 9(4) BINARY VALUE 0.
01 HW PIC 9(4) BINARY VALUE 0.
01 FW PIC 9(8) BINARY VALUE 0.
01 FW2 PIC 9(8) BINARY VALUE 0.
01 FW3 PIC 9(8) BINARY VALUE 0.
01 MAXSNO PIC 9(8) BINARY VALUE 0.
01 MASK-1 PIC 9(8) BINARY VALUE 0.
01 MASK-2 PIC 9(8) BINARY VALUE 0.
01 IDENT PIC X(16).
01 SUBTASK PIC X(8).
01 DIGITS-4 PIC 9(4) VALUE 1.
01 PORT PIC 9(5) VALUE 0.
01 PORT2 PIC 9(5) VALUE 0.
01 ARGUMENT PIC X(4).
01 COMMAREA PIC X(10) VALUE LOW-VALUES.
01 ECB PIC X(4).
01 NAME.
   05 N-FAMILY PIC 9(4) BINARY.
   05 N-PORT PIC 9(4) BINARY.
   05 N-ADDRESS PIC X(4).
   05 N-ADDRESS6 PIC X(16).
   05 FILLER PIC X(4).
01 NAME2 PIC X(28).
01 TV.
   05 TV-SECONDS PIC S9(8) BINARY.
   05 TV-MICROS PIC 9(8) BINARY.
01 CLIENT.
   05 CL-DOMAIN PIC 9(8) BINARY.
   05 CL-NAME PIC X(8).
   05 CL-TASK PIC X(8).
   05 FILLER PIC X(20).
01 CLIENT2 PIC X(40).
01 LINGER.
   05 LINGER-ON PIC 9(8) BINARY.
   05 LINGER-SECONDS PIC 9(8) BINARY.
01 TASKS.
   05 TASK PIC 9(8) BINARY VALUE 0.
01 IOV.
   05 IOV-ENTRY OCCURS 2.
      10 IOV-POINTER USAGE POINTER.
      10 FILLER PIC X(4).
      10 IOV-LENGTH PIC 9(8) BINARY.
01 MSG.
   05 MSG-NAME-PTR USAGE POINTER.
   05 MSG-NAMELEN-PTR USAGE POINTER.
   05 MSG-IOV-PTR USAGE POINTER.
   05 MSG-IOVCNT-PTR USAGE POINTER.
   05 MSG-RIGHTS USAGE POINTER.
   05 MSG-RIGHTSLEN USAGE POINTER.
01 MSG-NUMBERS.
   05 MSG-NAMELEN PIC 9(8) BINARY.
   05 MSG-IOVCNT PIC 9(8) BINARY.
01 AI-HINTS.
   05 AI-FLAGS PIC 9(8) BINARY.
   05 AI-FAMILY PIC 9(8) BINARY.
   05 AI-SOCKTYPE PIC 9(8) BINARY.
   05 AI-PROTOCOL PIC 9(8) BINARY.
01 HINTS USAGE POINTER.
01 POINTER-1 USAGE POINTER.
01 POINTER-2 USAGE POINTER.
01 POINTER-3 USAGE POINTER.
01 BAD-POINTER USAGE POINTER.
01 BAD-NUMBER REDEFINES BAD-POINTER PIC 9(18) COMP-5.
01 NOWHERE PIC X(9999) BASED.
01 FOUND-NAME PIC X(28) BASED.
01 BUF PIC X(1000) VALUE LOW-VALUES.
01 BUF2 PIC X(1000) VALUE LOW-VALUES.
01 HUGE PIC X(100000) VALUE LOW-VALUES.
01 OUT-1 PIC -(10)9.
01 OUT-2 PIC -(10)9.
01 GOOD PIC X.
"""

PARAGRAPHS = """\
NEW-SOCKET.
    MOVE 'SOCKET          ' TO SOC-FUNCTION
    MOVE 1 TO F1
    MOVE 0 TO F2
    CALL 'EZASOKET' USING SOC-FUNCTION AF F1 F2 ERRNO RETCODE
    MOVE RETCODE TO S.
MAKE-ADDRESS.
    MOVE LOW-VALUES TO NAME
    MOVE AF TO N-FAMILY
    IF AF = 2 MOVE X'7F000001' TO N-ADDRESS ELSE MOVE X'01' TO N-ADDRESS6(16:1).
MAKE-NAME.
    PERFORM MAKE-ADDRESS
    MOVE PORT TO N-PORT.
MAKE-NAME2.
    PERFORM MAKE-ADDRESS
    MOVE PORT2 TO N-PORT.
MAKE-FOREIGN.
    PERFORM MAKE-ADDRESS
    IF AF = 2 MOVE X'C0000201' TO N-ADDRESS ELSE MOVE X'20010DB8' TO N-ADDRESS6(1:4).
NO-TIME.
    MOVE 0 TO TV-SECONDS TV-MICROS.
LONG-TIME.
    MOVE 0 TO TV-MICROS
    MOVE 30 TO TV-SECONDS.
NOBODY.
    MOVE LOW-VALUES TO CLIENT
    MOVE AF TO CL-DOMAIN
    MOVE 'NOBODY  ' TO CL-NAME
    MOVE 'NOTASK  ' TO CL-TASK.
ANYBODY.
    MOVE LOW-VALUES TO CLIENT
    MOVE AF TO CL-DOMAIN
    MOVE '        ' TO CL-NAME
    MOVE '        ' TO CL-TASK.
MAKE-IOV.
    SET IOV-POINTER(1) TO ADDRESS OF BUF
    SET IOV-POINTER(2) TO ADDRESS OF BUF
    MOVE 5 TO IOV-LENGTH(1)
    MOVE 3 TO IOV-LENGTH(2).
MAKE-IOV2.
    SET IOV-POINTER(1) TO ADDRESS OF BUF2(1:3)
    SET IOV-POINTER(2) TO ADDRESS OF BUF2(11:90)
    MOVE 3 TO IOV-LENGTH(1)
    MOVE 90 TO IOV-LENGTH(2).
MAKE-MSG.
    MOVE LOW-VALUES TO MSG
    SET MSG-IOV-PTR TO ADDRESS OF IOV
    SET MSG-IOVCNT-PTR TO ADDRESS OF MSG-IOVCNT
    MOVE 2 TO MSG-IOVCNT.
MSG-NAME.
    SET MSG-NAME-PTR TO ADDRESS OF NAME
    SET MSG-NAMELEN-PTR TO ADDRESS OF MSG-NAMELEN
    MOVE 28 TO MSG-NAMELEN.
"""


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


def recode(statement, ebcdic):
    if not ebcdic or statement.startswith("CALL"):
        return statement

    def literal(match):
        if match.group(1):
            return match.group(0)
        return "X'" + match.group(2).encode("cp037").hex().upper() + "'"

    return re.sub(r"(X?)'([^']*)'", literal, statement)


def call(row):
    """Statements that fill the parameters, and their names."""
    filled, names = [], []
    for at, param in enumerate(row.params, 1):
        kind, _, value = param.partition(":")
        if param == "omit":
            names.append("OMITTED")
        elif param == "nowhere":
            names.append("NOWHERE")
        elif kind in "hf" and value:
            name = f"{kind.upper()}{at}"
            filled.append(f"MOVE {value} TO {name}")
            names.append(name)
        else:
            names.append(param)
    if names == ["-"]:
        return filled, []
    if row.is_helper():
        return filled, names
    return filled, names + (["RETCODE"] if row.plain else ["ERRNO", "RETCODE"])


def made(row, names):
    """The call itself."""
    if not row.is_helper():
        return [f"MOVE '{row.function:16}' TO SOC-FUNCTION", "CALL 'EZASOKET' USING SOC-FUNCTION " + " ".join(names)]
    call = f"CALL '{row.function}' USING " + " ".join(names)
    return [call] if "RETCODE" in names else [call, "MOVE RETURN-CODE TO RETCODE", "MOVE 0 TO RETURN-CODE"]


def program(rows, flags):
    ebcdic = "ebcdic" in flags
    slots = [f"01 {kind}{at} PIC S9({digits}) BINARY." for at in range(1, 13) for kind, digits in (("H", 4), ("F", 8))]
    data = DATA + "\n".join(slots) + "\n"
    if "comp5" in flags:
        data = re.sub(r"(?m)^(01 .*) BINARY", r"\1 COMP-5", data)
    out = [data + "PROCEDURE DIVISION.", "MAIN-LINE."]
    out += [
        "ACCEPT ARGUMENT FROM ARGUMENT-VALUE",
        "IF ARGUMENT(1:1) = '6' MOVE 19 TO AF END-IF",
        "MOVE 16 TO BAD-NUMBER",
        "SET ADDRESS OF NOWHERE TO BAD-POINTER",
        recode("MOVE ALL ' ' TO IDENT SUBTASK", ebcdic) + ".",
    ]
    for number, row in enumerate(rows):
        lines = [*row.before]
        if row.function != "-":
            filled, names = call(row)
            names = [recode(name, ebcdic) for name in names]
            lines += [
                *filled,
                "MOVE 7777 TO ERRNO RETCODE",
                *made(row, names),
                "MOVE 'Y' TO GOOD" if not row.check else f"IF {row.check} MOVE 'Y' TO GOOD ELSE MOVE 'N' TO GOOD END-IF",
                *([row.after] if row.after else []),
                f"MOVE {number} TO OUT-1",
                "PERFORM SAY",
            ]
        lines = [line if "TO GOOD" in line and not row.check else recode(line, ebcdic) for line in lines]
        # The answer is in letters of the program that runs here.
        if row.check and ebcdic:
            lines = [line.replace("MOVE X'E8' TO GOOD", "MOVE 'Y' TO GOOD").replace("MOVE X'D5' TO GOOD", "MOVE 'N' TO GOOD") for line in lines]
        if row.family:
            lines = [f"IF AF = {2 if row.family == '4' else 19}", *lines, "END-IF"]
        out += [f"R-{number}.", *(f"    {line}" for line in lines), "    CONTINUE."]
    out += ["STOP RUN.", "SAY.", "    MOVE RETCODE TO OUT-2", "    DISPLAY FUNCTION TRIM(OUT-1) ' ' FUNCTION TRIM(OUT-2) ' ' NO ADVANCING"]
    out += ["    MOVE ERRNO TO OUT-2", "    DISPLAY FUNCTION TRIM(OUT-2) ' ' GOOD."]
    out += [recode(line.strip(), ebcdic) if "CALL" not in line else line for line in PARAGRAPHS.splitlines()]
    return wrap("\n".join(out))


def wrap(text):
    """No line is longer than the compiler takes."""
    lines = []
    for line in text.splitlines():
        while len(line) > 200:
            at = line.rindex(" ", 0, 200)
            if not line[:at].strip():
                raise ValueError(f"a word of more than 190 letters: {line.strip()[:40]}...")
            lines.append(line[:at])
            line = "    " + line[at + 1 :]
        lines.append(line)
    return "\n".join(lines) + "\n"


def numbers(space):
    path = os.path.join(TOP, "libvsesock", "vse", "errno-map.csv")
    with open(path) as file:
        rows = [row for row in csv.reader(file) if row and row[0].startswith("E")]
    column = {"zvse": 1, "zos": 3, "linux": 4}[space]
    return {row[0]: int(row[column] or row[1]) for row in rows}


def is_errno(want, got, space, table):
    if want in ("any", ""):
        return True
    if want == "EAI":
        return 1 <= got <= 10
    if want.startswith("EAI_"):
        return got == int(want[4:])
    symbol, _, extended = want.partition("/")
    if extended and space == "zos":
        return got == int(extended)
    return got == (int(symbol) if symbol.isdigit() else table[symbol])


def is_retcode(want, got, space):
    usual, _, of_zos = want.partition("/")
    return want == "any" or str(got) == (of_zos if of_zos and space == "zos" else usual)


def compare(rows, family, space, in_c):
    table, said, failed, passed = numbers(space), {}, 0, 0
    for line in sys.stdin:
        fields = line.split()
        if len(fields) == 4 and fields[0].isdigit():
            said[int(fields[0])] = (int(fields[1]), int(fields[2]), fields[3])
        else:
            print(f"FAILED: it says: {line.strip()}")
            failed += 1
    for number, row in enumerate(rows):
        if row.function == "-" or (row.family and row.family != family):
            continue
        if in_c and row.needs_sizes():
            continue
        text = f"{row.function}, {row.what}: RETCODE {row.retcode}, ERRNO {row.errno}"
        if number not in said:
            print(f"FAILED: {text}: it says nothing")
            failed += 1
            continue
        retcode, errno, good = said[number]
        fine = is_retcode(row.retcode, retcode, space) and good == "Y"
        if not row.plain or row.errno in ("7777", "any"):
            fine = fine and is_errno(row.errno, errno, space, table)
        print(f"{'ok' if fine else 'FAILED'}: {text}" + ("" if fine else f": but {retcode}, {errno}, {good}"))
        failed += not fine
        passed += fine
    print(f"{passed} rows are good, {failed} are not")
    return failed != 0


def main():
    rows = read(sys.argv[2])
    if sys.argv[1] == "program":
        sys.stdout.write(program(rows, sys.argv[3:]))
        return 0
    return compare(rows, sys.argv[3], sys.argv[4], "c" in sys.argv[5:])


if __name__ == "__main__":
    sys.exit(main())
