# SPDX-License-Identifier: Apache-2.0
"""The table capacity: CPU time of a day's data, with a stack in the partition and with LFP, and the difference.

It needs CPU time a MB. There are two sources, in columns of their own: IBM's slide, and the results of the table lfp."""

import json
import math

import published
import show
from errors import UsageError

DAY = 86400
WORKS = {"ftp": "FTP", "application": "the socket application"}
# Routes that stand for a mode, the first one that was measured.
MODES = {"zvm": ("iucv", "unix"), "lpar": ("hipersockets",)}
LANGUAGES = ("c", "cobol")
MOST_BYTES = 2**24  # of a file of results
WAYS = (("out", "z/VSE -> Linux"), ("in", "Linux -> z/VSE"))


def published_cost(work, way, side):
    """Returns CPU ms a MB on a CP of the slide's z10, and its percent and rate."""
    if work == "ftp":
        cell = published.FTP[way][side]
        percent, rate = published.total(cell), cell["rate"]
    else:  # one value for both directions
        percent = published.total(published.APPLICATION["cpu"][side])
        rate = published.APPLICATION[way][side] * published.APPLICATION["programs"]
    return {"ms_per_mb": percent * 10 / rate, "percent": percent, "rate": rate}


def replayed():
    """Yields the slide's percent, computed back from CPU ms a MB and the rates."""
    for work, name in WORKS.items():
        for way, direction in WAYS:
            costs = [published_cost(work, way, side) for side in ("tcpip", "lfp")]
            yield {"work": f"{name} {direction}", "ms_per_mb": [cost["ms_per_mb"] for cost in costs],
                   "rates": [cost["rate"] for cost in costs], "printed": [cost["percent"] for cost in costs],
                   "replayed": [cost["ms_per_mb"] * cost["rate"] / 10 for cost in costs]}


def plain(value):
    """Returns text from a file as a terminal may show it."""
    return "".join(char if char.isprintable() else "?" for char in str(value)[:80])


class Results:
    """The results of the table lfp, read from a file. A value that is no number is an error of the file."""

    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from None
        if len(data) > MOST_BYTES:
            raise self.wrong("it has more than 16 MiB")
        try:
            self.all = json.loads(data)
        except (ValueError, RecursionError):
            raise self.wrong("it is not JSON") from None
        if not isinstance(self.all, dict) or self.all.get("table") != "lfp" or not isinstance(self.all.get("cells"), dict):
            raise self.wrong("it has no cells of the table lfp")
        machine = self.all.get("machine")
        machine = machine if isinstance(machine, dict) else {}
        self.where = (f"{plain(machine.get('processor', 'an unknown processor'))}, Linux {plain(machine.get('kernel', '?'))}, "
                      f"{plain(self.all.get('started', '?'))}")
        self.doubts = [text for text, true in (("a quick run: the numbers say little", self.all.get("quick") is not False),
                                               ("a partial run", self.all.get("complete") is not True)) if true]

    def wrong(self, why):
        return UsageError(f"{self.path}: not the results of lfp-workload lfp --json: {why}")

    def cost(self, route, key, spender):
        """Returns CPU ms a MB, or None if it was not measured."""
        value = self.all["cells"]
        for name in (route, key, "ms_per_mb", spender):
            if not isinstance(value, dict):
                raise self.wrong(f"{route}, {key}: no object")
            value = value.get(name)
            if value is None:
                return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
            raise self.wrong(f"{route}, {key}, {spender}: {value!r} is no CPU time")
        return value

    def route(self, mode, key):
        return next((name for name in MODES[mode] if self.cost(name, key, "zvse") is not None), None)


def compute(options):
    """Returns the table: for each source and direction CPU seconds a day of z/VSE's CPs, and of the IFLs for lfpd."""
    megabytes = {"out": options.out, "in": options.inward}
    table = {"table": "capacity", "complete": True, "work": options.work, "mode": options.mode, "speed": options.speed,
             "cps": options.cps, "megabytes": megabytes, "replayed": list(replayed()), "published": {}, "measured": None}
    for way, _ in WAYS:
        costs = [published_cost(options.work, way, side)["ms_per_mb"] for side in ("tcpip", "lfp")]
        table["published"][way] = seconds(costs, None, megabytes[way], options.speed)
    if options.results:
        results = Results(options.results)
        table["measured"] = {"from": results.path, "where": results.where, "doubts": results.doubts}
        for way, _ in WAYS:
            key = f"ftp-{way}" if options.work == "ftp" else f"{options.language}-{way}"
            route = results.route(options.mode, key)
            costs = [results.cost("stack-osa", key, "zvse"), results.cost(route, key, "zvse") if route else None]
            lfpd = results.cost(route, key, "lfpd") if route else None
            # This machine's processors are not the CPs of --speed.
            table["measured"][way] = {**seconds(costs, lfpd, megabytes[way], 1.0), "route": route}
    return table


def seconds(costs, lfpd, megabytes, speed):
    if not megabytes:
        return {"ms_per_mb": costs, "stack": 0.0, "lfp": 0.0, "saved": 0.0, "lfpd": 0.0}
    stack, lfp = (None if cost is None else cost * megabytes / 1000 / speed for cost in costs)
    return {"ms_per_mb": costs, "stack": stack, "lfp": lfp, "saved": None if stack is None or lfp is None else stack - lfp,
            "lfpd": None if lfpd is None else lfpd * megabytes / 1000}


def total(source, name):
    """Returns the sum of both directions, or None if a value is missing."""
    values = [source[way][name] for way, _ in WAYS]
    return None if None in values else sum(values)


def text(table):
    megabytes = table["megabytes"]
    lines = [f"lfp-workload capacity: {WORKS[table['work']]}, {megabytes['out']:g} MB a day z/VSE -> Linux, {megabytes['in']:g} MB Linux -> "
             f"z/VSE, {'z/VM' if table['mode'] == 'zvm' else 'LPAR'}",
             f"CP: {table['speed']:g} times the speed of the slide's (z10 EC 2097-722); {table['cps']} of them are 100 %", "",
             "CPU seconds a day", ""]
    sources = [("published", table["published"])] + ([("measured here", table["measured"])] if table["measured"] else [])
    rows = []

    def said(value):
        return "-" if value is None else f"{value:.1f}"
    for way, direction in WAYS:
        for source, values in sources:
            cell = values[way]
            rows.append([f"{direction}, {source}", said(cell["stack"]), said(cell["lfp"]), said(cell["saved"]), said(cell["lfpd"])])
    for source, values in sources:
        rows.append([f"both, {source}", *(said(total(values, name)) for name in ("stack", "lfp", "saved", "lfpd"))])
        if source == "published":  # percent of CPs say nothing about this machine
            rows.append(["  % of the CPs", *(f"{100 * total(values, name) / DAY / table['cps']:.2f}"
                                              for name in ("stack", "lfp", "saved")), "-"])
    lines += show.table(["", "stack in the\npartition", "LFP", "saved", "lfpd (IFL)"], rows)
    if total(table["published"], "stack") > DAY * table["cps"]:
        lines += ["", f"With a stack in the partition this is more than {table['cps']} CPs can do in a day."]
    lines += ["", "published: from the slide's percent and rates. Assumption: its percent are of one CP. It has no CPU time of Linux."]
    if table["work"] == "application":
        lines.append("Assumption: the slide's one percent of CPU for the socket application holds for each direction.")
    if table["mode"] == "lpar":
        lines.append("Assumption: LFP over HiperSockets costs as much as the slide's LFP, which is over IUCV.")
    if table["measured"]:
        found = sorted({table["measured"][way]["route"] or "no route" for way, _ in WAYS if megabytes[way]})
        lines += [f"measured here: {table['measured']['from']}: {table['measured']['where']}; stack-osa, and {' and '.join(found)} as LFP.",
                  "It may differ from the slide: other processors, another stack, other programs. --speed does not change it."]
        lines += [f"measured here: {doubt}" for doubt in table["measured"]["doubts"]]
    lines += ["", "REPLAYED: the slide's percent from CPU time a MB and the slide's rates, from which that time comes", ""]
    lines += show.table(["", "ms a MB\nstack", "ms a MB\nLFP", "% CPU\nprinted", "% CPU\nreplayed"], [
        [row["work"], *(f"{cost:.2f}" for cost in row["ms_per_mb"]), " to ".join(str(value) for value in row["printed"]),
         " to ".join(f"{value:.0f}" for value in row["replayed"])] for row in table["replayed"]])
    return lines


def number(least, most):
    """Returns a reader of numbers in a range, for argparse, whose errors are ValueErrors with a text."""
    def read(word):
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise ValueError(f"{word}: not a number from {least:g} to {most:g}")
        return value
    return read
