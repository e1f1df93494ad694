# SPDX-License-Identifier: Apache-2.0
"""A cell of the table telnet: unmodified telnetd on z/VSE's side, users on Linux's side.

"Emul" of the report is the program's own CPU time: listener, telnetd, its children, and supervisors. "CP" are the LFP
instance and lfpd. In z/VM both are times of the guest itself, so this is a mapping of ours."""

import hashlib
import ipaddress
import json
import os
import sys

import product
from errors import CellError
from processes import wait_until
from routes import LINUX, LINUX6, last_line

PORT = 2323
SECONDS = 900
USERS = os.path.join(product.HERE, "telnet_users.py")
LISTENER = os.path.join(product.PROGRAMS, "telnet-listener.py")
LOGON = os.path.join(product.PROGRAMS, "logon")
# key: (text, the server's socket, the users' address, what the server has to see, the run of the report beside it)
SCENARIOS = {
    "ipv4": ("IPv4 socket, IPv4 users", "inet", LINUX, ipaddress.IPv4Address, "5.3 IPv4"),
    "mapped": ("IPv6 socket, IPv4 users", "inet6", LINUX, None, "5.4 IPv4"),
    "ipv6": ("IPv6 socket, IPv6 users", "inet6", LINUX6, ipaddress.IPv6Address, "5.4 IPv6"),
}


def is_as_wanted(address, kind):
    """Tells whether a server sees an address of the kind; None is IPv4 in an IPv6 address, as ::ffff:10.9.0.1."""
    seen = ipaddress.ip_address(address.partition("%")[0])
    if kind is None:
        return seen.version == 6 and seen.ipv4_mapped is not None
    return isinstance(seen, kind) and not getattr(seen, "ipv4_mapped", None)


class Telnet:
    """One scenario with a number of users on one route."""

    def __init__(self, processes, work, route, scenario, users, commands, think):
        self.processes, self.route, self.users, self.commands, self.think = processes, route, users, commands, think
        _, self.family, self.address, self.kind, _ = SCENARIOS[scenario]
        self.log = os.path.join(work, f"telnet-{route.name}.log")
        self.peers = os.path.join(work, "peers")
        self.out = os.path.join(work, "users")
        self.server = self.crowd = None

    def measure(self):
        open(self.peers, "w", encoding="ascii").close()
        carriers = self.route.cpu()
        self.server = self.processes.start(
            [*self.route.prefix(), sys.executable, LISTENER, self.family, str(PORT), self.peers, product.program("telnetd"), "-h", "-E", f"{product.program('sh')} {LOGON}"],
            self.log, env=self.route.env)
        wait_until(self.listens, 60, "the listener does not start")
        with open(self.out, "wb") as out:
            self.crowd = self.processes.start(
                [sys.executable, USERS, self.address, str(PORT), str(self.users), str(self.commands), str(self.think)], self.log, stdout=out)
        wait_until(lambda: self.processes.is_over(self.crowd), SECONDS, "the users do not end")
        if self.crowd.returncode:
            raise CellError(f"the users: {last_line(self.log)}")
        with open(self.out, encoding="utf-8") as file:
            said = json.load(file)
        code, cpu = self.processes.stop(self.server, "the listener")
        self.route.settle()
        if code:
            raise CellError(f"the listener ends with {code}: {last_line(self.log)}")
        after = self.route.cpu()
        user, system = self.processes.modes[self.server.pid]
        self.server = self.crowd = None
        # Programs that outlive telnetd are adopted.
        adopted = after.pop("adopted") - carriers["adopted"]
        return {"bytes": said["bytes"], "seconds": said["seconds"], "users": self.users, "emul": cpu + adopted, "emul_user": user,
                "emul_system": system, "cp": sum(after[name] - carriers[name] for name in after), "texts": self.texts(said["users"])}

    def listens(self):
        if self.processes.is_over(self.server):
            raise CellError(f"the listener has ended: {last_line(self.log)}")
        # A connection of ours would be a line of the file, and a telnetd.
        hexadecimal = f":{PORT:04X} "
        for name in ("tcp", "tcp6"):
            with open(f"/proc/net/{name}", encoding="ascii") as file:
                if any(hexadecimal in line and line.split()[3] == "0A" for line in file):
                    return True
        return False

    def texts(self, users):
        """Checks users and their addresses as the server saw them. Returns a digest of each user's text."""
        wrong = [user["error"] for user in users if user["error"]]
        if wrong:
            raise CellError(f"{len(wrong)} of {self.users} users fail: {wrong[0]}")
        with open(self.peers, encoding="ascii") as file:
            seen = file.read().split()
        if len(seen) != self.users:
            raise CellError(f"the server has seen {len(seen)} connections of {self.users} users")
        strange = [address for address in seen if not is_as_wanted(address, self.kind)]
        if strange:
            raise CellError(f"the server has seen {strange[0]} as the address of a user at {self.address}")
        return [hashlib.sha256(user["text"].encode()).hexdigest() for user in users]

    def clean(self):
        for process in filter(None, (self.crowd, self.server)):
            if not self.processes.is_over(process):
                self.processes.stop(process, "a program of the table telnet")
