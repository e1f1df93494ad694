# SPDX-License-Identifier: Apache-2.0
"""POWER PNET: two nodes of NJE over TCP that stay connected for days. The clocks of the nodes, of lfpd and of the LFP instance are libfaketime's."""

import glob
import json
import os
import re

import product
from apps.base import App, said
from errors import CellError

PORT = 1750
DAYS = 3
LIBRARY = "/usr/lib/*/faketime/libfaketime.so.1"


class Pnet(App):
    key = "pnet"
    slide = "POWER PNET"
    stand_in = "NJE nodes"
    pattern = f"server: a connection of {DAYS} days"

    def lacks(self):
        super().lacks()
        if not glob.glob(LIBRARY):
            raise product.missing("libfaketime")

    def run(self, middle):
        clock = self.write("clock", "+0\n")
        fake = {"LD_PRELOAD": glob.glob(LIBRARY)[0], "FAKETIME_TIMESTAMP_FILE": clock, "FAKETIME_NO_CACHE": "1"}
        self.route.stop()
        self.route.fake = fake
        self.route.launch()
        try:
            return self.days(middle, fake)
        finally:
            self.clean()
            self.route.stop()
            self.route.fake = {}
            self.route.launch()

    def days(self, middle, fake):
        size = self.size // (2 * DAYS)
        server = self.job("PNET", self.python("nje.py", "VSEPNET", "LINPNET", PORT, DAYS, size), variables=fake)
        self.listens(PORT, server)
        client = self.gated("env", *(f"{name}={value}" for name, value in fake.items()), *self.python("nje.py"),
                            "LINPNET", "VSEPNET", str(PORT), str(DAYS), str(size), self.route.address)
        for day in range(1, DAYS + 1):
            self.pass_gate(client, middle if day == 2 else lambda: None, f"day {day}")
            self.pass_gate(client, lambda: self.day_passes(day), f"night {day}", may_end=server if day == DAYS else None)
        for one in (client, server):
            self.finished(one)
            days = re.fullmatch(rf"{2 * DAYS * size} BYTES EQUAL, ([0-9.]+) DAYS", said(one.listing))
            if not days or float(days[1]) < DAYS - 1:  # the last night is over for the node that says so
                raise CellError(f"{one.name} says: {said(one.listing)}")
        return 2 * DAYS * size

    def day_passes(self, day):
        """Sets the clocks a day on, and has both daemons look at theirs."""
        self.write("new", f"+{day}d\n")
        os.rename(self.path("new"), self.path("clock"))  # never an empty file
        if not self.route.is_up():
            raise CellError(f"after day {day} the LFP instance has no path")
        seconds = json.loads("\n".join(self.route.quietly("lfpd-admin", "-i", "LINR02", "--json", "status")))["uptime"]
        if seconds < 86400 - 600:  # it restarts on the second day
            raise CellError(f"lfpd has seen {seconds} seconds, not a day")
