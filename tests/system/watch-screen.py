#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The screen of lfpd-admin --watch, on an emulated terminal, with an lfpd that this program plays.

  watch-screen.py PROGRAM RUN CASE

RUN is the directory of the instances' sockets. Ends with 0, or with what is wrong.
"""
import os
import re
import signal
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from screen import Terminal  # noqa: E402

program, run, case = sys.argv[1:4]
STATUS = ("ok", "connected\tyes", "peer_appname\tTESTV", "peer_vmid\tVSER05", "uptime\t90061", "tasks\t1", "sockets\t2",
          "MAX_VSE_TASKS\t512", "MAX_SOCKETS\t4096")
COLUMNS = ("kind:s", "state:s", "local:s", "peer:s", "task:s", "partition:s", "pid:n", "program:s", "to_host:n", "to_vse:n",
           "to_host_waiting:n", "to_host_window:n", "to_vse_waiting:n", "to_vse_window:n", "socket:s", "own:s")
NAMES = ("state", "local", "peer", "program", "to_host_rate", "to_vse_rate")


class Lfpd:
    """Answers as an lfpd with these sockets, of which each look finds more bytes in the first."""

    def __init__(self, name, sockets, grows=0):
        self.sockets, self.grows, self.began = sockets, grows, time.monotonic()
        self.hangs, self.held, self.evil, self.asked = False, [], False, []
        os.makedirs(f"{run}/{name}", exist_ok=True)
        self.path = f"{run}/{name}/admin"
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(self.path)
        self.server.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            if self.hangs:
                self.held.append(client)
                continue
            with client:
                self.asked.append(client.recv(256).decode().strip())
                client.sendall(self.answer(self.asked[-1]))

    def bytes(self):
        return int((time.monotonic() - self.began) * self.grows)

    def answer(self, request):
        if request == "status":
            lines = (*STATUS, "hostname\t\x1b[31m", "MTU_SIZE\t\x1b[31m") if self.evil else STATUS
        elif request.startswith("log"):
            lines = ("ok", "log\ton", "newest\t1", "columns\tevent:s\tname:s", "row\tconnect\t\x1b[31m")
        elif request == "statistics":
            lines = ("ok", f"time_us\t{int(time.monotonic() * 1e6)}", "columns\tname:s\tkind:s\tvalue:n",
                     f"row\tpath_bytes_in\tcounter\t{self.bytes()}", "row\tpath_bytes_out\tcounter\t7")
        else:
            lines = ["ok", "columns\t" + "\t".join(COLUMNS[:-1]) + ("\to\x1b[31mn:s" if self.evil else "\town:s")]
            for i, fields in enumerate(self.sockets):
                fields = fields if not self.grows or i else fields | {"to_host": str(self.bytes())}
                lines.append("row\t" + "\t".join(fields.get(c[:-2], "") for c in COLUMNS))
        return b"\n".join(l if isinstance(l, bytes) else l.encode("utf-8", "surrogateescape") for l in lines) + b"\n"

    def stop(self):
        os.unlink(self.path)
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()


def sockets(nr):
    return [{"kind": "tcp", "state": "listening" if i % 4 == 0 else "established", "local": f"10.0.0.1:{7000 + i}",
             "peer": f"10.0.0.{i}:40000", "task": f"{i:02X}", "partition": "R1", "pid": str(1000 + i), "program": f"prog{i}",
             "to_host": str(i * 10), "to_vse": str(1000 - i), "to_host_window": "65536", "socket": f"0x{i:x}"} for i in range(nr)]


def expect(condition, what, terminal):
    if not condition:
        sys.exit(f"{what}:\n{terminal.text()}")


def watch(*words, **settings):
    return Terminal([program, "-i", "FAKE", "-w", "--interval", "0.1", *words], **settings)


def quit(terminal):
    terminal.keys("q")
    expect(terminal.end() == 0, "exit code is not 0", terminal)
    expect(terminal.is_restored(), "the terminal is not as it was", terminal)


def titles(terminal):
    return next((line for line in terminal.lines() if "STATE" in line), "")


def column(terminal, pattern):
    return [m[1] for line in terminal.lines() if (m := re.search(pattern, line))]


def programs(terminal):
    return column(terminal, r" (prog\d+) ")


def narrow():
    """80x24: the important columns, each line as long as the screen, marks, scrolling in both directions."""
    Lfpd("FAKE", sockets(38))
    terminal = watch("sockets")
    terminal.wait_text("rows 1-22 of 38")
    expect(titles(terminal).split() == ["STATE", "LOCAL", "PEER", "PROGRAM", "TO-HOST/S", "TO-VSE/S", ">"], "titles", terminal)
    expect(all(line[79] == ">" and line[0] == " " for line in terminal.screen.display[:23]), "marks at the right edge", terminal)
    expect(programs(terminal) == [f"prog{i}" for i in range(22)], "the first rows", terminal)
    terminal.keys("\x1bOB")
    terminal.wait_text("rows 2-23 of 38")
    terminal.keys("G")
    terminal.wait_text("rows 17-38 of 38")
    expect(programs(terminal)[-1] == "prog37", "the last rows", terminal)
    terminal.keys("\x1bOC")
    terminal.wait(lambda: re.match("<LOCAL.{73}>", terminal.screen.display[0]), "no STATE, and marks on both sides")
    terminal.keys("l" * 30)
    terminal.wait(lambda: re.match("<.* OWN *$", terminal.screen.display[0]), "the last column, and a mark on the left")
    terminal.keys("h" * 30)
    terminal.wait_text(" STATE")
    quit(terminal)


def wide():
    """200x50: all columns, also of long addresses; then smaller screens, and back."""
    long = sockets(60)
    long[0] |= {"local": "[2001:db8:1111:2222:3333:4444:5555:6666]:40001"}
    Lfpd("FAKE", long)
    terminal = watch("sockets", rows=50, columns=200)
    terminal.wait_text("rows 1-48 of 60")
    expect(titles(terminal).startswith("STATE") and titles(terminal).endswith("OWN"), "all columns, without marks", terminal)
    expect(re.match("listening +<[0-9a-f:]+]:40001 ", terminal.lines()[1]), "the end of a cut address", terminal)
    for rows, columns, seen in ((24, 80, "TO-VSE/S"), (5, 20, "STATE"), (1, 1, ""), (50, 300, "OWN")):
        terminal.resize(rows, columns)
        terminal.wait(lambda: len(terminal.screen.display) == rows and seen in terminal.screen.display[0], f"a screen of {columns}x{rows}")
        expect(all(len(line) <= columns for line in terminal.lines()), "no line is too long", terminal)
    expect(not titles(terminal).endswith(">"), "no mark where all fits", terminal)
    terminal.resize(24, 80)
    terminal.wait_text("q ends")
    quit(terminal)


def sort():
    """s, S and r sort, a mark shows by what; --sort at the start."""
    Lfpd("FAKE", sockets(12))
    terminal = watch("sockets", "--sort", "-to_host")
    terminal.wait_text("rows 1-12 of 12")
    expect(programs(terminal)[:3] == ["prog11", "prog10", "prog9"], "sorted by numbers", terminal)
    terminal.keys("r")
    terminal.wait(lambda: programs(terminal)[:2] == ["prog0", "prog1"], "the other direction")
    terminal.keys("s")  # to_vse follows
    terminal.wait(lambda: programs(terminal)[:2] == ["prog11", "prog10"], "the next column")
    terminal.keys("S" * 7)
    terminal.wait(lambda: "PROGRAM^" in titles(terminal).replace(" ", ""), "the mark of the order")
    terminal.wait(lambda: programs(terminal) == [f"prog{i}" for i in range(12)], "names with numbers")
    terminal.keys("Sr")  # 10.0.0.9 before 10.0.0.10
    terminal.wait(lambda: "PEERv" in titles(terminal).replace(" ", ""), "the mark of the other direction")
    terminal.wait(lambda: programs(terminal)[0] == "prog11", "sorted by address")
    quit(terminal)


def filtered():
    """/ filters as it is typed, over texts and process ids; Esc restores the former filter, and then drops it."""
    Lfpd("FAKE", sockets(38))
    terminal = watch("sockets")
    terminal.wait_text("rows 1-22 of 38")
    terminal.keys("/")
    terminal.wait_text("Filter: _")
    terminal.keys("LISTenx")
    terminal.wait_text("rows 0-0 of 0")
    expect("Filter: LISTenx_" in terminal.text() and not programs(terminal), "nothing has it", terminal)
    terminal.keys("\x7f")
    terminal.wait_text("rows 1-10 of 10")
    expect(programs(terminal)[:2] == ["prog0", "prog4"], "rows that listen", terminal)
    terminal.keys("\r")
    terminal.wait_text("with 'LISTen'")
    terminal.keys("/")
    terminal.wait_text("Filter: LISTen_")
    terminal.keys("\x7f" * 6 + "1037\r")
    terminal.wait_text("rows 1-1 of 1")
    expect(programs(terminal) == ["prog37"], "the process id", terminal)
    terminal.keys("/7002\x1b")
    terminal.wait_text("with '1037'")
    terminal.keys("\x1b")
    terminal.wait_text("of 38")
    terminal.keys("/" + "ä\x1b[31m" + "\r")  # "ä", Esc drops it, and the rest are keys that do nothing
    terminal.wait_text("q ends")
    quit(terminal)


def hostile():
    """Names from outside: sequences of the terminal, wide and combining characters, other directions, no UTF-8."""
    evil = ["\x1b]0;owned\x07", "a\x1b[2J\x1b[H", "c1\x9b31m", "del\x7f", "日本語プログラム名前長い", "e\u0301\u0301x", "\u202egnp", "bad\udcff\udcc0\udc80", "%s%n"]
    rows = sockets(len(evil))
    for fields, name in zip(rows, evil):
        fields["program"] = name
    Lfpd("FAKE", rows).evil = True
    for locale in ("C.UTF-8", "C"):
        terminal = watch("sockets", locale=locale)
        terminal.wait_text("q ends")
        names = [line[47:63] for line in terminal.screen.display]
        for want in ("?]0;owned?", "a?[2J?[H", "del?", "bad???", "%s%n") + (
                ("日本語プログラム", "e??x", "?gnp") if locale == "C.UTF-8" else ()):
            expect(want in terminal.text(), f"{want} in {locale}", terminal)
        expect(all(line.rstrip().endswith(">") for line in terminal.screen.display[:10]), f"lines end at the edge in {locale}", terminal)
        for bad in (b"\x1b]", b"\x9b31", b"\xc2\x9b", b"\x7f", b"\xcc\x81", b"\xe2\x80\xae", b"\xff"):
            expect(bad not in terminal.raw, f"{bad} reaches the terminal, {names}", terminal)
        terminal.keys("/owned\r")
        terminal.wait_text("rows 1-1 of 1")
        quit(terminal)
    questions = [f"{program} -i FAKE {words} 2>&1" for words in ("-s", "log", "sockets", "--sort colour sockets")]
    text = os.popen("; ".join(["export LC_ALL=C.UTF-8", *questions])).read()
    if "\x1b" in text or text.lower().count("?[31m") != 5:
        sys.exit(f"what lfpd says: {text!r}")
    for words in (("sockets",), ("--json", "sockets")):
        text = os.popen(f"LC_ALL=C.UTF-8 {program} -i FAKE {' '.join(words)} | LC_ALL=C grep -c '[^ -~]'; :").read().strip()
        if text != ("1" if words == ("sockets",) else "0"):
            sys.exit(f"{words}: lines with other than ASCII: {text}")


def rates():
    """Bytes a second of each socket, unknown at first, and of the instance in the overview."""
    Lfpd("FAKE", sockets(2), grows=2_000_000)
    terminal = watch("sockets")
    terminal.wait_pattern(r"prog0 +2\.[0-9]M +0 *>$")
    terminal.wait_pattern(r"prog1 +0 +0 *>$")  # a socket without traffic; its row may be drawn later
    quit(terminal)
    terminal = watch()
    terminal.wait_pattern(r"^Path +\d+ +2\.[0-9] MB/s +7 +0 B/s")
    terminal.wait_pattern(r"prog0 +2\.[0-9]M")
    quit(terminal)


def instances():
    """The overview of all instances; Enter opens one, i leads back; one that stops is gone."""
    Lfpd("FAKE", sockets(3), grows=50_000)
    other = Lfpd("OTHER", [])
    terminal = Terminal([program, "-w", "--interval", "0.1"])
    terminal.wait_text("all instances  rows 1-2 of 2")
    terminal.wait_pattern(r"^ FAKE +connected +TESTV of VSER05 +2 of 4096 +[3-7]\d\.\dK +0 ")
    terminal.keys("j\r")
    terminal.wait_text("lfpd OTHER, up 1 days, 01:01:01: TESTV of VSER05 is connected.")
    terminal.keys("i")
    terminal.wait_text("all instances  rows")
    other.stop()
    terminal.wait_text("rows 1-1 of 1")
    terminal.keys("\r")
    terminal.wait_text("lfpd FAKE")
    terminal.wait_text("prog2")
    terminal.keys("?")
    terminal.wait_text("sort by the next column")
    terminal.keys("x")
    terminal.wait_text("prog2")
    quit(terminal)


def ahead():
    """A key that is typed ahead of the next table does not act on the old one."""
    Lfpd("FAKE", sockets(3))
    terminal = watch("sockets")
    terminal.wait_text("prog2")
    terminal.keys("i\r")
    terminal.wait_text("all instances")
    quit(terminal)


def stops():
    """lfpd stops and comes again while it is watched."""
    lfpd = Lfpd("FAKE", sockets(3))
    terminal = watch("sockets")
    terminal.wait_text("prog2")
    lfpd.stop()
    terminal.wait_text("VLFD902E Instance FAKE of lfpd is not running.")
    terminal.wait(lambda: "prog" not in terminal.text(), "a screen without the old rows")
    lfpd = Lfpd("FAKE", sockets(2))
    terminal.wait_text("prog1")
    quit(terminal)


def ends():
    """SIGINT, SIGTERM, SIGHUP, Ctrl-C: the terminal is left as it was. Ctrl-Z gives it back until SIGCONT."""
    Lfpd("FAKE", sockets(3))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, None):
        terminal = watch("sockets")
        terminal.wait_text("prog2")
        if number is None:
            terminal.keys("\x03")
        expect(terminal.end(number) == 0, f"{number}: exit code", terminal)
        expect(terminal.is_restored(), f"{number}: the terminal is not as it was", terminal)
    shell = '"$@"; echo stopped; read -r; fg >/dev/null'  # a program whose parent is of another session is not stopped
    terminal = Terminal(["bash", "--norc", "-mc", shell, "bash", program, "-i", "FAKE", "-w", "--interval", "0.1", "sockets"])
    terminal.wait_text("q ends")
    terminal.keys("\x1a")
    terminal.wait_text("stopped")
    expect(terminal.is_restored(), "the terminal of before while it is stopped", terminal)
    terminal.keys("\r")
    terminal.wait(lambda: terminal.raw.rfind(b"\x1b[?1049h") > terminal.raw.rfind(b"\x1b[?1049l"), "its screen again")
    terminal.wait_text("q ends")
    quit(terminal)


def hangs():
    """lfpd does not answer: signals end the program while it waits, and the terminal is as it was."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        lfpd = Lfpd("FAKE", sockets(3))
        terminal = watch("sockets")
        terminal.wait_text("q ends")
        lfpd.hangs = True
        terminal.wait(lambda: lfpd.held, "a question that has no answer")
        expect(terminal.end(number) == 0, f"{number}: exit code", terminal)
        expect(b"VLFD903E" not in terminal.raw, f"{number}: an end only after the wait", terminal)
        expect(terminal.is_restored(), f"{number}: the terminal is not as it was", terminal)
        lfpd.stop()


def settles():
    """Signals end the program also between the first two samples, and the overview waits there once."""
    for number, words, questions in ((signal.SIGINT, (), ["statistics", "sockets"]), (signal.SIGTERM, ("--json", "sockets"), ["sockets"])):
        lfpd = Lfpd("FAKE", sockets(3))
        terminal = Terminal([program, "-i", "FAKE", "-w", "--interval", "3600", *words], term="dumb")
        terminal.wait(lambda: lfpd.asked == questions, f"the questions {questions}")
        expect(terminal.end(number) == 0, f"{number}: exit code", terminal)
        lfpd.stop()


def plain():
    """A dumb or unknown terminal, or none for keys: text below text, or a screen without keys."""
    Lfpd("FAKE", sockets(3))
    for term in ("dumb", "no-such-terminal"):
        terminal = watch("sockets", term=term)
        terminal.wait(lambda: terminal.raw.count(b"KIND") > 1, "a second table below the first")
        expect(b"\x1b" not in terminal.raw, f"{term}: no sequences", terminal)
        expect(terminal.end(signal.SIGTERM) == 0, f"{term}: exit code", terminal)
    terminal = watch("sockets", keys=False)
    terminal.wait_text("prog2")
    expect(terminal.end(signal.SIGTERM) == 0 and terminal.is_restored(), "without keys", terminal)
    terminal = watch("sockets", "--sort", "colour")
    expect(terminal.end() == 64 and "There is no column colour" in terminal.text(), "a wrong column", terminal)


cases = {f.__name__: f for f in (narrow, wide, sort, filtered, hostile, rates, instances, ahead, stops, ends, hangs, settles, plain)}
if case == "list":
    print(*cases)
else:
    cases[case]()
