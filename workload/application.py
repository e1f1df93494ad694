# SPDX-License-Identifier: Apache-2.0
"""The rows "socket application, running 3 times": three jobs at once, each with the same program, in C by LE/C or in COBOL
by EZASOKET. Every byte is compared at the receiving end."""

import json
import os
import subprocess
import sys

import product
from errors import CellError
from processes import wait_until
from routes import LINUX, last_line

PROGRAMS = 3
PORT = 7000
SECONDS = 900


class Programs:
    """The compiled programs of a run."""

    def __init__(self, work):
        self.folder = os.path.join(work, "bin")
        os.makedirs(self.folder, exist_ok=True)
        self.wrong = {}

    def get(self, language):
        """Returns the name of a program in the folder. A compiler that is missing or fails is a CellError each time."""
        if language in self.wrong:
            raise CellError(self.wrong[language])
        name = {"C": "xferc", "COBOL": "xfercob", "native": "xfernat"}[language]
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            try:
                if language == "COBOL":
                    product.compile_cobol(os.path.join(product.PROGRAMS, "transfer.cbl"), path)
                else:
                    product.compile_c(os.path.join(product.PROGRAMS, "transfer.c"), path, language == "native")
            except CellError as error:
                self.wrong[language] = str(error)
                raise
        return name


class Application:
    """One language, one direction, one route."""

    def __init__(self, processes, work, route, programs, language, outward, size):
        self.processes, self.work, self.route, self.programs = processes, work, route, programs
        self.language, self.direction, self.size = language, "OUT" if outward else "IN", size
        self.log = os.path.join(work, f"application-{route.name}.log")
        self.running = []

    def measure(self):
        native = self.route.name == "native"
        if native and self.language == "COBOL":
            raise CellError("EZASOKET is z/VSE's; a COBOL program has no other sockets")
        name = self.programs.get("native" if native else self.language)
        env = {**self.route.env, "PATH": ":".join([self.programs.folder, *product.SEARCH])}
        if not native:
            env["COB_LIBRARY_PATH"] = product.library()
            env["LD_LIBRARY_PATH"] = ":".join(filter(None, [product.library(), os.environ.get("LD_LIBRARY_PATH")]))
        # "sh" waits for its three children, so the CPU time of all is its own at its end.
        one = f"{name} {LINUX} {PORT} {self.direction} {self.size}" if native else f"{product.program('vsejob')} {self.job(name)}"
        listings = [os.path.join(self.work, f"listing-{i}") for i in range(PROGRAMS)]
        script = "".join(f"{one} >{listing} 2>&1 & " for listing in listings) + "wait"
        peer = self.processes.start(
            [sys.executable, os.path.join(product.HERE, "stream.py"), LINUX, str(PORT), str(PROGRAMS), self.direction, str(self.size)],
            self.log, stdout=subprocess.PIPE)
        self.running = [peer]
        with peer.stdout as out:
            if out.readline() != b"ready\n":
                raise CellError(f"the peer does not listen: {last_line(self.log)}")
            before = self.route.cpu()
            jobs = self.processes.start([*self.route.job_prefix(), "sh", "-c", script], self.log, env=env)
            self.running.append(jobs)
            wait_until(lambda: self.processes.is_over(jobs), SECONDS, "the jobs do not end")
            code, app = self.processes.ended[jobs.pid]
            for listing in listings:
                self.check(listing)
            if code:
                raise CellError(f"the jobs end with {code}: {last_line(self.log)}")
            wait_until(lambda: self.processes.is_over(peer), 60, "the peer does not end")
            results = [json.loads(line) for line in out.read().splitlines()]
        self.route.settle()
        after = self.route.cpu()
        self.running = []
        for result in results:
            if result["error"]:
                raise CellError(f"Linux's side: {result['error']}")
        if len(results) != PROGRAMS or any(result["bytes"] != self.size for result in results):
            raise CellError(f"{len(results)} of {PROGRAMS} connections, {[result['bytes'] for result in results]} bytes")
        cpu = {name: after[name] - before[name] for name in after}
        cpu["app"] = app
        return {"bytes": self.size * PROGRAMS, "programs": PROGRAMS, "cpu": cpu,
                "seconds": max(r["end"] for r in results) - min(r["begin"] for r in results),
                "each": [r["bytes"] / (r["end"] - r["begin"]) for r in results]}

    def job(self, name):
        path = os.path.join(self.work, "job")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"// JOB TRANSFER\n// OPTION SYSPARM='{self.route.sysparm}'\n// SETPARM EZA$PHA=IJBLFPEZ\n"
                       f"// EXEC {name},PARM='/{LINUX} {PORT} {self.direction} {self.size}'\n/&\n")
        return path

    def check(self, listing):
        """Checks the listing of a job, or the output of a native program."""
        with open(listing, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file]
        if f"TRANSFER {self.direction} {self.size} BYTES" not in lines:
            said = [line for line in lines if line and not line.startswith(("//", "/&", "JOB ", "EOJ ", "1S55I"))]
            raise CellError(f"a job fails: {said[-1] if said else last_line(self.log)}")

    def clean(self):
        for process in self.running:
            if not self.processes.is_over(process):
                self.processes.stop(process, "a job")
