# SPDX-License-Identifier: Apache-2.0
"""The compared systems: the kernel, LFP over each transport, and relays of others.

A system lives from start() to stop(). command(work, ports, i, ms) is the command line of the client for the i-th of
these ports of 127.0.0.1; pids() are the processes that carry the data, by what they are called. lacks(work) says why the
system has no such work, or None. What is missing is a text that says why the system cannot be measured.

start_listener() starts the program as a server, for works of the kind "in"; peer_command(work, ms) is its native client.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.abspath(os.environ.get("O", os.path.join(TOP, "build")))
BIN = os.path.join(OUT, "bin")
BENCH = os.path.join(OUT, "bench")
PATH = os.environ.get("PATH", "") + ":/usr/sbin"  # danted


PRIORITY = None  # SCHED_FIFO priority of the measured processes; bench/run sets it

HS_MTUS = [8192, 16384, 32768, 57344]  # of HiperSockets devices
HS_HEADERS = 118  # of a frame of AF_IUCV on them


def wait_until(what, condition, seconds=15):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"bench/run: {what}: not after {seconds} s")
        time.sleep(0.02)


def absent(*programs):
    names = [name for name in programs if not shutil.which(name, path=PATH)]
    return f"{' and '.join(names)}: not installed" if names else None


def spawn(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port, host="127.0.0.1"):
    with socket.socket() as probe:
        return not probe.connect_ex((host, port))


def memory_directory():
    """A directory on tmpfs, as /run is: on ext4 the paths of near ends cost more (docs/where-time-goes.md)."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else "/tmp"


class Native:
    """The kernel's TCP over loopback, without anything between."""

    name = "native"
    missing = None
    env = os.environ
    ours = True  # a failure is one of the tree
    realtime = True  # SCHED_FIFO is for it
    no_server = None  # why the program cannot be a server
    no_control = None  # why calls that move no data are not measured
    listener = None

    def start(self, ports):
        pass

    def lacks(self, work):
        return {"in": self.no_server, "control": self.no_control}.get(work["kind"])

    def start_listener(self):
        if self.no_server:
            return
        command = [*self.prefix(), os.path.join(BENCH, "lfp-bench"), "server", *self.listen_at()]
        self.listener = subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, text=True)
        words = self.listener.stdout.readline().split()
        if len(words) != 2:
            sys.exit(f"bench/run: {self.name}: the program does not listen")
        self.listens(int(words[1]))

    def listen_at(self):
        return ["-b", "0.0.0.0"]

    def listens(self, port):
        """The program listens at this port: where does a native client reach it?"""
        self.peer = ["-p", str(port)]

    def peer_command(self, work, ms):
        return [os.path.join(BENCH, work["program"]), "client", *self.peer, "-t", str(ms), *work["flags"]]

    def listener_pids(self):
        return {"listener": self.listener.pid} if self.listener else {}

    def stop_listener(self):
        if self.listener:
            self.listener.terminate()
            self.listener.wait()
            self.listener = None

    def prefix(self):
        return []

    def reach(self, port):
        return ["-p", str(port)]

    def command(self, work, ports, i, ms):
        program = os.path.join(BENCH, work["program"])
        return [*self.prefix(), program, "client", *self.reach(ports[i]), "-t", str(ms), *work["flags"]]

    def pids(self):
        return {}

    def stop(self):
        pass


class Relays(Native):
    """A process (or more) that passes a UNIX socket on to a port, one for each port."""

    ours = False
    no_control = "the program's sockets are UNIX sockets"

    def start(self, ports):
        self.dir = tempfile.mkdtemp(prefix="relay.", dir="/tmp")
        self.processes = []
        for port in ports:
            path = self.path(port)
            self.processes.append(spawn(self.relay(path, port)))
            wait_until(f"{self.name} at {path}", lambda: os.path.exists(path))

    def path(self, port):
        return os.path.join(self.dir, str(port))

    def listen_at(self):
        return ["-u", self.path("listener")]

    def listens(self, port):
        """The relay the other way round: from a port to the program's UNIX socket."""
        port = unused_port()
        self.processes.append(spawn(self.inward(port, self.path("listener"))))
        wait_until(f"{self.name} at port {port}", lambda: answers(port))
        super().listens(port)

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

    def relay(self, path, port):
        return [os.path.join(BENCH, "relay"), path, str(port)]

    def inward(self, port, path):
        return [os.path.join(BENCH, "relay"), str(port), path]


class Socat(Relays):
    name = "socat"
    missing = absent("socat")

    def relay(self, path, port):
        return ["socat", "-b65536", f"UNIX-LISTEN:{path},fork,backlog=1024", f"TCP:127.0.0.1:{port},nodelay"]

    def inward(self, port, path):
        return ["socat", "-b65536", f"TCP-LISTEN:{port},fork,backlog=1024,nodelay", f"UNIX-CONNECT:{path}"]


class Proxy(Native):
    """A SOCKS server, which the program reaches by the preload library of proxychains4."""

    ours = False
    no_server = "proxychains4 leaves listeners alone"
    no_control = "the program's sockets are the kernel's"

    def start(self, ports):
        self.dir = tempfile.mkdtemp(prefix="proxy.", dir="/tmp")
        self.port = unused_port()
        self.conf = os.path.join(self.dir, "proxychains.conf")
        with open(self.conf, "w") as file:
            file.write(f"strict_chain\nquiet_mode\n[ProxyList]\nsocks5 127.0.0.1 {self.port}\n")
        self.process = spawn(self.server())
        wait_until(f"{self.name} at port {self.port}", lambda: answers(self.port))

    def prefix(self):
        return ["proxychains4", "-q", "-f", self.conf]

    def pids(self):
        return {self.name: self.process.pid}

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


class Dante(Proxy):
    name = "dante"
    missing = absent("danted", "proxychains4")

    def server(self):
        conf = os.path.join(self.dir, "danted.conf")
        with open(conf, "w") as file:
            if PRIORITY:  # it ends under a scheduling policy that it does not know
                for kind in ("mother", "negotiate", "request", "io"):
                    file.write(f"cpu.schedule.{kind}: fifo/{PRIORITY}\n")
            file.write(
                f"logoutput: /dev/null\ninternal: 127.0.0.1 port = {self.port}\nexternal: 127.0.0.1\n"
                "clientmethod: none\nsocksmethod: none\n"
                "client pass {\n from: 127.0.0.0/8 to: 127.0.0.0/8\n}\n"
                "socks pass {\n from: 127.0.0.0/8 to: 127.0.0.0/8\n}\n"
            )
        return [shutil.which("danted", path=PATH), "-f", conf, "-p", os.path.join(self.dir, "pid")]


class Microsocks(Proxy):
    name = "microsocks"
    missing = absent("microsocks", "proxychains4")

    def server(self):
        return ["microsocks", "-i", "127.0.0.1", "-p", str(self.port)]


class Netstack(Native):
    """A TCP/IP stack in the program's own process: gVisor's netstack over a tap device, with the client of netstack/."""

    GO = "/usr/bin/go"  # the one that the packaged library was made for
    LIBRARY = "/usr/share/gocode/src/gvisor.dev/gvisor/pkg/tcpip"
    built = None
    ours = False
    # Go's threads spin for each other: a thread that never leaves the CPU stops all others.
    realtime = False
    no_server = no_control = "the client on this stack has no such work"

    def __init__(self, mtu):
        self.name = f"stack, MTU {mtu}"
        self.mtu = mtu
        # With one thread, which Go chooses for one CPU, a goroutine that waits for the device can block all others.
        self.env = dict(os.environ, GOMAXPROCS="4")
        self.missing = self.find_missing()

    @classmethod
    def find_missing(cls):
        if not os.path.exists(cls.GO):
            return f"{cls.GO} (golang-go) is not there"
        if not os.path.exists(cls.LIBRARY):
            return "golang-gvisor-gvisor-dev is not installed"
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            return "/dev/net/tun may not be opened"
        return None

    @classmethod
    def build(cls):
        """The program, once; what cannot be built is told."""
        if not cls.built:
            program = os.path.join(BENCH, "netstack")
            env = dict(os.environ, GOCACHE=os.path.join(BENCH, "go-cache"), GOPATH="/usr/share/gocode", GOPROXY="off")
            env.update(GO111MODULE="off", GOENV="off", GOFLAGS="", GOTOOLCHAIN="local", CGO_ENABLED="0")
            source = os.path.join(TOP, "bench", "netstack", "main.go")
            done = subprocess.run([cls.GO, "build", "-o", program, source], env=env, text=True, capture_output=True)
            if done.returncode:
                sys.exit(f"bench/run: netstack cannot be built: {done.stderr}")
            cls.built = program
        return cls.built

    def start(self, ports):
        self.program = self.build()
        self.taps = []
        for i in range(len(ports)):
            tap = f"tap{self.mtu}x{i}"
            for words in (
                f"tuntap add {tap} mode tap",
                f"addr add {self.address(i, 1)}/24 dev {tap}",
                f"link set {tap} mtu {self.mtu} up",
            ):
                subprocess.run(["ip", *words.split()], check=True)
            self.taps.append(tap)

    def address(self, i, host):
        return f"10.{self.mtu // 1000}.{i}.{host}"

    def lacks(self, work):
        return super().lacks(work) if work["program"] == "lfp-bench" else self.no_server

    def command(self, work, ports, i, ms):
        flags = dict(zip(work["flags"][::2], work["flags"][1::2]))
        ends = [self.address(i, 2), self.address(i, 1), str(ports[i])]
        return [self.program, self.taps[i], str(self.mtu), *ends, flags["-w"], flags.get("-s", "1"), str(ms), flags.get("-n", "0")]

    def stop(self):
        for tap in self.taps:
            subprocess.run(["ip", "link", "del", tap], check=False)


class Lfp(Native):
    """lfpd and LFP instance 01 in a private root, of this build or of the one in the directory @build."""

    def __init__(self, transport, sizes, poll=None, build=None, max_sockets=8192, log=False):
        self.name = transport if poll is None else f"{transport}, poll {poll} us"
        if build:
            self.name += ", other"
        if log:
            self.name += ", log"
        self.log = log
        self.bin = os.path.join(os.path.abspath(build), "bin") if build else BIN
        self.transport, self.poll, self.max_sockets = transport, poll, max_sockets
        self.mtu, self.window_out, self.window_in = sizes
        if transport == "hipersockets":
            self.hs_mtu = min((m for m in HS_MTUS if m - HS_HEADERS >= self.mtu), default=HS_MTUS[-1])
            self.mtu = min(self.mtu, self.hs_mtu - HS_HEADERS)

    def start(self, ports):
        self.root = tempfile.mkdtemp(prefix="bench.", dir=memory_directory())
        self.env = dict(os.environ, LFP_ROOT=self.root, LFP_VMID="BENCH")
        conf = (
            f"IUCV_SRC_APPNAME = BENCH\nMTU_SIZE = {self.mtu}\nWINDOW_SIZE = {self.window_out}\nMAX_SOCKETS = {self.max_sockets}\n"
            f"IUCV_MSGLIMIT = 1024\nLOG_INFO_MSG = no\nTRANSPORT = {self.transport}\n"
        )
        statements = (
            f"ID = 01\nMTU = {self.mtu}\nIucvMsgLimit = 1024\nIucvSrcAppName = BENCHV\nIucvDestAppName = BENCH\n"
            f"IucvDestVMId = BENCH\nWindowSize = {self.window_in}\nTransport = {self.transport}\n"
        )
        if self.log:  # of each call, and none left out
            conf += f"CONNECTION_LOG = {self.root}/connections\nCONNECTION_LOG_RATE = 1000000\n"
        if self.poll is not None:
            conf += f"SHM_POLL = {self.poll}\n"
            statements += f"ShmPoll = {self.poll}\n"
        if self.transport == "local":
            conf += "LOCAL_INSTANCE = 01\n"
        if self.transport == "hipersockets":
            conf += f"HS_MTU = {self.hs_mtu}\n"
            statements += f"HsMTU = {self.hs_mtu}\n"
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
            [os.path.join(self.bin, program), *args], env=self.env, stdin=subprocess.DEVNULL, text=True, capture_output=True
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
        return [os.path.join(self.bin, "lfp-run"), "-i", "01", "--"]

    def stop(self):
        for command in (["ijblfpop", "STOP", "01"], ["lfpd-ctl", "stop", "BENCH"]):
            command[0] = os.path.join(self.bin, command[0])
            subprocess.run(command, env=self.env, stdin=subprocess.DEVNULL, capture_output=True)
        shutil.rmtree(self.root, ignore_errors=True)
