#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""lfp-workload: the measurements of IBM's papers as programs; lfp-workload(1)"""

import argparse
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # the programs of the tables, which write nothing into the package either
sys.path.insert(0, HERE)

import capacity  # noqa: E402
import grid  # noqa: E402
import links  # noqa: E402
import product  # noqa: E402
import recorded  # noqa: E402
import routes  # noqa: E402
import show  # noqa: E402
import table_applications  # noqa: E402
import table_lfp  # noqa: E402
import table_mq  # noqa: E402
import table_telnet  # noqa: E402
from errors import CellError, UsageError  # noqa: E402
from processes import Processes  # noqa: E402
from published_mq import OSA_DELAY  # noqa: E402

FAILED, USAGE, UNAVAILABLE, NOT_WRITTEN, INTERRUPTED = 1, 64, 69, 74, 130
SIZES = {"ftp": 10**9, "job": 100 * 10**6}
QUICK = {"ftp": 2 * 10**6, "job": 10**6}
TELNET = {"connections": [10, 50, 100, 200], "commands": 10, "think": 1.0}
TELNET_QUICK = {"connections": [2, 10], "commands": 3, "think": 0.02}
MQ = {"messages": 1000, "bytes": 100 * 10**6, "managers": "own", "repeat": 1}
MQ_QUICK = {"messages": 60, "bytes": 4 * 10**6, "managers": "own", "repeat": 1}
APPLICATIONS, APPLICATIONS_QUICK, LEAST_BYTES = 20 * 10**6, 10**6, 500 * 10**3
SPARE = 64 * 2**20  # of the folder in memory, beside the file of FTP
TABLES = {"lfp": table_lfp, "telnet": table_telnet, "mq": table_mq, "applications": table_applications}
UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}


class Parser(argparse.ArgumentParser):
    """A wrong command line is one line, and the exit code that of the other commands."""

    def error(self, message):
        self.exit(USAGE, f"{self.prog}: {message}; see {self.prog} --help\n")


def bytes_of(text):
    """Reads a size, as 1G, 100M or 5000."""
    number, unit = (text[:-1], text[-1:]) if text[-1:] in UNITS else (text, "")
    if not number.isdecimal() or not number.isascii() or len(number) > 12:
        raise argparse.ArgumentTypeError(f"{text}: not a size, such as 1G, 100M or 5000")
    size = int(number) * UNITS[unit]
    if not size:
        raise argparse.ArgumentTypeError(f"{text}: a transfer of no bytes has no rate")
    if size > 10**12:
        raise argparse.ArgumentTypeError(f"{text}: at most 1000G")
    return size


def counts(text):
    """Reads numbers of connections, as 10,50."""
    words = text.split(",")
    if not all(word.isdecimal() and word.isascii() and len(word) <= 3 and 1 <= int(word) <= 400 for word in words):
        raise argparse.ArgumentTypeError(f"{text}: not numbers of connections from 1 to 400, such as 10,50")
    return sorted({int(word) for word in words})


def in_range(least, most):
    read = capacity.number(least, most)

    def reader(word):
        try:
            return read(word)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    return reader


def whole(text):
    if not text.isdecimal() or not text.isascii() or len(text) > 3 or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text}: not a number from 1 to 256")
    return int(text)


def parse(words):
    parser = Parser(prog="lfp-workload", description="Runs the measurements of IBM's papers here, and prints both.")
    parser.add_argument("-V", "--version", action="store_true", help="print the version of the product")
    tables = parser.add_subparsers(dest="table", metavar="TABLE", title="tables")
    lfp = tables.add_parser("lfp", help="the slide about the speed of LFP, measured here")
    telnet = tables.add_parser("telnet", help="the report about telnet over IPv6, measured here")
    mq = tables.add_parser("mq", help="the paper about MQ over HiperSockets, measured here")
    twelve = tables.add_parser("applications", help="the twelve applications of IBM's list, each with a restart of lfpd")
    twelve.add_argument("--transport", action="append", choices=table_applications.ROUTES, dest="route", metavar="TRANSPORT",
                        help=f"this transport, may be repeated; default unix: {', '.join(table_applications.ROUTES)}")
    keys = [key for key, _ in table_applications.ALL]
    twelve.add_argument("--application", action="append", choices=keys, metavar="NAME", help=f"only this one, may be repeated: {', '.join(keys)}")
    twelve.add_argument("--quick", action="store_true", help="little data: does it run?")
    twelve.add_argument("--bytes", type=bytes_of, metavar="SIZE", help="data of each application; default 20M")
    twelve.add_argument("--json", action="store_true", help="print JSON")
    for table, names in ((lfp, table_lfp.ROUTES), (telnet, table_telnet.ROUTES), (mq, table_mq.ROUTES)):
        table.add_argument("--route", action="append", choices=names, metavar="ROUTE",
                           help=f"only this route, may be repeated: {', '.join(names)}")
        table.add_argument("--quick", action="store_true", help="little work: does it run?")
        table.add_argument("--json", action="store_true", help="print JSON")
        table.add_argument("--plot", metavar="FILE", help="draw published and measured rates side by side")
        table.add_argument("--verdicts", metavar="FILE", help="also write what was measured of the published rows, for zdev check --measured")
    mq.add_argument("--messages", type=in_range(1, 10**6), metavar="COUNT", help="messages of 1,000 bytes; default 1000, less of larger ones")
    mq.add_argument("--repeat", type=whole, default=1, metavar="COUNT", help="runs of each cell, 1 to 256; default 1. The table has the median")
    mq.add_argument("--managers", choices=table_mq.MANAGERS, default="own", help="own (default), or mosquitto: two brokers with bridges")
    telnet.add_argument("--connections", type=counts, metavar="N,...", help="numbers of users; default 10,50,100,200")
    telnet.add_argument("--commands", type=whole, metavar="COUNT", help="commands of a user, 1 to 256; default 10")
    telnet.add_argument("--think", type=in_range(0, 60), metavar="SECONDS", help="mean time before a command; default 1")
    for table in (lfp, mq):
        table.add_argument("--osa-delay", type=in_range(0, 100), default=OSA_DELAY, metavar="MS",
                           help=f"of a link in the place of an OSA adapter, in ms each way, 0 to 100; default {OSA_DELAY:g}")
    lfp.add_argument("--ftp", type=bytes_of, metavar="SIZE", help="bytes of a transfer by FTP; default 1G")
    lfp.add_argument("--transfer", type=bytes_of, metavar="SIZE", help="bytes of each program's transfer; default 100M")
    plan = tables.add_parser("capacity", help="CPU time of a day's data, with a stack and with LFP")
    plan.add_argument("--out", type=in_range(0, 1e12), metavar="MB", default=0.0, help="MB a day from z/VSE to Linux")
    plan.add_argument("--in", dest="inward", type=in_range(0, 1e12), metavar="MB", default=0.0, help="MB a day from Linux to z/VSE")
    plan.add_argument("--work", choices=sorted(capacity.WORKS), default="ftp", help="ftp (default) or application")
    plan.add_argument("--language", choices=capacity.LANGUAGES, default="c", help="of the measured application: c (default) or cobol")
    plan.add_argument("--mode", choices=sorted(capacity.MODES), default="zvm", help="zvm (default) or lpar")
    plan.add_argument("--speed", type=in_range(0.001, 1000), default=1.0, metavar="FACTOR", help="of a CP, to one of the slide's z10; default 1")
    plan.add_argument("--cps", type=whole, default=1, metavar="COUNT", help="CPs that are 100 percent, 1 to 256; default 1")
    plan.add_argument("--results", metavar="FILE", help="what lfp-workload lfp --json has printed")
    plan.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(words)
    if options.version:
        print(product.said("lfpd", "--version") or "lfp-workload")
        sys.exit(0)
    if not options.table:
        parser.error("no table is named")
    if options.table == "capacity" and not options.out + options.inward:
        plan.error("--out and --in: no data, so there is nothing to compute")
    return options


def own_namespaces():
    """Runs this program again in namespaces of its own: its network, and its folder in memory, end with it."""
    if os.environ.pop("LFP_WORKLOAD_INSIDE", None):
        return
    spaces = ["--net", "--mount", "--propagation", "private"]
    if os.geteuid():
        spaces = ["--user", "--map-current-user", "--keep-caps", *spaces]
    unshare = [product.program("unshare"), *spaces, "--"]
    tried = subprocess.run([*unshare, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        raise CellError(f"no network and mount namespace: {tried.stderr.strip()}")
    os.environ["LFP_WORKLOAD_INSIDE"] = "1"
    os.execv(unshare[0], [*unshare, sys.executable, os.path.realpath(__file__), *sys.argv[1:]])


def memory_available():
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 0


class Progress:
    def __init__(self, cells):
        self.cells, self.done = cells, 0

    def __call__(self, cells, text):
        self.done += cells
        print(f"[{self.done}/{self.cells}] {text}", file=sys.stderr, flush=True)


def interrupt(number, _frame):
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def memory_for(needed, option, what="the table"):
    if memory_available() < needed:
        raise CellError(f"{what} needs {needed >> 20} MiB of memory, and {memory_available() >> 20} MiB are available: see {option}")
    return needed


def sizes_of(options):
    """Returns how much work a table is, and the bytes of memory for its folder."""
    if options.table == "telnet":
        sizes = dict(TELNET_QUICK if options.quick else TELNET)
        for name in sizes:
            sizes[name] = sizes[name] if getattr(options, name) is None else getattr(options, name)
        return sizes, SPARE
    if options.table == "mq":
        sizes = dict(MQ_QUICK if options.quick else MQ)
        sizes["messages"] = int(options.messages or sizes["messages"])
        sizes["managers"], sizes["repeat"], sizes["osa_delay"] = options.managers, options.repeat, options.osa_delay
        return sizes, SPARE
    if options.table == "applications":
        if options.bytes and options.bytes < LEAST_BYTES:
            raise UsageError(f"--bytes {options.bytes}: an application needs at least {show.size(LEAST_BYTES)}, to have a middle")
        sizes = {"bytes": options.bytes or (APPLICATIONS_QUICK if options.quick else APPLICATIONS),
                 "applications": options.application or [key for key, _ in table_applications.ALL]}
        return sizes, memory_for(20 * sizes["bytes"] + 4 * SPARE, "--bytes")
    sizes = dict(QUICK if options.quick else SIZES)
    sizes["ftp"] = options.ftp or sizes["ftp"]
    sizes["job"] = options.transfer or sizes["job"]
    sizes["osa_delay"] = options.osa_delay
    return sizes, memory_for(sizes["ftp"] + SPARE, "--ftp", f"FTP of {show.size(sizes['ftp'])}")


def run(options, table):
    """Measures a table. Returns its results, also if it is interrupted."""
    sizes, needed = sizes_of(options)
    for name in table.PROGRAMS:
        product.program(name)
    product.library()
    results = {"table": options.table, "complete": False, "quick": options.quick,
               "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
               "sizes": sizes, "machine": product.machine(), "routes": [], "cells": {}, "skipped": {}}
    work = tempfile.mkdtemp(prefix="lfpw.", dir="/tmp")  # a short name, as paths of UNIX sockets have 107 bytes
    processes = Processes()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    try:
        routes.run("mount", "-t", "tmpfs", "-o", f"size={needed},mode=755", "lfp-workload", work)
        routes.run("ip", "link", "set", "lo", "up")
        routes.run("ip", "addr", "add", f"{routes.LINUX}/32", "dev", "lo")
        if table is table_telnet:  # a machine without IPv6 has the others
            routes.run("ip", "addr", "add", f"{routes.LINUX6}/128", "dev", "lo", "nodad")
        chosen = [route for route in routes.all_routes(processes, work, sizes.get("osa_delay"))
                  if route.name in (options.route or getattr(table, "DEFAULT", table.ROUTES))]
        results["routes"] = [route.name for route in chosen]
        progress = Progress(len(chosen) * len(table.rows(sizes)))
        try:
            grid.measure(table, chosen, processes, work, sizes, results, progress)
            results["complete"] = True
        except KeyboardInterrupt:
            print(f"lfp-workload: interrupted after {progress.done} of {progress.cells} cells", file=sys.stderr)
        if hasattr(table, "measured"):
            table.measured(results)
        results["cells_done"], results["cells_all"] = progress.done, progress.cells
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        processes.stop_all()
        subprocess.run([product.program("umount"), "-l", work], check=False, capture_output=True)
        shutil.rmtree(work, ignore_errors=True)
    return results


def head(results):
    machine = results["machine"]
    lines = [f"lfp-workload {results['table']}: {results['started']}, {TABLES[results['table']].work(results['sizes'])}"
             + (", quick: the rates say little" if results["quick"] else "")]
    lines.append(f"{machine['processor']}, {len(machine['cpus'])} CPUs, {machine['memory_bytes'] >> 20} MiB, "
                 f"Linux {machine['kernel']} ({machine['architecture']}), load {machine['load']:.1f}")
    lines.append(machine["placement"])
    lines.append("; ".join(f"{name}: {text}" for name, text in machine["versions"].items()))
    if not results["complete"]:
        lines.insert(0, f"PARTIAL: interrupted after {results['cells_done']} of {results['cells_all']} cells")
    return lines


def write_out(text):
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        print(f"lfp-workload: cannot write the results: {error.strerror}", file=sys.stderr)
        return NOT_WRITTEN
    return 0


def make_capacity(options):
    table = capacity.compute(options)
    return write_out(json.dumps(table, indent=1) + "\n" if options.json else "\n".join(capacity.text(table)) + "\n")


def unwritable(path):
    """Tells why a file could not be written, or returns 0. It is known before the work, which may take an hour."""
    folder = os.path.dirname(path) or "."
    why = errno.EISDIR if os.path.isdir(path) else errno.ENOENT if not os.path.isdir(folder) else errno.EACCES
    if why == errno.EACCES and os.access(path if os.path.exists(path) else folder, os.W_OK):
        return 0
    print(f"lfp-workload: cannot write {path}: {os.strerror(why)}", file=sys.stderr)
    return NOT_WRITTEN


def make_table(options):
    table, drawn = TABLES[options.table], getattr(options, "plot", None)
    if drawn:
        import plot
        plot.check(drawn)
    for path in (drawn, getattr(options, "verdicts", None)):
        if path and unwritable(path):
            return NOT_WRITTEN
    own_namespaces()
    results = run(options, table)
    if options.json:
        both = table.compared(results)
        code = write_out(json.dumps({**results, "compared": both, "verdicts": list(table.verdicts(results, both))}, indent=1) + "\n")
    else:
        code = write_out("\n".join([*head(results), "", *table.text(results)]) + "\n")
    if drawn:
        code = plot.draw(results, table, drawn) or code
    if getattr(options, "verdicts", None):
        code = recorded.write(options.verdicts, head(results), table.verdicts(results, table.compared(results))) or code
    if not results["complete"]:
        return INTERRUPTED
    cells = [cell for column in results["cells"].values() for cell in column.values()]
    if not any("rate" in cell for cell in cells):
        return UNAVAILABLE
    return code or (FAILED if any("error" in cell for cell in cells) else 0)


def main():
    options = parse(sys.argv[1:])
    try:
        return make_capacity(options) if options.table == "capacity" else make_table(options)
    except UsageError as error:
        print(f"lfp-workload: {error}", file=sys.stderr)
        return USAGE
    except CellError as error:
        print(f"lfp-workload: {error}", file=sys.stderr)
        return UNAVAILABLE
    except KeyboardInterrupt:
        print("lfp-workload: interrupted before the first cell", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
