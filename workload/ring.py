# SPDX-License-Identifier: Apache-2.0
"""The two queue managers of the table mq on one route, and their cells: z/VSE's side has port 2424, Linux's side 1414."""

import json
import os
import subprocess
import sys

import product
from errors import CellError
from processes import wait_until
from published_mq import SCENARIOS, is_off
from routes import last_line

VSE_PORT, LINUX_PORT = 2424, 1414
SECONDS = 600
TRIES = 3  # of a cell whose two clocks disagree
MANAGER = os.path.join(product.HERE, "queue_manager.py")


class Ring:
    client = "MQPVCHIN"  # z/VSE's queue manager in NETSTAT, by the paper's name

    def __init__(self, processes, work, route, sizes):
        self.processes, self.route, self.sizes = processes, route, sizes
        self.log = os.path.join(work, f"mq-{route.name}.log")
        self.vse = self.linux = None
        self.first = None  # the route's displays after the first cell

    def start(self):
        def manager(*words, prefix=(), **options):
            return self.processes.start([*prefix, sys.executable, MANAGER, *map(str, words)], self.log,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        dual = ["dual"] if self.route.dual else []
        self.linux = manager("QML1", LINUX_PORT, "CSQ1", self.route.address, VSE_PORT)
        self.vse = manager("CSQ1", VSE_PORT, "QML1", self.route.linux, LINUX_PORT, *dual, prefix=self.route.prefix(), env=self.route.env)
        for process in (self.vse, self.linux):
            self.answer(process)

    def parts(self):
        """Returns the processes that run until the end, with their names."""
        return [("a queue manager", one) for one in (self.vse, self.linux) if one]

    def answer(self, process):
        """Reads a line of a queue manager, whose end is an error."""
        os.set_blocking(process.stdout.fileno(), False)
        line = b""

        def came():
            nonlocal line
            line += process.stdout.read() or b""
            if not line.endswith(b"\n"):
                for name, one in self.parts():
                    if self.processes.is_over(one):
                        raise CellError(f"{name} has ended: {last_line(self.log)}")
                return False
            return True
        wait_until(came, SECONDS, "a queue manager does not answer")
        return json.loads(line)

    def count(self, size, jobs):
        """Returns how many messages a cell has: less of the large ones, and as many for each job."""
        most = max(self.sizes["bytes"] // size, 3 * jobs)
        return -(-min(self.sizes["messages"], most) // jobs) * jobs

    def measure(self, key):
        scenario, size = map(int, key.split("-"))
        jobs = SCENARIOS[scenario][0]
        if not self.vse:
            self.start()
        self.ask(jobs, jobs, 1000)  # so that no cell has the start of the connections
        runs = sorted((self.run(jobs, size) for _ in range(self.sizes["repeat"])), key=lambda one: one["rate"])
        said = runs[len(runs) // 2]
        if self.first is None and hasattr(self.route, "displays"):
            self.first = self.route.displays(self.client, self.carried())
        return {"scenario": scenario, "size": size, "jobs": jobs, "messages": said["messages"], "rate": said["rate"],
                "ms": 1000 * said["seconds"], "product": said["rate"] * said["seconds"], "tries": said["tries"],
                "rates": [one["rate"] for one in runs], "variation": 100 * (runs[-1]["rate"] - runs[0]["rate"]) / said["rate"]}

    def run(self, jobs, size):
        """Returns one run of a cell."""
        for tries in range(1, TRIES + 1):
            said = self.ask(jobs, self.count(size, jobs), size)
            if not is_off(said["rate"] * said["seconds"], jobs):
                break  # else other work has had the processor between two messages
        return {**said, "tries": tries}

    def carried(self):
        """Returns the bytes that z/VSE's queue manager has sent and received."""
        return self.ask()

    def ask(self, jobs=0, messages=0, size=0):
        wanted = {"jobs": jobs, "messages": messages, "size": size} if jobs else {}
        try:
            self.vse.stdin.write(json.dumps(wanted).encode() + b"\n")
            self.vse.stdin.flush()
        except BrokenPipeError:
            raise CellError(f"a queue manager has ended: {last_line(self.log)}") from None
        return self.answer(self.vse)

    @staticmethod
    def said(cell):
        return f"{cell['rate']:.0f} messages/s, {cell['ms']:.1f} ms"

    def lacks(self, _key):
        return False

    def end(self):
        for name, process in self.parts():
            process.stdin.close()  # the end of a queue manager's commands
            code, _ = self.processes.wait(process, 30, name)
            if code:
                raise CellError(f"{name} ends with {code}: {last_line(self.log)}")
        self.vse = self.linux = None
        self.route.settle()

    def clean(self):
        for name, process in self.parts():
            if not self.processes.is_over(process):
                self.processes.stop(process, name)
        self.vse = self.linux = None
