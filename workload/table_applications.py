# SPDX-License-Identifier: Apache-2.0
"""The table applications: the twelve applications of IBM's slide, each by a stand-in with the same pattern, with lfpd restarted in its middle."""

import http.client
import os
import time

import apps
import grid
import show
from errors import CellError, MissingError
from routes import TRANSPORTS

ROUTES = TRANSPORTS
DEFAULT = ("unix",)
PROGRAMS = ("lfpd", "lfpd-ctl", "lfpd-admin", "ijblfpop", "vsejob", "ip", "unshare")
ALL = [(app.key, app.slide) for app in apps.ALL]
MIDDLE, BETWEEN = "in the middle", "between two runs"


def kept(number):
    """Returns the words about connections that lfpd has kept."""
    return f" with {number} connection{'s' if number > 1 else ''}" if number else ""


def rows(sizes):
    return [(key, slide) for key, slide in ALL if key in sizes["applications"]]


def work(sizes):
    return f"about {show.size(sizes['bytes'])} for each application"


class Runner:
    """The applications on one route."""

    def __init__(self, processes, work, route, sizes):
        self.processes, self.work, self.route, self.size = processes, work, route, sizes["bytes"]
        self.programs = os.path.join(work, "bin")
        os.makedirs(self.programs, exist_ok=True)
        self.classes = {app.key: app for app in apps.ALL}
        self.app, self.missing, self.shared = None, set(), []

    def measure(self, key):
        try:
            self.app = self.classes[key](self)
            self.app.lacks()
        except MissingError:
            self.missing.add(key)
            raise
        begin, middle = time.monotonic(), Middle(self.route)
        done = self.once(middle)
        if not self.route.keeps_sockets:
            self.route.restart()
            self.app = self.classes[key](self)
            done += self.once(Middle(self.route))
        seconds = time.monotonic() - begin
        self.app = None
        return {"bytes": done, "seconds": seconds, "rate": done / seconds, "connections_kept": middle.kept,
                "restart": MIDDLE if self.route.keeps_sockets else BETWEEN}

    def once(self, middle):
        try:
            done = self.app.run(middle)
        except KeyboardInterrupt:
            self.app.clean()  # else the LFP instance would stop with their sockets in use
            raise
        except (OSError, http.client.HTTPException) as error:
            raise CellError(f"Linux's side: {error or type(error).__name__}") from None
        if middle.calls != self.app.middles:
            raise CellError(f"it had {middle.calls} middles, not {self.app.middles}")
        return done

    @staticmethod
    def said(cell):
        return f"{cell['bytes']} bytes equal, lfpd restarted {cell['restart']}" + kept(cell["connections_kept"])

    def lacks(self, key):
        return key in self.missing

    def clean(self):
        if self.app:
            self.app.clean()

    def end(self):
        for one in self.shared:
            one.stop()
        self.route.settle()


runner = Runner


class Middle:
    """The middle of an application: lfpd restarts, and the connections have to go on."""

    def __init__(self, route):
        self.route, self.calls, self.kept = route, 0, 0

    def __call__(self):
        self.calls += 1
        if self.route.keeps_sockets:
            self.kept = self.route.connected()
            if not self.kept:
                raise CellError("lfpd has no connection to restart with, so this is not the middle")
            self.route.restart()


def compared(results):
    """Returns, for each application that was chosen, its name on the slide, and its results by transport."""
    return [{"application": app.slide, "stand_in": app.stand_in, "pattern": app.pattern,
             "cells": {route: of.get(app.key) for route, of in results["cells"].items()}}
            for app in apps.ALL if app.key in results["sizes"]["applications"]]


def verdict(cell):
    if cell is None:
        return "not run"
    if "error" in cell:
        return "FAILED"
    return f"equal, restart {cell['restart']}" if "rate" in cell else "skipped"


def verdicts(results, both):
    """Yields (application, transport, verdict)."""
    for row in both:
        for route in results["routes"]:
            yield row["application"], route, verdict(row["cells"].get(route))


def text(results):
    """Returns the lines of the table: for each transport twelve."""
    lines = ["IBM's list: \"IBM Applications supporting Linux Fast Path\". All bytes are compared; lfpd is restarted in the middle."]
    for route in results["routes"]:
        if route in results["skipped"]:
            continue
        body = []
        for row in compared(results):
            cell = row["cells"].get(route)
            body.append([row["application"], row["stand_in"], row["pattern"],
                         *([f"{cell['bytes']}", f"{cell['seconds']:.1f}"] if cell and "rate" in cell else ["-", "-"]), verdict(cell)])
        lines += ["", f"LFP, {route}", "", *show.table(["application", "stand-in", "pattern", "bytes", "seconds", "verdict"], body, left=(0, 1, 2, 5))]
    missing = [f"{route}: {key}: {cell['skipped']}" for route, of in results["cells"].items() for key, cell in of.items() if "skipped" in cell]
    return lines + (["", "SKIPPED", "", *missing] if missing else []) + grid.failures(results)
