# SPDX-License-Identifier: Apache-2.0
"""Peers of the comparison that connect a network namespace with the host: pasta and slirp4netns, both of Debian.

The program runs in a namespace of its own, on the kernel's sockets. The namespace has a tap device, whose other end is a process
that makes the connections of the host. pasta can also join ("splice") two loopback connections of both namespaces.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile

from systems import Native, absent, answers, unused_port, wait_until

MTU = 65520  # the most that both can
LISTENER = 15001  # the program's port in the namespace
OUTER = "10.77.0.1"  # the host, on a tap device that nobody reads: pasta wants an interface to take after
INNER, GATEWAY = "10.78.0.2", "10.78.0.1"  # the namespace, and the host as seen from it


def use_cubic(prefix=()):
    """Makes the routes of loopback choose cubic: the namespace's own choice is among those that the machine allows to
    everybody."""
    for net in ("127.0.0.0/8", "127.0.0.1"):
        route = f"local {net} dev lo table local proto kernel scope host src 127.0.0.1 congctl cubic"
        done = subprocess.run([*prefix, "ip", "route", "replace", *route.split()], text=True, capture_output=True)
        if done.returncode:
            print(f"bench/run: relays do not use cubic: {done.stderr.strip()}", file=sys.stderr)


def add_outer():
    """The interface that pasta takes after, once."""
    if not subprocess.run(["ip", "link", "show", "outer"], capture_output=True).returncode:
        return
    for words in ("tuntap add outer mode tap", f"addr add {OUTER}/24 dev outer", "link set outer up"):
        subprocess.run(["ip", *words.split()], check=True)


class Namespace(Native):
    """A namespace with a process that connects it."""

    ours = False
    no_control = "the program's sockets are the kernel's"
    program = None  # the process, to be installed

    @property
    def missing(self):
        if os.geteuid():
            return "only root can make a named network namespace"
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            return "/dev/net/tun may not be opened"
        return absent(self.program)

    def start(self, ports):
        self.space = f"bench-{os.getpid()}-{id(self)}"
        self.dir = tempfile.mkdtemp(prefix="namespace.", dir="/tmp")
        self.process = None
        subprocess.run(["ip", "netns", "add", self.space], check=True)
        subprocess.run([*self.prefix(), "ip", "link", "set", "lo", "up"], check=True)
        use_cubic(self.prefix())
        self.port = unused_port()
        with open(os.path.join(self.dir, "log"), "w") as log:
            self.process = subprocess.Popen(self.connect(ports), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(f"{self.name}: {self.dir}/log", lambda: self.up(ports))

    def prefix(self):
        return ["nsenter", f"--net=/run/netns/{self.space}", "--"]

    def inside(self, *command):
        return subprocess.run([*self.prefix(), *command], text=True, capture_output=True).stdout

    def listen_at(self):
        return ["-b", "0.0.0.0", "-p", str(LISTENER)]

    def listens(self, port):
        super().listens(self.port)

    def pids(self):
        return {self.name: self.process.pid}

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
        subprocess.run(["ip", "netns", "del", self.space], check=False)
        shutil.rmtree(self.dir, ignore_errors=True)


class Pasta(Namespace):
    """pasta between the loopback devices of both namespaces: a pair of splice() for each connection."""

    name = "pasta, loopback"
    program = "pasta"

    def connect(self, ports):
        inward, outward = f"{self.port}:{LISTENER}", ",".join(map(str, ports))
        add_outer()
        addresses = ["-a", INNER, "-n", "24", "-g", GATEWAY, "-i", "outer", "-m", str(MTU), "-4"]
        forward = ["-t", inward, "-T", outward, "-u", "none", "-U", "none"]
        space = ["--config-net", "--netns", f"/run/netns/{self.space}"]
        return ["pasta", "-f", "-e", "-q", "--runas", "0", *addresses, *forward, *space]

    def up(self, ports):
        return INNER in self.inside("ip", "-o", "addr") and f":{ports[0]} " in self.inside("ss", "-Hltn")


class PastaTap(Pasta):
    """pasta over its tap device: TCP of the namespace's kernel, which pasta translates."""

    name = "pasta, tap"

    def reach(self, port):
        return ["-b", GATEWAY, "-p", str(port)]

    def listens(self, port):
        self.peer = ["-b", OUTER, "-p", str(self.port)]


class Slirp(Namespace):
    """slirp4netns: a tap device and a TCP/IP stack (libslirp) in its process."""

    name = "slirp4netns"
    program = "slirp4netns"
    HOST, GUEST = "10.0.2.2", "10.0.2.100"  # its own choice

    def api(self):
        return os.path.join(self.dir, "api")

    def connect(self, ports):
        options = ["--configure", f"--mtu={MTU}", "--disable-dns", f"--api-socket={self.api()}", "--netns-type=path"]
        return ["slirp4netns", *options, f"/run/netns/{self.space}", "tap0"]

    def up(self, ports):
        return self.GUEST in self.inside("ip", "-o", "addr") and os.path.exists(self.api())

    def reach(self, port):
        return ["-b", self.HOST, "-p", str(port)]

    def listens(self, port):
        ends = {"host_addr": "127.0.0.1", "host_port": self.port, "guest_addr": self.GUEST, "guest_port": port}
        with socket.socket(socket.AF_UNIX) as api:
            api.connect(self.api())
            api.sendall(json.dumps({"execute": "add_hostfwd", "arguments": {"proto": "tcp", **ends}}).encode())
            api.shutdown(socket.SHUT_WR)
            answer = api.recv(4096).decode()
        if "error" in answer:
            sys.exit(f"bench/run: slirp4netns: {answer}")
        wait_until(f"slirp4netns at port {self.port}", lambda: answers(self.port))
        super().listens(port)
