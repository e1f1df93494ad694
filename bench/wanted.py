# SPDX-License-Identifier: Apache-2.0
"""The goals for the figures of bench/run, and a table that compares both."""

OUT, IN = "bulk out, 64 KB writes", "bulk in, 64 KB writes"
TRIP, CONNECT = "round trips, 1 KB", "connect, 1 byte, close"
MANY, MORE = "round trips, 1 KB on 100 sockets", "round trips, 1 KB on 1,000 sockets"
ONE_OF_MANY, ONE = "round trips, 1 KB on 1 of 1,000 sockets", "round trips, 1 KB on 1 socket, with epoll"
SERVED, SOCKET = "server: accept, 1 byte, close", "socket, close"
ASKING = ("setsockopt of TCP_NODELAY", "getsockname", "getpeername")
TIE = 0.97  # a difference of 3 % counts as none

# transport -> work -> (least ratio to native, aimed ratio)
RATES = {
    "local": {OUT: (0.48, 0.55), IN: (0.56, 0.65), TRIP: (0.50, 0.56), CONNECT: (0.47, 0.57), SERVED: (0.36, 0.50)},
    "shm": {OUT: (0.38, 0.42), IN: (0.38, 0.42), TRIP: (0.42, 0.45), CONNECT: (0.33, 0.42), SERVED: (0.30, 0.36)},
    "unix": {OUT: (0.27, 0.32), IN: (0.23, 0.28), TRIP: (0.32, 0.36), CONNECT: (0.28, 0.38), SERVED: (0.27, 0.33)},
}
# transport -> work -> (most, aim), us of the daemons' CPU time a MB
DAEMONS = {"local": {OUT: (140, 125), IN: (140, 125)}, "shm": {OUT: (260, None), IN: (300, None)}}
PEERS = {
    "local": ["relay", "pasta, loopback", "pasta, tap", "slirp4netns", "socat", "dante", "microsocks"],
    "shm": ["dante", "microsocks"],
}
# The relay decides nothing about a connection, so there it is no goal.
UNDECIDED = {"relay": (CONNECT, SERVED)}
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
        reached = must is not None and (value >= must * TIE if at_least else value * TIE <= must)
        held = "" if must is None else "yes" if reached else "**no**"
        limit = "-" if must is None else f"{'at least' if at_least else 'at most'} {must:.2f}"
        self.rows.append(f"| {what} | {limit} | {value:.2f} | {held} | {aim} |")


def quotient(value, by):
    return value / by if value is not None and by else None


def compare(table, transport, peer, rows):
    """A row about all works that both have."""
    ratios = [(table.ratio(transport, peer, name), name) for name in rows]
    ratios = [(ratio, name) for ratio, name in ratios if ratio is not None]
    if ratios:
        least, name = min(ratios)
        missed = sorted(f"{other} {ratio:.2f}" for ratio, other in ratios if ratio < TIE)
        told = f"{len(ratios) - len(missed)} of {len(ratios)} rows hold" + "".join(f"; {one}" for one in missed)
        table.row(f"`{transport}`, of {peer}, the least: {name}", least, 1.0, told)


def on_two_cpus(cells):
    """Rows about the part of a run with processes on any of two CPUs."""
    table = Table(cells)
    for work in (OUT, IN):
        table.row(f"`local` on two CPUs, {work}, of native", table.ratio("local", "native", work), 1.0)
    table.row(f"`local` on two CPUs, {TRIP}, of relay", table.ratio("local", "relay", TRIP), 1.0)
    return table.rows


def lines(cells, works, two_cpus=None):
    """The table: each goal for which its systems and works have figures. The cells are those of the first part of a run,
    and of the part on two CPUs."""
    table = Table(cells)
    for transport, wishes in RATES.items():
        for work, (must, aim) in wishes.items():
            table.row(f"`{transport}`, {work}, of native", table.ratio(transport, "native", work), must, f"{aim:.2f}")
    for transport, wishes in DAEMONS.items():
        for work, (most, aim) in wishes.items():
            between = table.cpu(transport, work, "between")
            us = None if between is None else 1000 * between
            table.row(f"`{transport}`, {work}, us of the daemons a MB", us, most, aim or "", at_least=False)
    for work in (*ASKING, SOCKET):
        cost = quotient(table.rate("native", work), table.rate("local", work))
        table.row(f"`local`, {work}, time of native's", cost, 2.5 if work == SOCKET else 4, at_least=False)
    for transport in ("unix", "shm", "local", "hipersockets"):
        for work in (OUT, IN):
            program = quotient(table.cpu(transport, work, "program"), table.cpu("native", work, "program"))
            total = quotient(table.cpu(transport, work), table.cpu("native", work))
            told = "" if total is None else f"all processes: {total:.2f}"
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
            rows = [w["name"] for w in works if w["kind"] != "control" and w["name"] not in UNDECIDED.get(peer, ())]
            compare(table, transport, peer, rows)
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
    table.rows += on_two_cpus(two_cpus) if two_cpus else []
    if not table.rows:
        return []
    head = ["### Wanted and measured", "", "| what | wanted | measured | held | aim |", "|---|---|---:|---|---|"]
    return head + table.rows
