# SPDX-License-Identifier: Apache-2.0
"""HiperSockets as an IP network device: zdev hsi with the definitions of IBM's paper, its displays and its counters.

z/VSE's side stands in for z/OS, and has the network namespace of z/OS's end. Linux's end is in the namespace of the run."""

import json
import os
import re
import subprocess

import product
from errors import CellError
from processes import wait_until
from routes import START_SECONDS, Route, last_line, run

DEFINITIONS = ("mq-profile.tcpip", "ifcfg-hsi0", "mq-linux.commands")
COUNTERS = ("bytes_in", "packets_in", "bytes_out", "packets_out")
# Bytes of the headers: IP and TCP with timestamps; the same of a SYN; of a RST, which has no options
PACKET, SYN, RST = 52, 60, 40


class Hsi(Route):
    name = "hsi"
    text = "HiperSockets, network device"
    adopted_are = "app"
    address, linux = "10.1.2.1", "10.1.2.2"
    dual = True  # z/OS's sockets are IPv6 ones in the paper
    link, interface = "HSOCKE1", "hsi0"

    def __init__(self, processes, work):
        self.zdev = self.namespace = None
        super().__init__(processes, work)

    def start(self):
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            raise CellError("/dev/net/tun may not be opened")
        folder = product.definitions()
        self.zdev = self.processes.start([product.program("zdev"), "hsi", "--linux-net=/proc/self/ns/net",
                                          *DEFINITIONS], self.log, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          bufsize=0)  # else close() writes again what was refused
        os.set_blocking(self.zdev.stdout.fileno(), False)
        wait_until(self.is_up, START_SECONDS, "zdev hsi does not start")
        self.processes.carries(self.zdev, self.why)

    def why(self):
        return f"zdev hsi has ended: {last_line(self.log)}"

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()

    def is_up(self):
        if self.processes.is_over(self.zdev):
            raise CellError(self.why())
        for line in self.said():
            if "VLFZ065I" in line:
                self.namespace = re.search(r"/proc/\d+/task/\d+/ns/net", line)[0]
        return self.namespace is not None

    def ask(self, command):
        """Returns the lines that zdev hsi answers."""
        answer = b""

        def came():
            nonlocal answer
            answer += self.zdev.stdout.read() or b""
            if answer == b"\n" or answer.endswith(b"\n\n"):
                return True
            if self.processes.is_over(self.zdev):
                raise CellError(self.why())
            return False
        try:
            self.zdev.stdin.write(command.encode() + b"\n")
        except BrokenPipeError:
            raise CellError(self.why()) from None
        wait_until(came, START_SECONDS, f"zdev hsi does not answer {command}")
        return answer.decode("ascii", "replace").rstrip("\n").splitlines()

    def prefix(self):
        return [product.program("nsenter"), f"--net={self.namespace}", "--"]

    def check(self):
        if self.processes.is_over(self.zdev):
            raise CellError(self.why())

    def stop(self):
        if self.zdev:
            self.processes.stop(self.zdev, "zdev hsi")
            self.zdev.stdin.close()
            self.zdev.stdout.close()

    def statistics(self, interface, prefix):
        """Returns the counters of ip -s link."""
        of = json.loads(run(*prefix, "ip", "-s", "-j", "link", "show", interface))[0]["stats64"]
        return [of[way][what] for way in ("rx", "tx") for what in ("bytes", "packets")]

    def tcp(self, prefix):
        """Returns the kernel's counters of TCP in a namespace."""
        names, values = (line.split()[1:] for line in run(*prefix, "cat", "/proc/net/snmp").splitlines() if line.startswith("Tcp:"))
        return dict(zip(names, map(int, values)))

    def displays(self, client, carried):
        """Returns what an operator sees, and whether all counters agree; client is the name of z/VSE's queue
        manager, and carried its payload or None."""
        found = {}

        def agree():
            found["counters"] = counters = json.loads(self.ask("COUNTERS")[0])
            found["netstat"] = self.ask(f"NETSTAT -d -K {self.link}")
            found["sockets"] = self.ask(f"NETSTAT -a -E {client}")
            found["ifconfig"] = self.ask(f"ifconfig {self.interface}")
            found["ip"] = {"zos": self.statistics(self.link, self.prefix()), "linux": self.statistics(self.interface, [])}
            found["tcp"] = self.tcp(self.prefix())
            found["sent_again"] = found["tcp"]["RetransSegs"] + self.tcp([])["RetransSegs"]
            if json.loads(self.ask("COUNTERS")[0]) != counters:
                return False  # a packet is on its way
            found["same"] = compare(found, carried)
            return all(found["same"].values())
        try:
            wait_until(agree, 5, "the counters differ")
        except CellError:
            if "same" not in found:
                raise
        found["routes"] = run(*self.prefix(), "ip", "route").splitlines()
        found["warnings"] = [line.split(None, 1)[1] for line in self.said() if "VLFZ063W" in line]
        return {**found, "carried": carried}


def values(lines, patterns):
    text = "\n".join(lines)
    return [int(found[1]) if (found := re.search(pattern, text, re.M)) else None for pattern in patterns]


def compare(found, carried):
    """Returns the comparisons by name: is each true?"""
    zos, linux = ([found["counters"][end][name] for name in COUNTERS] for end in ("zos", "linux"))
    netstat = values(found["netstat"], [rf"^ *{name} += (\d+)$" for name in ("BytesIn", "Inbound Packets", "BytesOut", "Outbound Packets")])
    ifconfig = values(found["ifconfig"], (r"RX bytes:(\d+)", r"RX packets:(\d+)", r"TX bytes:(\d+)", r"TX packets:(\d+)"))
    ends = found["counters"]
    same = {"NETSTAT -d -K and ip -s link": netstat == found["ip"]["zos"], "ifconfig and ip -s link": ifconfig == found["ip"]["linux"],
            "COUNTERS and ip -s link": [zos, linux] == [found["ip"]["zos"], found["ip"]["linux"]],
            "packets of both ends": ends["zos"]["packets_in"] + ends["zos"]["no_protocol"] + ends["linux"]["discarded_out"] ==
            ends["linux"]["packets_out"] and ends["linux"]["packets_in"] + ends["zos"]["discarded_out"] == ends["zos"]["packets_out"]}
    if carried and not found["sent_again"]:  # else some bytes were sent twice
        same["the queue manager's own bytes, with headers"] = headers(found["tcp"], carried) == found["ip"]["zos"]
    return same


def headers(tcp, carried):
    """Returns the counters of z/OS's interface as they follow from the payload, and from the segments that TCP has counted."""
    refused, failed = tcp["OutRsts"], tcp["AttemptFails"]  # SYNs refused here, and by the peer
    syns_out = tcp["ActiveOpens"] + tcp["PassiveOpens"]
    syns_in = tcp["PassiveOpens"] + refused + tcp["ActiveOpens"] - failed
    return [carried["received"] + syns_in * SYN + failed * RST + (tcp["InSegs"] - syns_in - failed) * PACKET, tcp["InSegs"],
            carried["sent"] + syns_out * SYN + refused * RST + (tcp["OutSegs"] - syns_out - refused) * PACKET, tcp["OutSegs"]]
