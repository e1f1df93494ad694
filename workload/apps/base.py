# SPDX-License-Identifier: Apache-2.0
"""What the twelve applications have in common: their jobs, waiting for their servers, and comparing bytes.

An application has a part on z/VSE's side, which is a job, and a part on Linux's side. run() moves data between both, calls
middle() while connections are open and half of the data has come, and compares all of it."""

import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

import product
from errors import CellError
from processes import children_of, family, wait_until
from routes import last_line

SECONDS = 120  # for each step of an application


class App:
    """One application on one route. slide is its name on IBM's slide."""

    key = slide = stand_in = pattern = ""
    needs = ()  # programs of others
    middles = 1  # how often lfpd is restarted

    def __init__(self, runner):
        self.runner, self.processes, self.route, self.size = runner, runner.processes, runner.route, runner.size
        self.folder = os.path.join(runner.work, self.key)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        os.chmod(self.folder, 0o755)
        self.log = os.path.join(self.folder, "log")
        self.running = []

    def lacks(self):
        """Raises MissingError if a program of others is not installed."""
        for name in self.needs:
            product.program(name)

    def run(self, middle):
        """Does the work. Returns the number of bytes that were compared."""
        raise NotImplementedError

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w" if isinstance(text, str) else "wb") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def bring(self, name):
        """Copies a program of the tables to where the job runs."""
        folder = next(folder for folder in (product.PROGRAMS, product.HERE) if os.path.exists(os.path.join(folder, name)))
        shutil.copy(os.path.join(folder, name), self.path(name))

    def compiled(self, name, source, compiler, *options):
        """Compiles a program once in a run. Jobs find it by its name."""
        output = os.path.join(self.runner.programs, name)
        if not os.path.exists(output):
            compiler(source, output, *options)

    @staticmethod
    def output(process):
        """Returns what the last step of an ended job has written."""
        with open(process.listing, "rb") as file:
            return step_output(file.read())

    def python(self, name, *words):
        """Returns a step that runs a Python program of the tables on z/VSE's side."""
        self.bring(name)
        return sys.executable, " ".join([name, *map(str, words)])

    def job(self, name, *steps, setparm="", variables=None, **options):
        """Starts a job whose steps are (program, arguments), and perhaps data. Returns its process."""
        cards = [f"// JOB {name}", f"// OPTION SYSPARM='{self.route.sysparm}'", "// SETPARM EZA$PHA=IJBLFPEZ"]
        if setparm:
            cards.append(f"// SETPARM {setparm}")
        for program, words, *data in steps:
            cards += exec_cards(program, words)
            cards += [*data, "/*"] if data else []
        cards.append("/&")
        listing = self.path(f"{name}.listing")
        command = [*self.route.job_prefix(), *options.pop("before", ()), product.program("vsejob"), self.write(name, "\n".join(cards) + "\n")]
        library = product.library()
        env = {**self.route.env, "PATH": ":".join([self.folder, self.runner.programs, *product.SEARCH]), "COB_LIBRARY_PATH": library,
               "LD_LIBRARY_PATH": ":".join(filter(None, [library, os.environ.get("LD_LIBRARY_PATH")])), "HOME": self.folder, "TMPDIR": self.folder, **(variables or {})}
        if options.get("stdout"):
            process = self.processes.start(command, listing, cwd=self.folder, env=env, **options)
        else:
            process = self.processes.start(command, listing, cwd=self.folder, env=env)
        process.listing, process.name, process.job = listing, name, True
        self.running.append(process)
        return process

    def program(self, *command, **options):
        """Starts a program on Linux's side."""
        process = self.processes.start(list(command), self.log, cwd=self.folder, **options)
        process.listing, process.name, process.job = self.log, os.path.basename(command[0]), False
        self.running.append(process)
        return process

    def gated(self, *command):
        """Starts a program on Linux's side that writes the line "middle", or another word, and then waits for a line. All others that run may not end before."""
        listing = self.path(f"gated-{len(self.running)}")
        with open(listing, "wb") as out:
            process = self.program(*command, stdin=subprocess.PIPE, stdout=out)
        process.listing = listing
        return process

    def pass_gate(self, process, middle, word="middle", go_on=b"", may_end=None):
        """Waits until the program is in its middle, and lets it go on behind middle() by a line. @may_end: another one, which is done by then."""
        def waits():
            for one in self.running:
                if one is not may_end and self.processes.is_over(one):
                    raise CellError(f"{one.name} ends before the middle: {said(one.listing)}")
            return word in lines(process.listing)
        wait_until(waits, SECONDS, f"{process.name} does not come to its middle")
        middle()
        process.stdin.write(go_on + b"\n")
        process.stdin.flush()

    def listens(self, port, process):
        """Waits until a server listens on Linux's side."""
        def listening():
            if self.processes.is_over(process):
                raise CellError(f"{process.name} has ended: {said(process.listing)}")
            return is_listening(port)
        wait_until(listening, SECONDS, f"{process.name} does not listen on port {port}")
        process.port = port

    def finished(self, process, wanted=0):
        """Waits for the end of a job or program, which has to end well."""
        code, _ = self.processes.wait(process, SECONDS, process.name)
        self.gone(process)
        if code != wanted:
            raise CellError(f"{process.name} ends with {code}: {said(process.listing)}")

    def gone(self, process):
        """Waits until an ended server's port is free: lfpd closes a socket some time after its program has ended."""
        self.running.remove(process)
        if hasattr(process, "port"):
            wait_until(lambda: not is_listening(process.port), SECONDS, f"port {process.port} stays in use")

    def ended(self, process):
        """Ends a server: the step of a job, or a program. vsejob then ends by itself."""
        children = children_of()
        step = children.get(process.pid, [])[:1] if process.job else []
        for pid in step or [process.pid]:
            if not self.processes.is_over(process):
                os.kill(pid, signal.SIGTERM)
        self.processes.wait(process, SECONDS, process.name)
        self.gone(process)
        self.route.settle()

    def clean(self):
        """Kills what an error or an interruption has left."""
        for process in self.running:
            if not self.processes.is_over(process):
                for pid in list(family(process.pid, children_of())):
                    kill(pid)
        for process in self.running:
            self.processes.wait(process, SECONDS, process.name)
        self.running = []


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def exec_cards(program, words):
    """Returns the cards of a step: the texts of several PARM= are joined. The words may begin with ENVAR() and a slash."""
    text, parts = words if words.startswith("ENVAR(") else f"/{words}", []
    room = 71 - len(f"// EXEC {program},PARM='',")
    while text:
        parts.append(f"PARM='{text[:room]}'")
        text = text[room:]
    cards = [f"// EXEC {program}"] if not words else [f"// EXEC {program},{parts[0]}", *(f"               {part}" for part in parts[1:])]
    return [*((card + ",").ljust(71) + "X" for card in cards[:-1]), cards[-1]]


def is_listening(port):
    wanted = f":{port:04X} "
    for name in ("tcp", "tcp6"):
        with open(f"/proc/net/{name}", encoding="ascii") as file:
            if any(wanted in line and line.split()[3] == "0A" for line in file):
                return True
    return False


def lines(listing):
    try:
        with open(listing, encoding="utf-8", errors="replace") as file:
            return [line.strip() for line in file]
    except OSError:
        return []


def said(listing):
    """Returns what a listing says last that is not a line of vsejob."""
    found = [line for line in lines(listing) if line and not line.startswith(("//", "/&", "/*", "JOB ", "EOJ ", "1S55I"))]
    return found[-1] if found else last_line(listing)


def noise(size, seed):
    """Returns bytes that are the same for each route."""
    return random.Random(seed).randbytes(size)


def letters(size, seed):
    """Returns lines of small letters and digits: text that has the same bytes in every program."""
    chance = random.Random(seed)
    lines = []
    while size > 0:
        length = min(size - 1, 63)
        lines.append(("%x" % chance.getrandbits(4 * 63)).rjust(63, "0")[:length] + "\n")
        size -= length + 1
    return "".join(lines)


def compare(got, want, what):
    """Raises CellError with the place of the first wrong byte. Returns the number of bytes."""
    if got == want:
        return len(want)
    at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
    raise CellError(f"{what}: wrong data behind byte {at} of {len(want)}, and {len(got)} bytes came")


class Stream:
    """A connection of a user on Linux's side. Each call has a time limit."""

    def __init__(self, address, port):
        self.socket = socket.create_connection((address, port), SECONDS)

    def send(self, data):
        self.socket.sendall(data)

    def take(self, size):
        parts = bytearray()
        while len(parts) < size:
            more = self.socket.recv(min(size - len(parts), 1 << 16))
            if not more:
                raise CellError(f"a connection ends after {len(parts)} of {size} bytes")
            parts += more
        return bytes(parts)

    def rest(self):
        """Returns all bytes up to the end of the connection."""
        parts = bytearray()
        while more := self.socket.recv(1 << 16):
            parts += more
        return bytes(parts)

    def shut(self):
        self.socket.shutdown(socket.SHUT_WR)

    def close(self):
        self.socket.close()


class Feed:
    """A named pipe that a program reads in the place of a file."""

    def __init__(self, app, name):
        self.app, self.file = app, app.path(name)
        os.mkfifo(self.file)
        self.pipe = os.open(self.file, os.O_RDWR | os.O_NONBLOCK)  # with a reader, so that no program finds its end too early

    def write(self, data, process):
        """Writes all, as the process reads."""
        at = 0
        while at < len(data):
            try:
                at += os.write(self.pipe, data[at:at + (1 << 16)])
            except BlockingIOError:
                wait_until(lambda: self.is_writable(process), SECONDS, f"{process.name} reads no more")

    def is_writable(self, process):
        if self.app.processes.is_over(process):
            raise CellError(f"{process.name} ends before it has read all: {said(process.listing)}")
        return select.select([], [self.pipe], [], 0)[1]

    def close(self):
        os.close(self.pipe)
        os.unlink(self.file)


def halves(process, half, middle):
    """Reads a program's output, and calls middle() when that many bytes have come: the program waits meanwhile, its pipe being full."""
    parts, called, end = bytearray(), False, time.monotonic() + SECONDS
    out = process.stdout.fileno()
    while True:
        if not select.select([out], [], [], max(0, end - time.monotonic()))[0]:
            raise CellError(f"{process.name} says nothing more after {len(parts)} bytes")
        more = os.read(out, 1 << 16 if called else min(1 << 16, half - len(parts)))
        if not more:
            break
        parts += more
        if not called and len(parts) == half:
            called = True
            middle()
            end = time.monotonic() + SECONDS
    process.stdout.close()
    if not called:
        raise CellError(f"{process.name} ends after {len(parts)} bytes, before the middle: {said(process.listing)}")
    return bytes(parts)


def step_output(listing):
    """Returns what the last step of a job has written."""
    begin = listing.rindex(b"// EXEC ")
    begin = listing.index(b"\n", begin) + 1
    return listing[begin:listing.index(b"\n1S55I ", begin - 1) + 1]
