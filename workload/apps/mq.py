# SPDX-License-Identifier: Apache-2.0
"""WebSphere MQ Server and Client: the ring of the table mq, whose queue manager on z/VSE's side is a job, and then a client channel of a job."""

import json

from apps.base import SECONDS, App, lines, said
from errors import CellError
from processes import wait_until
from ring import LINUX_PORT, VSE_PORT
from routes import LINUX

JOBS = 10
RING_SIZE, CLIENT_SIZE = 20000, 10000
RELEASE = b'{"release": true}'


class Mq(App):
    key = "mq"
    slide = "WebSphere MQ Server and Client"
    stand_in = "queue managers"
    pattern = "server and client at once; client channel"
    middles = 2

    def run(self, middle):
        for name in ("mq_frames.py", "mq_calls.py", "mq_client.py", "queue_manager.py"):
            self.bring(name)
        ring = -(-self.size // (4 * RING_SIZE) // JOBS) * JOBS
        done = 0
        half = ring // 2
        # A message goes to Linux's side and comes back.
        linux = self.gated(*self.python("queue_manager.py"), "QML1", str(LINUX_PORT), "CSQ1", self.route.address, str(VSE_PORT), str(half))
        self.listens(LINUX_PORT, linux)
        job = self.job("MQSERVER", self.python("queue_manager.py", "CSQ1", VSE_PORT, "QML1", LINUX, LINUX_PORT) + (
            json.dumps({"jobs": JOBS, "messages": ring, "size": RING_SIZE}),))
        self.pass_gate(linux, middle, json.dumps({"held": half}), RELEASE)
        self.finished(job)
        answer = json.loads(self.output(job).splitlines()[-1])
        if answer["messages"] != ring:
            raise CellError(f"{answer['messages']} of {ring} messages came back")
        done += 2 * ring * RING_SIZE
        # The same queue manager serves a client.
        messages = self.size // (4 * CLIENT_SIZE)
        half = messages // 2 + (1 if messages // 2 == half else 0)  # another number than before, for the output to differ
        self.hold(linux, half)
        job = self.job("MQCLIENT", self.python("mq_client.py", self.route.address, LINUX_PORT, messages, CLIENT_SIZE))
        self.pass_gate(linux, middle, json.dumps({"held": half}), RELEASE)
        self.finished(job)
        if said(job.listing) != f"{2 * messages * CLIENT_SIZE} BYTES EQUAL":
            raise CellError(f"the client says: {said(job.listing)}")
        linux.stdin.close()
        self.finished(linux)
        return done + 2 * messages * CLIENT_SIZE

    def hold(self, manager, messages):
        """Tells a queue manager at which message its channels shall wait."""
        said_so = json.dumps({"hold": messages})
        manager.stdin.write(said_so.encode() + b"\n")
        manager.stdin.flush()
        wait_until(lambda: self.processes.is_over(manager) or said_so in lines(manager.listing), SECONDS, "the queue manager does not answer")
