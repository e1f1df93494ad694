# SPDX-License-Identifier: Apache-2.0
"""Routes over a pair of interfaces, whose second one is in a network namespace for z/VSE's side.

In the place of an OSA adapter the pair has its rate and its delay: programs/cable.c joins two taps, and counts their frames.
Without a delay, the kernel's own pair (veth) has a limit of its rate by tbf; without a limit, it has none."""

import json
import os
import subprocess

import product
from errors import CellError
from processes import children_of, cpu_of, wait_until
from published_mq import OSA_DELAY
from routes import RATE, RATE_TEXT, START_SECONDS, Route, last_line, run, write

LINK = "10.9.0.2"  # z/VSE's side of a link
STACK = "10.9.1.2"  # the stack in the partition, on a tap device
NEAR, FAR = "lfpw0", "lfpw1"  # Linux's interface, and z/VSE's
QUIET_SECONDS = 10


class Cable:
    """The program that joins two interfaces, with a rate and a delay."""

    def __init__(self, processes, work, log):
        self.processes, self.log = processes, log
        self.path = os.path.join(work, "cable", "cable")
        self.process = None

    def start(self, namespace, delay):
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            raise CellError("/dev/net/tun may not be opened; --osa-delay 0 needs none")
        if not os.path.exists(self.path):
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            product.compile_c(os.path.join(product.PROGRAMS, "cable.c"), self.path, True)
        self.process = self.processes.start([self.path, namespace, NEAR, FAR, str(round(1000 * delay)), str(RATE)], self.log,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)  # else close() writes again what was refused
        os.set_blocking(self.process.stdout.fileno(), False)
        self.read_line()
        self.processes.carries(self.process, self.why)

    def why(self):
        return f"the link has ended: {last_line(self.log)}"

    def check(self):
        if self.processes.is_over(self.process):
            raise CellError(self.why())

    def read_line(self):
        line = b""

        def came():
            nonlocal line
            line += self.process.stdout.read() or b""
            if line.endswith(b"\n"):
                return True
            self.check()
            return False
        wait_until(came, START_SECONDS, "the link does not answer")
        return line

    def counters(self):
        try:
            self.process.stdin.write(b"\n")
        except BrokenPipeError:
            raise CellError(self.why()) from None
        return json.loads(self.read_line())

    def stop(self):
        if self.process:
            self.processes.stop(self.process, "the link")
            self.process.stdin.close()
            self.process.stdout.close()


class Link(Route):
    """Interfaces to z/VSE's side. delay: in ms each way, at the rate of an OSA adapter; None has no limit of the rate."""

    address = LINK
    adopted_are = "app"

    def __init__(self, delay, processes, work):
        self.holder, self.delay = None, delay
        super().__init__(processes, work)
        self.cable = Cable(processes, work, self.log) if delay else None

    def start(self):
        self.holder = self.processes.start([product.program("unshare"), "--net", "--", "sleep", "infinity"], self.log)
        self.space = f"/proc/{self.holder.pid}/ns/net"
        own = os.readlink("/proc/self/ns/net")
        wait_until(lambda: os.readlink(self.space) != own, START_SECONDS, "no network namespace")
        if self.cable:
            self.cable.start(self.space, self.delay)
        else:
            run("ip", "link", "add", NEAR, "type", "veth", "peer", "name", FAR, "netns", str(self.holder.pid))
        run("ip", "addr", "add", "10.9.0.9/24", "dev", NEAR)
        self.inside("ip", "link", "set", "lo", "up")
        self.inside("ip", "addr", "add", f"{LINK}/24", "dev", FAR)
        self.inside("ip", "link", "set", FAR, "up")
        run("ip", "link", "set", NEAR, "up")
        if self.delay == 0:
            shape = ["root", "tbf", "rate", f"{RATE}bit", "burst", "256kb", "latency", "50ms"]
            run("tc", "qdisc", "add", "dev", NEAR, *shape)
            self.inside("tc", "qdisc", "add", "dev", FAR, *shape)

    def inside(self, *command):
        return run(*self.within(), product.program(command[0]), *command[1:])

    def within(self):
        return [product.program("nsenter"), f"--net={self.space}", "--"]

    def cpu(self):
        times = super().cpu()
        if self.cable:
            times["link"] = cpu_of(self.cable.process.pid, children_of())
        return times

    def check(self):
        if self.cable:
            self.cable.check()

    def stop(self):
        if self.cable:
            self.cable.stop()
        if self.holder:
            self.processes.stop(self.holder, "the link's network")
            # A namespace goes some time after its last process, and its interfaces with it.
            subprocess.run([product.program("ip"), "link", "del", NEAR], capture_output=True, check=False)

    def settle(self):
        def settled():
            self.processes.reap()
            return not self.processes.adopted(children_of())
        wait_until(settled, 30, "a process of the link does not end")

    def adapter(self):
        """Returns the link's rate and delay, its counters, and whether those of the interfaces agree; None without a limit."""
        if self.delay is None:
            return None
        found = {"bits_per_second": RATE, "delay_ms": self.delay, "by": "cable" if self.cable else "veth, tbf"}
        if not self.cable:
            return found

        def agree():
            found["cable"] = counters = self.cable.counters()
            found["ip"] = {name: json.loads(text)[0]["stats64"] for name, text in (
                (NEAR, run("ip", "-s", "-j", "link", "show", NEAR)), (FAR, self.inside("ip", "-s", "-j", "link", "show", FAR)))}
            found["same"] = compare(counters, found["ip"])
            return self.cable.counters() == counters and all(found["same"].values())
        try:
            wait_until(agree, QUIET_SECONDS, "the counters differ")
        except CellError:
            if "same" not in found:
                raise
        return found


def compare(cable, ip):
    """Returns the comparisons of the cable's counters with those of ip -s link, by name: is each true?"""
    same = {}
    for name, other in ((NEAR, FAR), (FAR, NEAR)):
        way, sent, got = cable[name], ip[name]["tx"], ip[other]["rx"]
        same[f"{name} to {other}: sent"] = [way["taken"], way["taken_bytes"]] == [sent["packets"], sent["bytes"]]
        same[f"{name} to {other}: received"] = [way["given"], way["given_bytes"]] == [got["packets"], got["bytes"]]
        same[f"{name} to {other}: dropped"] = way["dropped"] + way["refused"] + way["waiting"] == sent["packets"] - got["packets"]
    return same


class Osa(Link):
    """The kernel's own stack over a link in the place of an OSA adapter, without z/VSE's interfaces."""

    name = "osa"
    text = RATE_TEXT

    def prefix(self):
        return self.within()


class Stack(Link):
    """A TCP/IP stack in the partition: lfp-stack on a tap device behind the link."""

    sysparm = "00"
    address = STACK
    adopted_are = "tcpip"

    def __init__(self, name, text, delay, processes, work):
        self.name, self.text = name, text
        super().__init__(delay, processes, work)

    def start(self):
        product.program("lfp-stack")
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            raise CellError("/dev/net/tun may not be opened")
        super().start()
        self.inside("ip", "tuntap", "add", "tap0", "mode", "tap")
        self.inside("ip", "addr", "add", "10.9.1.1/24", "dev", "tap0")
        self.inside("ip", "link", "set", "tap0", "up")
        self.inside("sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward")
        run("ip", "route", "add", "10.9.1.0/24", "via", LINK)
        etc = os.path.join(self.root, "etc/vselfp")
        write(os.path.join(etc, "edctcpmc"), "00 $EDTCPV\n")
        write(os.path.join(etc, "mux.conf"), "$EDTCPV = stack\n")
        write(os.path.join(etc, "stack-00.conf"), f"DEVICE = tap0\nADDRESS = {STACK}/24\nGATEWAY = 10.9.1.1\n")

    def prefix(self):
        return [*self.within(), product.program("lfp-run"), "--"]

    def job_prefix(self):
        return self.prefix()  # one stack for all jobs, as TCP/IP for VSE has one partition


def osa(delay):
    """Returns a link's rate and delay in words."""
    return f"OSA adapters as {RATE_TEXT} with {delay:g} ms each way"


def text(results):
    """Returns the lines about the links of a table."""
    of = results.get("links", {})
    if not of:
        return []
    lines = ["", "LINKS in the place of OSA adapters: rate and delay are a choice of this project, and no published values", "",
             f"The default of the delay, {OSA_DELAY:g} ms each way, is computed: half of the time by which the paper about MQ has a message of 1000 bytes",
             "longer on its way by OSA than by HiperSockets."]
    for name, link in of.items():
        lines.append(f"{name}: {RATE_TEXT}, {link['delay_ms']:g} ms each way, by {link['by']}")
        for end, way in link.get("cable", {}).items():
            lines.append(f"{name}: from {end}: {way['taken']} frames, {way['taken_bytes']} bytes; dropped {way['dropped'] + way['refused']}, "
                         f"and {link['ip'][end]['tx']['dropped']} before the link")
        lines += [f"{name}: {what}: {'as ip -s link' if holds else 'DIFFERENT from ip -s link'}" for what, holds in link.get("same", {}).items()]
    return lines
