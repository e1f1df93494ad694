# SPDX-License-Identifier: Apache-2.0
"""What is compared: the kernel, LFP over each transport, and relays of others.

A system lives from start() to stop(). reach(port) are the arguments by which a client of bench/ finds the
server on that port of 127.0.0.1; prefix() is what its command line begins with; pids() are the processes
that carry the data, by what they are called.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.abspath(os.environ.get("O", os.path.join(TOP, "build")))
BIN = os.path.join(OUT, "bin")
BENCH = os.path.join(OUT, "bench")


def wait_until(what, condition, seconds=15):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"bench/run: {what}: not after {seconds} s")
        time.sleep(0.02)


class Native:
    """The kernel's TCP over loopback, without anything between."""

    name = "native"
    missing = None
    env = os.environ

    def start(self, ports):
        pass

    def prefix(self):
        return []

    def reach(self, port):
        return ["-p", str(port)]

    def pids(self):
        return {}

    def stop(self):
        pass


class Relays(Native):
    """A process (or more) that passes a UNIX socket on to a port, one for each port."""

    def start(self, ports):
        self.dir = tempfile.mkdtemp(prefix="relay.", dir="/tmp")
        self.processes = []
        for port in ports:
            path = self.path(port)
            self.processes.append(
                subprocess.Popen(self.command(path, port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
            wait_until(f"{self.name} at {path}", lambda: os.path.exists(path))

    def path(self, port):
        return os.path.join(self.dir, str(port))

    def reach(self, port):
        return ["-u", self.path(port)]

    def pids(self):
        return {f"relay {i}": process.pid for i, process in enumerate(self.processes)}

    def stop(self):
        for process in self.processes:
            process.terminate()
            process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


class Relay(Relays):
    name = "relay"

    def command(self, path, port):
        return [os.path.join(BENCH, "relay"), path, str(port)]


class Socat(Relays):
    name = "socat"
    missing = None if shutil.which("socat") else "socat is not installed"

    def command(self, path, port):
        return ["socat", "-b65536", f"UNIX-LISTEN:{path},fork,backlog=1024", f"TCP:127.0.0.1:{port},nodelay"]


class Lfp(Native):
    """lfpd and LFP instance 01 in a private root."""

    def __init__(self, transport, sizes, poll=None):
        self.name = transport if poll is None else f"{transport}, poll {poll} us"
        self.transport, self.poll = transport, poll
        self.mtu, self.window_out, self.window_in = sizes

    def start(self, ports):
        self.root = tempfile.mkdtemp(prefix="bench.", dir="/tmp")
        self.env = dict(os.environ, LFP_ROOT=self.root, LFP_VMID="BENCH")
        conf = (
            f"IUCV_SRC_APPNAME = BENCH\nMTU_SIZE = {self.mtu}\nWINDOW_SIZE = {self.window_out}\nMAX_SOCKETS = 8192\n"
            f"IUCV_MSGLIMIT = 1024\nLOG_INFO_MSG = no\nTRANSPORT = {self.transport}\n"
        )
        statements = (
            f"ID = 01\nMTU = {self.mtu}\nIucvMsgLimit = 1024\nIucvSrcAppName = BENCHV\nIucvDestAppName = BENCH\n"
            f"IucvDestVMId = BENCH\nWindowSize = {self.window_in}\nTransport = {self.transport}\n"
        )
        if self.poll is not None:
            conf += f"SHM_POLL = {self.poll}\n"
            statements += f"ShmPoll = {self.poll}\n"
        if self.transport == "local":
            conf += "LOCAL_INSTANCE = 01\n"
        confs = os.path.join(self.root, "etc/opt/ibm/vselfpd")
        self.write(os.path.join(confs, "confs-available/lfpd-BENCH.conf"), conf)
        self.write(os.path.join(self.root, "etc/vselfp/lfp-01.conf"), statements)
        os.makedirs(os.path.join(confs, "confs-enabled"))
        os.symlink("../confs-available/lfpd-BENCH.conf", os.path.join(confs, "confs-enabled/lfpd-BENCH.conf"))
        try:
            self.call("lfpd-ctl", "start", "BENCH")
            if self.transport != "local":
                self.call("ijblfpop", "START", "01")
            up = [*self.prefix(), "true"]
            wait_until(
                "LFP instance 01 has no path to lfpd",
                lambda: not subprocess.run(up, env=self.env, stderr=subprocess.DEVNULL).returncode,
            )
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def write(path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def call(self, program, *args):
        done = subprocess.run(
            [os.path.join(BIN, program), *args], env=self.env, stdin=subprocess.DEVNULL, text=True, capture_output=True
        )
        if done.returncode:
            sys.exit(f"bench/run: {program} {' '.join(args)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")

    def pids(self):
        found = {}
        for name, place in (("lfpd", "vselfpd/BENCH"), ("instance", "vselfp/01")):
            with open(os.path.join(self.root, "run", place, "pid")) as file:
                found[name] = int(file.read())
        if found["lfpd"] == found["instance"]:
            del found["instance"]
        return found

    def prefix(self):
        return [os.path.join(BIN, "lfp-run"), "-i", "01", "--"]

    def stop(self):
        for command in (["ijblfpop", "STOP", "01"], ["lfpd-ctl", "stop", "BENCH"]):
            command[0] = os.path.join(BIN, command[0])
            subprocess.run(command, env=self.env, stdin=subprocess.DEVNULL, capture_output=True)
        shutil.rmtree(self.root, ignore_errors=True)
