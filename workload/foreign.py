# SPDX-License-Identifier: Apache-2.0
"""The table mq with programs of others: two mosquitto, of which each has a bridge to the other one."""

import os
import subprocess
import sys

import product
from errors import CellError
from ring import LINUX_PORT, VSE_PORT, Ring
from routes import last_line, write

JOBS = os.path.join(product.HERE, "mqtt_jobs.py")
LARGEST = 2 << 20  # bytes of a message
# to/NR of z/VSE's broker comes to Linux's as to/NR, and goes back as from/NR.
VSE = """listener {port} 0.0.0.0
allow_anonymous true
message_size_limit {largest}
connection linux
address {peer}:{peer_port}
restart_timeout 1
notifications false
try_private false
topic # out 0 to/ to/
"""
LINUX = """listener {port} 0.0.0.0
allow_anonymous true
message_size_limit {largest}
connection vse
address {peer}:{peer_port}
restart_timeout 1
notifications false
try_private false
topic # out 0 to/ from/
"""


class Foreign(Ring):
    """The ring with brokers. The jobs are a program beside z/VSE's broker, on the same route."""

    client = "MOSQUITT"

    def __init__(self, processes, work, route, sizes):
        super().__init__(processes, work, route, sizes)
        self.work, self.brokers = work, []

    def broker(self, name, text, port, peer, peer_port, prefix=(), **options):
        path = os.path.join(self.work, f"mosquitto-{self.route.name}-{name}.conf")
        write(path, text.format(port=port, peer=peer, peer_port=peer_port, largest=LARGEST))
        command = [*prefix, product.program("mosquitto"), "-c", path]
        process = self.processes.start(command, self.log, **options)
        self.brokers.append((name, process))
        return process

    def start(self):
        self.broker("linux", LINUX, LINUX_PORT, self.route.address, VSE_PORT)
        self.broker("vse", VSE, VSE_PORT, self.route.linux, LINUX_PORT, self.route.prefix(), env=self.route.env)
        self.vse = self.processes.start([*self.route.prefix(), sys.executable, JOBS, str(VSE_PORT)], self.log, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=self.route.env)
        self.answer(self.vse)

    def carried(self):
        return None  # brokers count other things

    def parts(self):
        return [*self.brokers, ("jobs", self.vse)] if self.vse else self.brokers

    def end(self):
        self.vse.stdin.close()
        code, _ = self.processes.wait(self.vse, 30, "the jobs")
        if code:
            raise CellError(f"the jobs end with {code}: {last_line(self.log)}")
        self.clean()
        self.route.settle()

    def clean(self):
        for name, process in self.parts():
            if not self.processes.is_over(process):
                self.processes.stop(process, name)
        self.vse, self.brokers = None, []
