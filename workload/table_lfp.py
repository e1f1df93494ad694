# SPDX-License-Identifier: Apache-2.0
"""The table lfp: IBM's slide about the speed of LFP, measured here over every route, and shown beside the slide."""

import grid
import links
import published
import show
from application import Application, Programs
from ftp import Ftp
from routes import TRANSPORTS
from verdicts import values_of, verdicts

# Key, text, language or None for FTP, from z/VSE?
ROWS = [
    ("ftp-out", "FTP z/VSE -> Linux", None, True),
    ("ftp-in", "FTP Linux -> z/VSE", None, False),
    ("c-out", "3 x C (LE/C) z/VSE -> Linux", "C", True),
    ("c-in", "3 x C (LE/C) Linux -> z/VSE", "C", False),
    ("cobol-out", "3 x COBOL (EZASOKET) z/VSE -> Linux", "COBOL", True),
    ("cobol-in", "3 x COBOL (EZASOKET) Linux -> z/VSE", "COBOL", False),
]
ROUTES = ("stack-osa", "stack", *TRANSPORTS, "native")
PROGRAMS = ("lfpd", "lfpd-ctl", "lfpd-admin", "ijblfpop", "lfp-run", "vsejob", "vsftpd", "lftp", "cc", "cobc", "ip", "tc", "nsenter")
SPENDERS = (("app", "App"), ("tcpip", "TCPIP"), ("instance", "LFP instance"), ("lfpd", "lfpd"), ("link", "link"))
ZVSE = ("app", "tcpip", "instance")


def rows(_sizes):
    return [(key, text) for key, text, _, _ in ROWS]


def work(sizes):
    return f"FTP {show.size(sizes['ftp'])}, programs 3 x {show.size(sizes['job'])}, {links.osa(sizes['osa_delay'])}"


def started(route, results):
    if not results.get("shown"):
        results["shown"] = {command: values_of(lines) for command, lines in route.shown().items()}


class Rows(grid.Runner):
    def __init__(self, processes, work, route, sizes):
        programs, ways = Programs(work), {key: (language, outward) for key, _, language, outward in ROWS}

        def make(key):
            language, outward = ways[key]
            if language is None:
                return Ftp(processes, work, route, outward, sizes["ftp"])
            return Application(processes, work, route, programs, language, outward, sizes["job"])
        super().__init__(route, make, finished, lambda cell: f"{show.digits(cell['rate'])} MB/s")
        self.languages = {key: language for key, (language, _) in ways.items()}

    def lacks(self, key):
        return self.route.name == "native" and self.languages[key] == "COBOL"


runner = Rows


def finished(cell, route):
    """Adds rates in MB/s, CPU by spender in seconds, percent of one processor and milliseconds a MB."""
    cpu = cell["cpu"]
    cpu[route.adopted_are] = cpu.get(route.adopted_are, 0.0) + cpu.pop("adopted")
    megabytes = cell["bytes"] / 1e6
    cell["rate"] = megabytes / cell["seconds"]
    cell["percent"] = {name: 100 * value / cell["seconds"] for name, value in cpu.items()}
    cell["ms_per_mb"] = {name: 1000 * value / megabytes for name, value in cpu.items()}
    for values in (cell["percent"], cell["ms_per_mb"]):
        values["zvse"] = sum(values.get(name, 0) for name in ZVSE)
    return cell


def stand_in(cells):
    """Returns the route that stands beside IBM's LFP: iucv, else the default transport, or None."""
    return next((name for name in ("iucv", "unix") if any("rate" in cell for cell in cells.get(name, {}).values())), None)


def compared(results):
    """Returns the slide's rows with a second number in each: a list of dicts of published and measured values."""
    cells = results["cells"]
    lfp, stack = stand_in(cells), "stack-osa"
    rows = []

    def of(route, key):
        cell = cells.get(route, {}).get(key, {})
        return cell if "rate" in cell else None

    def pair(text, out, side, tcpip, ours, faster, less):
        with_rates = tcpip and ours
        rows.append({
            "text": text, "direction": out, "published": side, "tcpip": tcpip, "lfp": ours, "faster": faster, "less": less,
            "measured_faster": ours["rate"] / tcpip["rate"] if with_rates else None,
            "measured_less": tcpip["percent"]["zvse"] - ours["percent"]["zvse"] if with_rates else None})

    for way in ("out", "in"):
        text = "FTP z/VSE -> Linux" if way == "out" else "FTP Linux -> z/VSE"
        slide = published.FTP[way]
        pair(text, way, slide, of(stack, f"ftp-{way}"), of(lfp, f"ftp-{way}"), slide["faster"], slide["less"])
    for language, name in (("c", "C, LE/C"), ("cobol", "COBOL, EZASOKET")):
        for way in ("out", "in"):
            text = f"socket application ({name}) {'z/VSE -> Linux' if way == 'out' else 'Linux -> z/VSE'}"
            slide = published.APPLICATION[way]
            pair(text, way, slide, of(stack, f"{language}-{way}"), of(lfp, f"{language}-{way}"), slide["faster"],
                 published.APPLICATION["cpu"]["less"])
    return {"tcpip": stack, "lfp": lfp, "rows": rows}


def series(results):
    both = compared(results)
    names, bars = [], {"TCP/IP for VSE, published": [], f"{both['tcpip']}, measured": [], "LFP, published": [], f"{both['lfp']}, measured": []}
    for row in both["rows"]:
        ftp = row["text"].startswith("FTP")
        names.append(row["text"].replace(" z/VSE ->", "\nz/VSE ->").replace(" Linux ->", "\nLinux ->").replace(" (", "\n("))
        slide = row["published"]
        values = [slide["tcpip"]["rate"], slide["lfp"]["rate"]] if ftp else \
            [slide["tcpip"] * published.APPLICATION["programs"], slide["lfp"] * published.APPLICATION["programs"]]
        ours = [row[side]["rate"] if row[side] else 0 for side in ("tcpip", "lfp")]
        for bar, value in zip(bars.values(), (values[0], ours[0], values[1], ours[1])):
            bar.append(value)
    return names, bars, "MB/s (three programs: their sum)", published.ENVIRONMENT


def slide_cell(slide, side, key):
    if key.startswith("FTP"):
        cell = slide[side]
        cpu = f"{published.total(cell)}% CPU ({cell['app']}% App" + (f" + {cell['stack']}% TCPIP)" if "stack" in cell else ")")
        return f"{cell['rate']:.0f} MB/s", cpu
    cpu = published.APPLICATION["cpu"][side]
    text = f"{published.total(cpu)}% CPU (3*{cpu['app'] // 3}% App" + (f" + {cpu['stack']}% TCPIP)" if "stack" in cpu else ")")
    return f"{slide[side]} MB/s (*3 = {3 * slide[side]:.1f})", text


def measured_cell(cell, key):
    if not cell:
        return "not measured", ""
    percent = cell["percent"]
    parts = " + ".join(f"{percent[name]:.0f}% {text}" for name, text in SPENDERS if name in percent and name in ZVSE)
    rate = cell["rate"]
    text = f"{show.digits(rate)} MB/s" if key.startswith("FTP") else \
        f"{show.digits(sum(cell['each']) / 3e6)} MB/s (*3 = {show.digits(sum(cell['each']) / 1e6)})"
    return text, f"{percent['zvse']:.0f}% CPU ({parts})"


def text(results):
    """Returns the lines of the whole table."""
    cells, lines = results["cells"], []
    routes = [route for route in results["routes"] if any("rate" in cell for cell in cells.get(route, {}).values())]
    names = {name: (f"LFP\n{name}" if name in TRANSPORTS else {"stack-osa": "stack\n1 Gbit/s", "stack": "stack\nno limit"}.get(name, name))
             for name in routes}
    lines += ["MEASURED HERE: MB/s; a failed or missing cell is \"-\"", ""]
    lines += show.table(["", *names.values()], [
        [row, *(show.digits(cells[name][key]["rate"]) if "rate" in cells[name].get(key, {}) else "-" for name in routes)]
        for key, row, _, _ in ROWS])
    lines += ["", "MEASURED HERE: CPU, ms a MB, by spender; z/VSE's side is the sum without lfpd, which is Linux's side,",
              "and without the link, which a processor of this machine has to carry in the place of an adapter", ""]
    rows = []
    for key, row, _, _ in ROWS:
        rows.append([row, *("" for _ in routes)])
        for spender, name in (*SPENDERS[:3], ("zvse", "z/VSE's side"), *SPENDERS[3:]):
            rows.append([f"  {name}", *(show.digits(cells[route][key]["ms_per_mb"][spender])
                                         if spender in cells[route].get(key, {}).get("ms_per_mb", {}) else "-" for route in routes)])
    lines += show.table(["", *names.values()], rows)
    both = compared(results)
    lines += ["", f"IBM'S SLIDE, with a second number in each cell: [published] {published.ENVIRONMENT};",
              f"[measured here] {both['tcpip']} in the column TCP/IP, {both['lfp'] or 'no route'} in the column LFP", ""]
    rows = []
    for row in both["rows"]:
        there = [slide_cell(row["published"], side, row["text"]) for side in ("tcpip", "lfp")]
        ours = [measured_cell(row[side], row["text"]) for side in ("tcpip", "lfp")]
        rows.append([row["text"], "", "", ""])
        rows.append(["  published", *("\n".join(cell) for cell in there), f"{row['faster']} times faster\n{row['less']}% less CPU"])
        faster = "-" if row["measured_faster"] is None else \
            f"{row['measured_faster']:.2f} times faster\n{row['measured_less']:.0f}% less CPU"
        rows.append(["  measured here", *("\n".join(cell) for cell in ours), faster])
    lines += show.table(["", "TCP/IP for VSE", "Linux Fast Path", "difference"], rows)
    lines += ["The slide has one value of CPU for both directions of the socket application. Measured percent are of one processor.",
              "", "RECOMPUTED from the slide's own cells", ""]
    lines += show.table(["", "printed", "computed", ""], [
        [what, printed, f"{value:.3f}".rstrip("0").rstrip("."), published.rounding(printed, value)]
        for what, printed, value in published.recomputed()])
    lines += ["", "VERDICTS of the published rows", ""]
    lines += show.table(["", "published", "here", "verdict"], list(
        [f"{ids} {what}", wanted, here, verdict] for ids, what, wanted, here, verdict in verdicts(results, both)))
    return lines + links.text(results) + grid.failures(results)
