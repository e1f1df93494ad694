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
# Topics to/NR of z/VSE's broker come to Linux's as to/NR, and go back as from/NR.
CONFIGURATION = f"""listener {{port}} 0.0.0.0
allow_anonymous true
message_size_limit {LARGEST}
connection peer
address {{peer}}:{{peer_port}}
restart_timeout 1
notifications false
try_private false
topic # out 0 to/ {{there}}/
"""


class Foreign(Ring):
    """The ring with brokers. The jobs are a program beside z/VSE's broker, on the same route."""

    client = "MOSQUITT"

    def __init__(self, processes, work, route, sizes):
        super().__init__(processes, work, route, sizes)
        self.work, self.brokers = work, []

    def broker(self, name, prefix=(), env=None, **values):
        path = os.path.join(self.work, f"mosquitto-{self.route.name}-{name}.conf")
        write(path, CONFIGURATION.format(**values))
        command = [*prefix, product.program("mosquitto"), "-c", path]
        self.brokers.append((name, self.processes.start(command, self.log, env=env)))

    def start(self):
        self.broker("linux", port=LINUX_PORT, peer=self.route.address, peer_port=VSE_PORT, there="from")
        self.broker("vse", self.route.prefix(), self.route.env, port=VSE_PORT, peer=self.route.linux, peer_port=LINUX_PORT, there="to")
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
