#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vseasm's sources: what it makes of right ones, and where it finds the errors of wrong ones"""

import os
import shutil
import subprocess
import sys
import tempfile

O = os.path.abspath(os.environ.get("O", "build"))
sys.path.insert(0, os.path.join(O, "vseasm"))
sys.dont_write_bytecode = True
import main  # noqa: E402 (vseasm's)
from errors import SourceError  # noqa: E402

passed = failed = 0
work = tempfile.TemporaryDirectory()
path = os.path.join(work.name, "a.asm")


def check(text, got, want):
    global passed, failed
    passed, failed = (passed + 1, failed) if got == want else (passed, failed + 1)
    print(f"ok: {text}" if got == want else f"FAILED: {text}: {got!r}, not {want!r}")


def translate(records):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(records) + "\n")
    try:
        return main.translate(path)
    except SourceError as error:
        return str(error).removeprefix(work.name + "/")


def right(text, want, *records):
    """Compares the instructions and data of a section."""
    lines = translate(["A CSECT", *records]).split("\n")
    if ".Lsection_A:" in lines:
        lines = lines[lines.index(".Lsection_A:") + 1:]
        lines = lines[:next(i for i, line in enumerate(lines) if line.startswith("\t.if"))]
    check(text, ";".join(lines).replace("\t", ""), want)


def wrong(place, text, *records):
    check(f"wrong: {text}", translate(["A CSECT", *records]), f"a.asm:{place}: {text}")


def to_72(record):
    """With a mark in column 72."""
    return record.ljust(71) + "+"


right("comments, a name, remarks", "lr %r1,%r2",
      "* a comment", ".* another", "X    LR 1,2    remarks", to_72("* continued"), "               so")
right("columns 73 to 80 are ignored", "lr %r1,%r2", " LR 1,2".ljust(72) + "00010000")
right("the operand goes on in column 16", ".byte 193,194,195", to_72(" DC".ljust(67) + "C'AB"), "               C'")
right("remarks behind a comma", "stm %r14,%r12,12(%r13)",
      to_72(" STM 14,         from"), to_72("               12,          to"), "               12(13)")
right("characters in EBCDIC", ".byte 193,125,80,64,173,78", " DC C'A''&&',C' [+'")
right("L'SYMBOL is no quote", ".byte 193,194,0,2", "X DC C'AB'", " DC AL2(L'X)")
right("numbers and duplication", ".byte 255,255,18,61,1,1;.skip 2;.byte 0,0,0,3", " DC H'-1',P'-123',2B'1'", " DC F'3'")
right("values of different lengths", ".byte 28,35,76,238,1,2,3,1,2,3", " DC P'1,234'", " DC X'EE'", " DC 2X'01,0203'")
right("values of different lengths, the last ones shorter", ".byte 1,2,3,0,7,255", " DC X'0102,03'", " DC XL2'7',X'FF'")
right("an address, one of another program", ".long .Lsection_A+4;.long B", " DC A(A+4),V(B)")
right("registers, index, base, length", "mvc 1(3,%r2),0(%r3);la %r1,2(0,%r3);la %r1,2(%r3,0);lm %r14,%r12,12(%r13)",
      " MVC 1(3,2),0(3)", " LA 1,2(,3)", " LA 1,2(3)", " LM 14,12,12(13)")
right("USING, the nearer base, DROP", "l %r1,12(0,%r12);l %r1,0(0,%r11);l %r1,12(0,%r12);.byte 0,0,0,1",
      " USING A,12", " L 1,F", " USING F,11", " L 1,F", " DROP 11", " L 1,F", "F DC F'1'")
right("a dummy section", "l %r1,4(0,%r2)", " USING D,2", " L 1,E", "D DSECT", " DS F", "E DS F", "A CSECT")
right("literals, sorted, once each", "l %r1,16(0,%r12);l %r2,16(0,%r12);lh %r3,20(0,%r12);.skip 4;.byte 0,0,0,7,0,7",
      " USING A,12", " L 1,=F'7'", " L 2,=F'7'", " LH 3,=H'7'", " LTORG")
right("ORG overlays constants", ".byte 64,0,1,64", "T DC 4X'40'", " ORG T+1", " DC X'0001'", " ORG")
right("an executed MVC of length 0", "mvc 0(1,%r1),0(%r2)", " MVC 0(0,1),0(2)")
right("* in a length, an index, a base and a register is the place of the statement",
      ".byte 7;.skip 1;mvc 0(2,%r12),0(%r12);l %r1,0(%r8,%r8);lr %r12,%r1;.skip 2",
      " USING A,12", "X DC X'07'", " MVC X(*-X),X", " L 1,0(*-A,*-X)", " LR *-A,1", " DS H")
right("* in each duplicate", ".byte 0,1,2,3", "T DC 4AL1(*-T)")
check("EQU begins no section", translate(["R1 EQU 1", "A CSECT", " LR R1,R1"]).count(".Lsection_:"), 0)
right("a routine in R15, by an address of its own", "bras %r14,.Lsection_A+12;.byte 0,0,0,0;.skip 4;la %r0,0(0,%r15);"
      "st %r0,4(0,%r14);la %r1,4(0,%r14);balr %r14,%r15", " USING A,15", " CALL (RF),(A)", "RF EQU 15")
right("relative branches", "j .Lsection_A+0;brct %r1,.Lsection_A+0", " J A", " BRCT 1,A")

wrong("2:7", "A+B: not a symbol", " DC V(A+B)")
wrong("2:10", "2: not a symbol", " EXTRN B,2")
wrong("2:2", "XYZ: neither an instruction nor a macro that vseasm knows", " XYZ 1,2")
wrong("2:2", "MACRO: neither an instruction nor a macro that vseasm knows", " MACRO")
wrong("2:2", "SVC: neither an instruction nor a macro that vseasm knows", " SVC 0")
wrong("2:7", "Y: undefined symbol", " LA 1,Y")
wrong("2:7", "A: no USING addresses this place in A", " LA 1,A")
wrong("2:7", "4096: the displacement 4096 is not from 0 to 4095", " LA 1,4096")
wrong("2:5", "16: not a register", " LR 16,1")
wrong("2:5", "LR: 2 operands are needed (a register, a register), and there are 1", " LR 1")
wrong("3:3", "X: defined twice", "X DS F", "X DS F")
wrong("2:7", "F'X': not a value of this type", " DC  F'X'")
wrong("2:6", "H'40000000': too big", " DC H'40000000'")
wrong("2:5", "Q: no such type of constants", " DC Q'1'")
wrong("2:6", "E: values of this type are not supported", " DC E'1'")
wrong("3:3", "columns 1 to 15 of a continuation line must be blank", to_72(" LR 1,"), "  2")
wrong("2:72", "the continuation line is missing", to_72(" LR 1,"))
wrong("2:72", "a quote is not closed", " DC C'A")
wrong("2:2", "a tab: columns are counted, so use blanks", " \tLR 1,2")
wrong("4:5", "overlays a part of an instruction or of an address constant", " LR 1,2", " ORG A+1", " DC X'1'")
wrong("2:7", "DROP 5: no USING names this register", " DROP 5")
wrong("2:14", "EZASMI: there is no TYPE=SOCKT", " EZASMI TYPE=SOCKT")
wrong("2:9", "EZASMI: TYPE= is missing", " EZASMI ERRNO=A")
wrong("3:16", "EZASMI TYPE=CLOSE: there is no operand NBYTE", to_72(" EZASMI TYPE=CLOSE,S=1,"), "               NBYTE=5")
wrong("2:14", "EZASMI: TYPE=READV is not possible here: its structures have addresses", " EZASMI TYPE=READV")
wrong("2:24", "S: given twice", " EZASMI TYPE=CLOSE,S=1,S=1")
wrong("2:25", "MF=(X,A): neither L nor (E,area)", " EZASMI TYPE=TERMAPI,MF=(X,A)")
wrong("2:22", "(15): R15 and R14 hold the list and its constants while it is made; name another register",
      " EZASMI TYPE=CLOSE,S=(15)")
wrong("2:22", "(RE): R15 and R14 hold the list and its constants while it is made; name another register",
      " EZASMI TYPE=CLOSE,S=(RE)", "RE EQU 14")
wrong("3:22", "A: R15 and R14 hold the list and its constants while it is made; name another register",
      " USING A,15", " EZASMI TYPE=CLOSE,S=A")
wrong("2:29", "L'B: a number, where an address is expected", " EZASMI TYPE=SEND,S=1,NBYTE=L'B,BUF=0(2)", "B DS CL80")
wrong("2:25", "N: a number, where an address is expected", " SOCKET SEND,TCP,LENGTH=N", "N EQU 80")
wrong("2:7", "CALL (1): a name or (15) is expected", " CALL (1),(2(3))")
wrong("2:7", "CALL (R15): a name or (15) is expected", " CALL (R15)", "R15 EQU 14")
wrong("2:8", "R15: undefined symbol", " CALL (R15)")
wrong("2:22", "B: undefined symbol", " EZASMI TYPE=CLOSE,S=B")
wrong("2:9", "SOCKET: the function is missing", " SOCKET ID='01'")
wrong("2:9", "SOCKET: there is no function WRITE on LFP", " SOCKET WRITE,TCP")
wrong("2:14", "SOCKET: there is no type TELNET on LFP", " SOCKET OPEN,TELNET")
wrong("2:18", "SOCKET: there is no operand HOST", " SOCKET OPEN,TCP,HOST=A")
check("a program of nothing", translate(["* nothing"]), "a.asm:1:1: the program has no instruction and no data")


def run(*arguments):
    command = [os.path.join(O, "bin", "vseasm"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# Two sources are one program, which begins in the first one.
parts = [os.path.join(work.name, name) for name in ("first.asm", "second.asm")]
for part, records in zip(parts, (["FIRST CSECT", " USING FIRST,15", " L 1,=V(SECOND)", " BR 14", " END FIRST"],
                                 ["SECOND CSECT", " BR 14", " DC V(FIRST)", " END SECOND"])):
    with open(part, "w", encoding="utf-8") as file:
        file.write("\n".join(records) + "\n")
ended = run("-S", *parts)
check("two sources have one entry point", [line for line in ended.stdout.split("\n") if "vseasm_entry" in line],
      ["\t.globl vseasm_entry", "\t.set vseasm_entry,.Lsection_FIRST+0"])
check("two sources, each with an address of the other", [line for line in ended.stdout.split("\n") if ".long" in line],
      ["\t.long SECOND", "\t.long FIRST"])
cross = shutil.which("gcc" if os.uname().machine == "s390x" else "s390x-linux-gnu-gcc")
hashes = os.path.join(work.name, "hashes.asm")
with open(hashes, "w", encoding="utf-8") as file:
    file.write("\n".join(["A#B CSECT", " USING A#B,15", "L#@ L 1,L#@", " J L#@", " CALL E@F", " EXTRN X#Y", " ENTRY L#@",
                          " DC A(L#@,X#Y),V(E@F)", "E@F CSECT", " BR 14", "$#@ DSECT", " END L#@"]) + "\n")
objects = []
for i, part in enumerate(parts if cross else ()):
    objects.append(part + ".o")
    subprocess.run([cross, "-x", "assembler", "-c", "-o", objects[-1], "-"], input=main.translate(part, i == 0), text=True, check=True)
if cross:
    ended = subprocess.run([cross, "-x", "assembler", "-c", "-o", hashes + ".o", "-"], input=main.translate(hashes), text=True,
                           capture_output=True, check=False)
    check("names with # and @", (ended.returncode, ended.stderr), (0, ""))
    ended = subprocess.run([cross, "-nostdlib", "-no-pie", "-Wl,--no-warn-rwx-segments", "-Wl,-e,vseasm_entry", "-o",
                            os.path.join(work.name, "both"), *objects], capture_output=True, text=True, check=False)
    check("two sources link", (ended.returncode, ended.stderr), (0, ""))
ended = run("-S", path + ".none")
check("a source that is not there", (ended.returncode, ended.stderr), (8, f"{path}.none:1:1: No such file or directory\n"))
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
