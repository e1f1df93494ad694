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

import table_rows

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")

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
    rows = table_rows.read(sys.argv[2])
    if sys.argv[1] == "program":
        sys.stdout.write(program(rows, sys.argv[3:]))
        return 0
    return compare(rows, sys.argv[3], sys.argv[4], "c" in sys.argv[5:])


if __name__ == "__main__":
    sys.exit(main())
