# SPDX-License-Identifier: Apache-2.0
"""Measures the cells of a table: each row on each route.

A table is a module with ROUTES, PROGRAMS, rows(sizes) -> [(key, text)], work(sizes), perhaps
ending(route, runner, results), which comes after a route's last cell and may raise CellError, and runner(processes, work, route,
sizes) -> an object with measure(key) -> cell, said(cell), lacks(key) -> whether the route has no such row, clean() after an error, and
end(). A cell that was measured has "rate"; another one has "error" or "skipped"."""

import sys

from errors import CellError


def measure(table, routes, processes, work, sizes, results, progress):
    """Fills results["cells"] route by route, so that an interruption leaves what is done."""
    rows = table.rows(sizes)
    for route in routes:
        cells = results["cells"].setdefault(route.name, {})
        try:
            route.start()
            if hasattr(table, "started"):
                table.started(route, results)
            measure_route(table, route, cells, processes, work, sizes, progress, results)
        except CellError as error:
            results["skipped"][route.name] = str(error)
            progress(len(rows), f"{route.text}: skipped: {error}")
        finally:
            try:
                route.stop()
            except CellError as error:  # the next line ends what is left, and the results stay
                print(f"lfp-workload: {route.text}: {error}", file=sys.stderr)
            processes.stop_all()


def measure_route(table, route, cells, processes, work, sizes, progress, results):
    runner, broken = table.runner(processes, work, route, sizes), None
    for key, text in table.rows(sizes):
        try:
            if broken:
                raise CellError(broken)
            cells[key] = runner.measure(key)
            said = runner.said(cells[key])
        except CellError as error:
            cells[key] = {"skipped" if runner.lacks(key) else "error": str(error)}
            said = str(error)
            try:
                runner.clean()
                route.settle()
                route.check()
            except CellError as left:
                broken = f"the route has failed: {left}"
        progress(1, f"{route.text}: {text}: {said}")
    if not broken:
        try:
            if hasattr(table, "ending"):
                table.ending(route, runner, results)
            runner.end()
            of_link(route, results)
        except CellError as error:
            cells["end"] = {"error": str(error)}
            progress(0, f"{route.text}: {error}")


def of_link(route, results):
    """Takes the counters of a route's link, which have to be those of its interfaces."""
    link = route.adapter()
    if link:
        results.setdefault("links", {})[route.name] = link
        wrong = [what for what, holds in link.get("same", {}).items() if not holds]
        if wrong:
            raise CellError(f"counters differ: {', '.join(wrong)}")


class Runner:
    """A row has an object of its own for each cell, which cleans up after itself."""

    def __init__(self, route, make, finished, said):
        self.route, self.make, self.finished, self.said = route, make, finished, said
        self.row = None

    def measure(self, key):
        self.row = self.make(key)
        return self.finished(self.row.measure(), self.route)

    def lacks(self, _key):
        return False

    def clean(self):
        if self.row:
            self.row.clean()

    def end(self):
        pass


def failures(results):
    """Returns the parts of a table's text about cells and routes without a result."""
    wrong = [f"{name}: {key}: {cell['error']}" for name, of in results["cells"].items() for key, cell in of.items() if "error" in cell]
    skipped = [f"{name}: {why}" for name, why in results["skipped"].items()]
    lines = []
    for title, said in (("FAILED", wrong), ("NOT ON THIS MACHINE", skipped)):
        if said:
            lines += ["", title, "", *said]
    return lines
