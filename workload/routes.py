# SPDX-License-Identifier: Apache-2.0
"""Routes between z/VSE's side and Linux's: LFP over each transport, a TCP/IP stack in the partition, and none ("native").

A route has an LFP_ROOT of its own, with the configuration that an operator would write. The same job runs on each of them,
and only its SYSPARM differs. All of it is in a network namespace of this run, which is Linux's side. Programs of z/VSE's
side have no network of their own, or the one of the stack's link."""

import json
import os
import re
import subprocess

import product
from errors import CellError
from processes import children_of, cpu_of, wait_until

LINUX = "10.9.0.1"  # Linux's side, on loopback
LINUX6 = "fd09::1"  # the same by IPv6
TRANSPORTS = ("iucv", "hipersockets", "unix", "shm", "local")
START_SECONDS = 60
RATE, RATE_TEXT = 10**9, "1 Gbit/s"  # of an OSA adapter


def run(*command):
    done = subprocess.run([product.program(command[0]), *command[1:]], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CellError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


class Route:
    """A column of a table."""

    sysparm = None
    address = LINUX  # of z/VSE's side
    linux = LINUX  # of Linux's side, as z/VSE's side reaches it
    dual = False  # do servers of z/VSE's side listen at one socket for IPv4 and IPv6?

    def __init__(self, processes, work):
        self.processes = processes
        self.root = os.path.join(work, self.name)
        self.log = os.path.join(work, f"{self.name}.log")
        self.env = {**os.environ, "LFP_ROOT": self.root, "SYSPARM": self.sysparm or "",
                    "LFP_SETPARM": "EZA$PHA=IJBLFPEZ"}
        self.env.pop("LFP_STACK", None)

    def start(self):
        """Makes the route ready. Raises CellError with the reason if the machine lacks it."""

    def stop(self):
        """Ends what start() began."""

    def prefix(self):
        """Returns the words before a program of z/VSE's side."""
        return []

    def job_prefix(self):
        """Returns the words before a command that runs jobs."""
        return []

    def cpu(self):
        """Returns CPU times so far, by spender; "adopted" are processes that serve single programs."""
        return {"adopted": self.processes.adopted_cpu()}

    def settle(self):
        """Waits until processes that served the last program have ended."""

    def check(self):
        """Raises CellError if the route carries no more programs."""

    def adapter(self):
        """Returns rate, delay and counters of a link in the place of an OSA adapter, or None."""
        return None

    def shown(self):
        """Returns the lines that operators see of this route, by command."""
        return {}


class Native(Route):
    """The kernel's own sockets, without z/VSE's interfaces."""

    name = "native"
    text = "native"
    adopted_are = "app"


class Lfp(Route):
    """LFP over one transport."""

    sysparm = "01"
    adopted_are = "app"  # supervisors of programs

    def __init__(self, transport, processes, work):
        self.name = transport
        self.text = f"LFP, {transport}"
        self.transport = transport
        self.keeps_sockets = transport != "local"  # while lfpd restarts
        self.fake = {}  # variables of the daemons, for another clock
        self.lfpd = self.instance = None
        super().__init__(processes, work)

    def start(self):
        self.configure()
        self.check_prerequisites()
        self.launch()

    def configure(self):
        hosted = self.transport == "local"
        keys = {"IUCV_SRC_APPNAME": "LINR02", "PEER_IUCV_VMID": "VSER05", "PEER_IUCV_APPNAME": "TESTV",
                "IUCV_MSGLIMIT": 1024, "MTU_SIZE": 8192, "MAX_SOCKETS": 1024, "INITIAL_IO_BUFS": 128, "WINDOW_SIZE": 65535,
                "WINDOW_THRESHOLD": 25, "VSE_CODEPAGE": "EBCDIC-US", "VSE_HOSTID": LINUX, "RESTRICT_TO_HOSTID": "no",
                "TRANSPORT": self.transport, **({"LOCAL_INSTANCE": "01"} if hosted else {})}
        statements = {"ID": "01", "MTU": 8192, "IucvMsgLimit": 1024, "InitialBufferSpace": "512K", "MaxBufferSpace": "4M",
                      "IucvSrcAppName": "TESTV", "IucvDestAppName": "LINR02", "IucvDestVMId": "LINLFP", "WindowSize": 65535,
                      "WindowThreshold": 25, "Transport": self.transport}
        confs = os.path.join(self.root, "etc/opt/ibm/vselfpd")
        conf = os.path.join(confs, "confs-available/lfpd-LINR02.conf")
        start = os.path.join(self.root, "etc/vselfp/lfp-01.conf")
        write(conf, "".join(f"{key} = {value}\n" for key, value in keys.items()))
        write(start, "".join(f"{key} = {value}\n" for key, value in statements.items()))
        write(os.path.join(self.root, "etc/vselfp/edctcpmc"), "01 IJBLFPLE\n")
        os.makedirs(os.path.join(confs, "confs-enabled"), exist_ok=True)
        os.symlink("../confs-available/lfpd-LINR02.conf", os.path.join(confs, "confs-enabled/lfpd-LINR02.conf"))

    def launch(self):
        """Starts lfpd and the LFP instance, also again after stop()."""
        self.start_lfpd()
        if self.transport != "local":
            before = set(self.processes.adopted(children_of()))
            self.quietly("ijblfpop", "START", os.path.join(self.root, "etc/vselfp/lfp-01.conf"), LFP_VMID="VSER05", **self.fake)
            self.instance = next(iter(set(self.processes.adopted(children_of())) - before), None)
        wait_until(self.is_up, START_SECONDS, f"the LFP instance has no path over {self.transport}")

    def start_lfpd(self):
        conf = os.path.join(self.root, "etc/opt/ibm/vselfpd/confs-available/lfpd-LINR02.conf")
        self.lfpd = self.processes.start([product.program("lfpd"), "-d", "-f", conf], self.log, env={**self.env, "LFP_VMID": "LINLFP", **self.fake})
        wait_until(self.answers, START_SECONDS, f"lfpd over {self.transport} does not answer")

    def restart(self):
        """Restarts lfpd. Its sockets go on, but with local the LFP instance restarts, too."""
        if not self.keeps_sockets:
            self.processes.stop(self.lfpd, "lfpd")
            self.start_lfpd()
            wait_until(self.is_up, START_SECONDS, "the LFP instance does not come back with lfpd")
            return
        before = self.sessions_gone_on()
        self.quietly("lfpd-ctl", "restart", "LINR02")
        wait_until(lambda: len(self.sessions_gone_on()) > len(before) and self.is_up(), START_SECONDS,
                   f"no session over {self.transport} goes on after a restart of lfpd")
        _, reset = self.sessions_gone_on()[-1]
        if reset != "0":
            raise CellError(f"the restart of lfpd has reset {reset} sockets")

    def connected(self):
        """Returns the number of connections that lfpd has."""
        lines = self.quietly("lfpd-admin", "-i", "LINR02", "--json", "sockets")
        return sum(of["state"] in ("established", "half-ended", "peer-ended") for of in json.loads("\n".join(lines))["sockets"])

    def sessions_gone_on(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return re.findall(r"VLFD153I .* goes on with (\d+) sockets; (\d+) were reset", file.read())

    def check_prerequisites(self):
        command = [product.program("lfpd-ctl"), "check", "LINR02"]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            words = line.split(None, 1)
            # The capability is for servers below port 1024 only, and no row has one.
            if words and words[0] == "missing" and "port capability" not in line:
                what, *why = re.split(r"\s{2,}", words[1].strip(), maxsplit=1)
                raise CellError(f"this machine lacks {': '.join([what, *why])}")

    def quietly(self, name, *words, **variables):
        """Runs a command of the product to its end. Raises CellError with its last line if it fails."""
        log = f"{self.log}.{name}"
        process = self.processes.start([product.program(name), *words], log, env={**self.env, **variables})
        code, _ = self.processes.wait(process, START_SECONDS, name)
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = file.read().strip().splitlines()
        os.unlink(log)
        if code:
            raise CellError(f"{name} {words[0]}: {lines[-1] if lines else f'exit code {code}'}")
        return lines

    def shown(self):
        conf = os.path.join(self.root, "etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf")
        return {"check": self.quietly("lfpd", "-n", "-f", conf),
                "info": [re.sub(r"(INSTANCE) ('\d+'):$", r"\1 : \2", line) for line in self.quietly("ijblfpop", "INFO", "01")],
                "status": self.quietly("lfpd-admin", "-i", "LINR02", "-s")}

    def answers(self):
        if self.processes.is_over(self.lfpd):
            raise CellError(f"lfpd over {self.transport} has ended: {last_line(self.log)}")
        try:
            self.quietly("lfpd-admin", "-i", "LINR02", "-s")
        except CellError:
            return False
        return True

    def is_up(self):
        try:
            lines = self.quietly("ijblfpop", "INFO", "01")
        except CellError:
            return False
        values = dict(re.match(r" *([A-Z ]+?) *\.{5} *: *(.*)", line).groups() for line in lines if re.match(r" *[A-Z ]+\.{5} *: ", line))
        return values.get("STATUS") == "UP" and values.get("DEVICE STATUS") == "ACTIVE"

    def stop(self):
        if self.transport != "local" and self.instance:
            try:
                self.quietly("ijblfpop", "STOP", "01")
            except CellError:
                pass  # stop_all() ends the instance
        if self.lfpd:
            self.processes.stop(self.lfpd, "lfpd")

    def prefix(self):
        return [product.program("unshare"), "--net", "--", product.program("lfp-run"), "--"]

    def job_prefix(self):
        return [product.program("unshare"), "--net", "--"]

    def cpu(self):
        children = children_of()
        times = {"lfpd": cpu_of(self.lfpd.pid, children)}
        if self.instance:
            times["instance"] = cpu_of(self.instance, children)
        times["adopted"] = self.processes.adopted_cpu(apart=(self.instance,))
        return times

    def check(self):
        if self.processes.is_over(self.lfpd):
            code = self.lfpd.returncode
            raise CellError(f"lfpd ended {f'by signal {-code}' if code < 0 else f'with {code}: {last_line(self.log)}'}")
        if not self.is_up():
            raise CellError("the LFP instance has no path to lfpd")

    def settle(self):
        def settled():
            self.processes.reap()
            return not [pid for pid in self.processes.adopted(children_of()) if pid != self.instance]
        wait_until(settled, 30, "a supervisor does not end")


def last_line(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().strip().splitlines()
    except OSError:
        lines = []
    return lines[-1] if lines else "it said nothing"


def all_routes(processes, work, delay):
    """Returns the columns in the order of the tables. delay: of an OSA adapter, in ms each way."""
    from hsi import Hsi  # which is a Route, as those of links are
    from links import Osa, Stack
    return [Hsi(processes, work), Stack("stack-osa", f"stack, {RATE_TEXT}", delay, processes, work),
            Stack("stack", "stack, no limit", None, processes, work), Osa(delay, processes, work),
            *(Lfp(transport, processes, work) for transport in TRANSPORTS),
            Native(processes, work)]
