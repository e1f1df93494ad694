# SPDX-License-Identifier: Apache-2.0
"""The goals for the figures of bench/run, and a table that compares both."""

OUT, IN = "bulk out, 64 KB writes", "bulk in, 64 KB writes"
TRIP, CONNECT = "round trips, 1 KB", "connect, 1 byte, close"
MANY, MORE = "round trips, 1 KB on 100 sockets", "round trips, 1 KB on 1,000 sockets"
ONE_OF_MANY, ONE = "round trips, 1 KB on 1 of 1,000 sockets", "round trips, 1 KB on 1 socket, with epoll"
TIE = 0.95

# transport -> work -> (least ratio to the relay, aimed ratio to native); for connections both are ratios to native
RATES = {
    "local": {OUT: (0.90, 0.55), IN: (0.90, 0.47), TRIP: (0.90, 0.43), CONNECT: (0.25, 0.40)},
    "shm": {OUT: (0.75, 0.45), IN: (0.70, 0.40), TRIP: (0.65, 0.33), CONNECT: (0.20, 0.33)},
}
CPU_AIMS = {"local": {OUT: 1.9, IN: 2.2}, "shm": {OUT: 2.4, IN: 2.6}}
PEERS = {"local": ["dante", "microsocks", "socat"], "shm": ["dante", "microsocks"]}
STACK = "stack, MTU 1500"
# The aim: LFP's ratios to a TCP/IP stack in a partition, from IBM's presentation.
PRESENTED = {OUT: 3.7, IN: 3.3, "bulk out, 3 programs": 3.2, "bulk in, 3 programs": 1.7}


class Table:
    def __init__(self, cells):
        self.cells = cells
        self.rows = []

    def rate(self, system, work):
        cell = self.cells.get((system, work))
        return cell.rate if cell else None

    def ratio(self, system, other, work):
        mine, its = self.rate(system, work), self.rate(other, work)
        return mine / its if mine and its else None

    def cpu(self, system, work, *who):
        cell = self.cells.get((system, work))
        if not cell or cell.total is None:
            return None
        return sum(cell.cpu[one] for one in who) if who else cell.total

    def row(self, what, value, must, aim="", at_least=True):
        if value is None:
            return
        held = "" if must is None else "yes" if (value >= must if at_least else value <= must) else "**no**"
        limit = "-" if must is None else f"{'at least' if at_least else 'at most'} {must:.2f}"
        self.rows.append(f"| {what} | {limit} | {value:.2f} | {held} | {aim} |")


def quotient(value, by):
    return value / by if value is not None and by else None


def lines(cells, works):
    """Rows of the table for the first part of a run: each goal for which its systems and works have figures."""
    table = Table(cells)
    for transport, wishes in RATES.items():
        for work, (must, aim) in wishes.items():
            of_native = table.ratio(transport, "native", work)
            other = "native" if work == CONNECT else "relay"
            told = "" if of_native is None else f"{aim:.2f} of native: {of_native:.2f}"
            table.row(f"`{transport}`, {work}, of {other}", table.ratio(transport, other, work), must, told)
    for transport in ("unix", "shm", "local", "hipersockets"):
        for work in (OUT, IN):
            program = quotient(table.cpu(transport, work, "program"), table.cpu("native", work, "program"))
            total = quotient(table.cpu(transport, work), table.cpu("native", work))
            aim = CPU_AIMS.get(transport, {}).get(work)
            told = "" if total is None else f"all processes{f' {aim}' if aim else ''}: {total:.2f}"
            table.row(f"`{transport}`, {work}, CPU of the program, of native", program, 1.1, told, at_least=False)
    for transport in ("unix", "shm", "local", "hipersockets"):
        many, more = (table.ratio(transport, "native", work) for work in (MANY, MORE))
        table.row(f"`{transport}`, the ratio at 1,000 sockets to that at 100", quotient(more, many), 0.8)
        idle = quotient(table.rate(transport, ONE_OF_MANY), table.rate(transport, ONE))
        native = quotient(table.rate("native", ONE_OF_MANY), table.rate("native", ONE))
        told = "" if native is None else f"native: {native:.2f}"
        table.row(f"`{transport}`, 1 socket beside 1,000 idle ones, of 1 alone", idle, 0.9, told)
    for transport, peers in PEERS.items():
        for peer in peers:
            rows = [w["name"] for w in works if w["kind"] == "out" and "in, 1 KB" not in w["name"]]
            ratios = [(table.ratio(transport, peer, name), name) for name in rows]
            ratios = [(ratio, name) for ratio, name in ratios if ratio is not None]
            if ratios:
                least, name = min(ratios)
                missed = sorted(f"{other} {ratio:.2f}" for ratio, other in ratios if ratio < TIE)
                told = f"{len(ratios) - len(missed)} of {len(ratios)} rows hold" + "".join(f"; {one}" for one in missed)
                table.row(f"`{transport}`, of {peer}, the least: {name}", least, TIE, told)
    for transport in ("local", "shm"):
        for work, presented in PRESENTED.items():
            ratio = table.ratio(transport, STACK, work)
            table.row(f"`{transport}`, {work}, of the stack at MTU 1500", ratio, 2.0, f"presented: {presented}")
        for work in PRESENTED:
            total = quotient(table.cpu(transport, work), table.cpu(STACK, work))
            table.row(f"`{transport}`, {work}, all CPU, of the stack's", total, 0.5, at_least=False)
    for work in PRESENTED:
        ours = table.cpu("shm", work, "program", "instance")
        part = quotient(ours, table.cpu(STACK, work, "program"))
        table.row(f"`shm`, {work}, CPU of the z/VSE side, of the stack's", part, 0.33, at_least=False)
    for transport in ("local", "shm"):
        for work in PRESENTED:
            ratio = table.ratio(transport, "stack, MTU 9000", work)
            table.row(f"`{transport}`, {work}, of the stack at MTU 9000", ratio, None)
    if not table.rows:
        return []
    head = ["### Wanted and measured", "", "| what | wanted | measured | held | aim |", "|---|---|---:|---|---|"]
    return head + table.rows
