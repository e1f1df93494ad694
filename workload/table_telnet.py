# SPDX-License-Identifier: Apache-2.0
"""The table telnet: IBM's report about telnet over IPv6, measured here over every route, and shown beside the report."""

import grid
import published_telnet as published
import show
from routes import TRANSPORTS
from telnet import SCENARIOS, Telnet

ROUTES = (*TRANSPORTS, "native")
PROGRAMS = ("lfpd", "lfpd-ctl", "lfpd-admin", "ijblfpop", "lfp-run", "telnetd", "ip", "sh", "stty")


def rows(sizes):
    return [(f"{scenario}-{users}", f"{SCENARIOS[scenario][0]}, {users}") for scenario in SCENARIOS for users in sizes["connections"]]


def work(sizes):
    return f"{', '.join(map(str, sizes['connections']))} users, {sizes['commands']} commands each, think time {sizes['think']:g} s"


def finished(cell, _route):
    megabytes = cell["bytes"] / 1e6
    cell["rate"] = cell["bytes"] / cell["seconds"]
    cell["ms_per_mb"] = {name: 1000 * cell[name] / megabytes for name in ("emul", "emul_user", "emul_system", "cp")}
    cell["ms_per_mb"]["total"] = cell["ms_per_mb"]["emul"] + cell["ms_per_mb"]["cp"]
    return cell


def runner(processes, work, route, sizes):
    def make(key):
        scenario, users = key.split("-")
        return Telnet(processes, work, route, scenario, int(users), sizes["commands"], sizes["think"])
    return grid.Runner(route, make, finished, lambda cell: f"{cell['rate']:.0f} bytes/s")


def measured(results):
    compare_texts(results["cells"])


def compare_texts(cells):
    """A user's text has to be the same on every route and in every scenario: that of native, where it was measured."""
    texts = {}
    for route in sorted(cells, key=lambda name: name != "native"):
        for key, cell in cells[route].items():
            for nr, text in enumerate(cell.pop("texts", [])):
                if texts.setdefault(nr, text) != text and "error" not in cell:
                    cell["error"] = f"the text of user {nr + 1} differs from that of other cells"
                    cell.pop("rate")


def stand_in(results):
    """Returns the route that stands beside the report: iucv, else the default transport, or None."""
    return next((name for name in ("iucv", "unix", *results["routes"]) if results["cells"].get(name)
                 and any("rate" in cell for cell in results["cells"][name].values())), None)


def values(cell):
    """Returns what the report's four rows have, or None."""
    if "rate" not in cell:
        return None
    return (cell["rate"], *(cell["ms_per_mb"][name] for name in ("total", "emul", "cp")))


def printed(row, value):
    if value is None:
        return "-"
    return f"{value:.0f}" if not row else published.printed(value, 3 if value < 1 else 1)


def percent(before, after):
    if not before or after is None:  # natively, nothing carries the program
        return "-"
    return f"{published.change(before, after):.0f}%"


def compared(results):
    """Returns, by run of the report, a row of four values or None for each number of users: those measured on the stand-in."""
    route = stand_in(results)
    cells = results["cells"].get(route, {})
    return {"route": route, "runs": {run: [values(cells.get(f"{key}-{users}", {})) for users in results["sizes"]["connections"]]
                                     for key, (_, _, _, _, run) in SCENARIOS.items()}}


def series(results):
    both, bars = compared(results), {}
    for run, (_, found, _) in published.RUNS.items():
        theirs, ours = dict(zip(published.CONNECTIONS, found[0])), dict(zip(results["sizes"]["connections"], both["runs"][run]))
        columns = columns_of(results)
        bars[f"{run}, published"] = [theirs.get(users, 0) for users in columns]
        bars[f"{run}, {both['route']}, measured"] = [(ours.get(users) or [0])[0] for users in columns]
    return [f"{users} connections" for users in columns], bars, "bytes a second", published.ENVIRONMENT


def columns_of(results):
    return list(dict.fromkeys([*published.CONNECTIONS, *results["sizes"]["connections"]]))


def text(results):
    """Returns the lines of the whole table."""
    both, sizes = compared(results), results["sizes"]
    columns = columns_of(results)
    ours = {run: dict(zip(sizes["connections"], found)) for run, found in both["runs"].items()}
    theirs = {run: {users: [of[nr] for of in found] for nr, users in enumerate(published.CONNECTIONS)}
              for run, (_, found, _) in published.RUNS.items()}
    names = {run: name for name, _, _, _, run in SCENARIOS.values()}
    lines = [f"IBM'S TABLES, with a second number in each cell: [published] {published.ENVIRONMENT};",
             f"[measured here] {both['route'] or 'no route'}; \"Emul\" is the program, \"CP\" are the LFP instance and lfpd"]
    for title, before, after, diffs in published.TABLES:
        lines += ["", title]
        for run in (before, after):
            lines.append(f"[measured here] {run}: {names[run]}")
        lines.append("")
        body = []
        for run in (before, after):
            ids = dict(zip(published.CONNECTIONS, published.RUNS[run][0]))
            body.append([run, *("" for _ in columns)])
            body.append(["Run ID", *(ids.get(users, "-") for users in columns)])
            for nr, name in enumerate(published.VALUES):
                body.append([name, *(f"{printed(nr, theirs[run].get(users, [None] * 4)[nr])}\n{printed(nr, (ours[run].get(users) or [None] * 4)[nr])}"
                                     for users in columns)])
        body.append(["% diff", *("" for _ in columns)])
        for nr, name in enumerate(published.VALUES):
            said = dict(zip(published.CONNECTIONS, diffs[nr]))
            body.append([name.replace(" (msec)", ""), *(
                (f"{said[users]}%" if users in said else "-") + "\n" +
                percent((ours[before].get(users) or [None] * 4)[nr], (ours[after].get(users) or [None] * 4)[nr]) for users in columns)])
        lines += show.table(["Number of connections", *map(str, columns)], body)
    lines += ["", "Each cell: the published value, and below it the measured one.", "",
              "RECOMPUTED from the report's own cells: what is not the rounded value", ""]
    lines += show.table(["", "printed", "computed", ""], [
        [what, f"{said}%", f"{value:.1f}%", verdict] for what, said, value, verdict in published.recomputed() if verdict not in ("exact", "rounded")])
    lines += ["", "MEASURED HERE, on every route: bytes a second; CPU of the program (in user mode + in the kernel) and of what carries it, ms a MB", ""]
    routes = [name for name in results["routes"] if results["cells"].get(name)]
    body = []
    for key, (name, _, _, _, _) in SCENARIOS.items():
        for users in sizes["connections"]:
            cells = [results["cells"][route].get(f"{key}-{users}", {}) for route in routes]
            body.append([f"{name}, {users}", *("-" if "rate" not in cell else
                         f"{cell['rate']:.0f}\n{cell['ms_per_mb']['emul']:.0f} ({cell['ms_per_mb']['emul_user']:.0f} + "
                         f"{cell['ms_per_mb']['emul_system']:.0f})\n{cell['ms_per_mb']['cp']:.0f}" for cell in cells)])
    lines += show.table(["", *routes], body)
    lines += ["", "VERDICTS of the published rows", ""]
    lines += show.table(["", "published", "here", "verdict"], list(verdicts(results, both)))
    lines += grid.failures(results)
    return lines


def verdicts(results, both):
    """Yields (id and text, published, here, verdict) of each row TN: a run, or arithmetic of the report's own cells."""
    for run, (_, found, base) in published.RUNS.items():
        ours = dict(zip(results["sizes"]["connections"], both["runs"][run]))
        for nr, users in enumerate(published.CONNECTIONS):
            theirs = " / ".join(printed(row, of[nr]) for row, of in enumerate(found))
            here = ours.get(users)
            yield (f"{base}-{users}", theirs, " / ".join(printed(row, value) for row, value in enumerate(here)) if here else "-",
                   "not measured" if not here else "Total is Emul + CP; measured on another machine")
    for title, before, after, diffs in published.TABLES:
        first = 1 if title.startswith("Table 1") else 4
        groups = ((0,), (1,), (2, 3)) if first == 1 else ((0,), (1, 2, 3))
        for nr, group in enumerate(groups):
            computed = [published.change(published.RUNS[before][1][row][column], published.RUNS[after][1][row][column])
                        for row in group for column in range(len(published.CONNECTIONS))]
            said = [value for row in group for value in diffs[row]]
            wrong = sum(published.rounding(one, value) == "different" for one, value in zip(said, computed))
            yield (f"TN-d{first + nr}", ", ".join(said), ", ".join(f"{value:.1f}" for value in computed),
                   "as printed" if not wrong else f"{wrong} differ by more than rounding")
    for nr, (what, before, after, row, low, high) in enumerate(published.SUMMARY[:2]):
        computed = [published.change(b, a) for b, a in zip(published.RUNS[before][1][row], published.RUNS[after][1][row])]
        same = published.rounding(low, min(computed)) != "different" and published.rounding(high, max(computed)) != "different"
        yield (f"TN-d{6 + nr} {what}", f"{low} to {high}", f"{min(computed):.1f} to {max(computed):.1f}",
               "as printed" if same else "a contradiction of the report: not the range of its own tables")
