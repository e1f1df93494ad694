# SPDX-License-Identifier: Apache-2.0
"""The table mq: IBM's paper about MQ over HiperSockets, measured here over every route, and shown beside the paper."""

import grid
import links
import network
import published_mq as published
import show
from errors import CellError
from foreign import Foreign
from ring import Ring
from routes import TRANSPORTS

ROUTES = ("hsi", "osa", *TRANSPORTS, "native")
MANAGERS = {"own": Ring, "mosquitto": Foreign}
PROGRAMS = ("lfpd", "lfpd-ctl", "lfpd-admin", "ijblfpop", "lfp-run", "ip", "tc", "nsenter")
TITLES = {1: "scenario 1, one job", 2: "scenario 2, 10 jobs"}
BESIDE = {"hsi": "emulated HiperSockets as an IP network device, by the paper's definitions",
          "hipersockets": "LFP over emulated HiperSockets with completion queue"}


def runner(processes, work, route, sizes):
    return MANAGERS[sizes["managers"]](processes, work, route, sizes)


def ending(route, ring, results):
    """Takes the displays of a route that has some, and compares their counters."""
    if not hasattr(route, "displays") or ring.vse is None:
        return
    of = results.setdefault("shown", {})[route.name] = {**route.displays(ring.client, ring.carried()), "first": ring.first}
    wrong = [what for part in (ring.first, of) for what, holds in part["same"].items() if not holds]
    if wrong:
        raise CellError(f"counters differ: {', '.join(wrong)}")


def head(results):
    """Returns the measured route beside each published column."""
    measured_network = any("rate" in cell for cell in results["cells"].get("hsi", {}).values())
    return {"H": "hsi" if measured_network else "hipersockets", "O": "osa"}


def rows(_sizes):
    return [(f"{scenario}-{size}", f"{TITLES[scenario]}, {size} bytes") for scenario, (_, sizes) in published.SCENARIOS.items() for size in sizes]


def work(sizes):
    return f"{sizes['messages']} messages, at most {show.size(sizes['bytes'])} of them, queue managers: {sizes['managers']}, {links.osa(sizes['osa_delay'])}"


def measured(results):
    """A cell whose rate and time disagree is an error: they come from two clocks."""
    for of in results["cells"].values():
        for cell in of.values():
            if "rate" in cell and published.is_off(cell["product"], cell["jobs"]):
                cell["error"] = f"rate times time is {cell['product']:.2f}, not {cell['jobs']}"
                cell.pop("rate")


def compared(results):
    """Returns each published cell with the measured one beside it, or None."""
    found, beside = [], head(results)
    for name, scenario, jobs, size, column, rate, ms, product in published.rows():
        cell = results["cells"].get(beside[column], {}).get(f"{scenario}-{size}", {})
        found.append({"id": name, "scenario": scenario, "jobs": jobs, "size": size, "column": column, "rate": rate, "ms": ms,
                      "product": product, "damaged": published.is_damaged(scenario, jobs, product), "here": cell if "rate" in cell else None})
    return {"HiperSockets": beside["H"], "OSA": beside["O"], "cells": found}


def series(results):
    both, beside = compared(results), head(results)
    damaged = {(cell["scenario"], cell["size"]): f"\n({cell['rate']} is damaged)" for cell in both["cells"] if cell["damaged"]}
    names = [f"{TITLES[scenario].replace(', ', chr(10))}\n{size} bytes{damaged.get((scenario, size), '')}"
             for scenario, (_, sizes) in published.SCENARIOS.items() for size in sizes]
    bars = {}
    for column, text in zip("HO", published.COLUMNS):
        cells = [cell for cell in both["cells"] if cell["column"] == column]
        bars[f"{text}, published"] = [cell["rate"] for cell in cells]
        bars[f"{beside[column]}, measured"] = [cell["here"]["rate"] if cell["here"] else 0 for cell in cells]
    return names, bars, "messages a second", published.ENVIRONMENT


def milliseconds(cell, digits=1):
    return f"{cell['ms']:.{digits}f}"


def text(results):
    """Returns the lines of the whole table."""
    both = compared(results)
    lines = [f"IBM'S TABLES, with a second number in each cell: [published] {published.ENVIRONMENT};",
             f"[measured here] {both['HiperSockets']}: {BESIDE[both['HiperSockets']]}; osa: the kernel's stack over a link in its place"]
    for scenario, (_, sizes) in published.SCENARIOS.items():
        of = {(cell["size"], cell["column"]): cell for cell in both["cells"] if cell["scenario"] == scenario}
        body = []
        for size in sizes:
            row = [f"{size:,}"]
            for kind in ("rate", "ms"):
                for column in "HO":
                    cell = of[size, column]
                    here = cell["here"]
                    if kind == "rate":
                        row.append(f"{cell['rate']}{' (damaged)' if cell['damaged'] else ''}\n" + (f"{here['rate']:.0f}" if here else "-"))
                    else:
                        row.append(f"{cell['ms']}\n{milliseconds(here, 2) if here else '-'}")
            body.append(row)
        lines += ["", f"Measurement scenario {scenario}", ""]
        lines += show.table(["Message size\n(bytes)", "Hipersockets\nMessage rate\nper second", "OSA adapter\nMessage rate\nper second",
                             "Hipersockets\nround trip in\nmilliseconds", "OSA\nround trip in\nmilliseconds"], body)
    lines += ["", f"Each cell: the published value, and below it the measured one. The paper tells of {published.VARIATION} % between repeated runs;",
              *variation(results), "",
              "MEASURED HERE, on every route: messages a second, and milliseconds of a round trip", ""]
    routes = [name for name in results["routes"] if results["cells"].get(name)]
    lines += show.table(["", *routes], [
        [title, *(f"{cell['rate']:.0f}\n{milliseconds(cell, 2)}" if "rate" in cell else "-"
                  for cell in (results["cells"][route].get(key, {}) for route in routes))] for key, title in rows(results["sizes"])])
    lines += ["", "VERDICTS of the published rows: rate times time is the number of jobs", ""]
    lines += show.table(["", "published", "rate x time", "here", "rate x time", "verdict"], list(verdicts(results, both)))
    if "hsi" in results.get("shown", {}):
        lines += network.text(results["shown"]["hsi"])
    return lines + links.text(results) + grid.failures(results)


def variation(results):
    """Returns a line about the runs of each cell here."""
    repeat = results["sizes"]["repeat"]
    if repeat == 1:
        return ["here each cell is one run: see --repeat"]
    every = sorted(cell["variation"] for of in results["cells"].values() for cell in of.values() if "rate" in cell)
    if not every:
        return ["here no cell was measured"]
    return [f"here each cell is the median of {repeat} runs, and they differ by {every[len(every) // 2]:.0f} % in the median cell, "
            f"{every[-1]:.0f} % at most"]


def verdicts(results, both):
    """Yields (id, published, its rate times time, here, its rate times time, verdict)."""
    for cell in both["cells"]:
        here = cell["here"]
        yield (cell["id"], f"{cell['rate']} / {cell['ms']}", f"{cell['product']:.2f}", f"{here['rate']:.0f} / {milliseconds(here, 2)}" if here else "-",
               f"{here['product']:.2f}" if here else "-",
               "damaged: its time tells another rate" if cell["damaged"] else "measured on another machine" if here else "not measured")
    ratios = [cell["rate"] / other["rate"] for cell, other in zip(both["cells"][::2], both["cells"][1::2]) if not other["damaged"]]
    ours = [cell["here"]["rate"] / other["here"]["rate"] for cell, other in zip(both["cells"][::2], both["cells"][1::2]) if cell["here"] and other["here"]]
    yield ("MQ-300 HiperSockets to OSA", "up to 2", f"{min(ratios):.2f} to {max(ratios):.2f}", f"{min(ours):.2f} to {max(ours):.2f}" if ours else "-", "-",
           "the paper's cells: about 2 for large messages")
    yield from network.verdicts(results.get("shown", {}).get("hsi"))
