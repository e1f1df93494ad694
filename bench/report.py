# SPDX-License-Identifier: Apache-2.0
"""Tables of bench/run, in Markdown; plots.py draws them."""
import os
import platform
import re
import statistics
import subprocess
import time

import plots
import wanted

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOC = os.path.join(TOP, "docs", "performance.md")


def median(values):
    values = list(values)
    return statistics.median(values) if values else None


class Cell:
    """All rounds of one system and one work."""

    def __init__(self, results, system, work):
        mine = [r for r in results if r["system"] == system.name and r["work"] == work["name"]]
        good = [r for r in mine if "error" not in r]
        amount = "bytes" if work["unit"] == "B" else "ops"
        self.without = "failed" if mine else "n/a"  # printed if there is no figure
        self.rates = {r["round"]: r[amount] / r["seconds"] for r in good}
        self.rate = median(self.rates.values())
        scale = 1e9 if work["unit"] == "B" else 1e6  # s per GB, us per operation
        self.cpu = {
            who: median(scale * r[key] / r[amount] for r in good if r[amount])
            for who, key in (
                ("program", "cpu"), ("between", "cpu_between"), ("far", "cpu_far"), ("instance", "cpu_instance")
            )
        }
        self.total = median(
            scale * (r["cpu"] + r["cpu_between"] + r["cpu_far"]) / r[amount] for r in good if r[amount]
        )
        self.p50 = median(r["p50"] / 1000 for r in good)
        self.p99 = median(r["p99"] / 1000 for r in good)

    def ratio(self, other):
        """Median of the ratios of the rounds, and their quartiles."""
        ratios = sorted(self.rates[n] / other.rates[n] for n in self.rates if other.rates.get(n))
        if len(ratios) < 2:
            return (ratios[0],) * 3 if ratios else None
        low, _, high = statistics.quantiles(ratios, n=4)
        return self.rate / other.rate, low, high


def number(us):
    """Calls of the kernel take less than 1 us."""
    return f"{us:.2f}" if us < 1 else f"{us:.1f}"


def lacking(systems, works):
    """A line for each reason why cells say n/a."""
    reasons = {}
    for system in systems:
        for work in works:
            if system.lacks(work):
                reasons.setdefault((system.name, system.lacks(work)), []).append(work["name"])
    return [f"n/a, {name}: {why} ({'; '.join(names)})" for (name, why), names in reasons.items()]


def cells(part):
    _, _, results, systems, works = part
    return {(s.name, w["name"]): Cell(results, s, w) for s in systems for w in works}


def rate_text(work, rate):
    if rate is None:
        return "failed"
    return f"{rate / 1e6:,.0f} MB/s" if work["unit"] == "B" else f"{rate:,.0f} /s"


def tables(part):
    title, placement, results, systems, works = part
    table = cells(part)
    names = [s.name for s in systems]
    others = names[1:]
    lines = [f"### {title}; placement `{placement}`", "", "Rate as a fraction of native's (quartiles of the rounds):", ""]
    lines += ["| work | native | " + " | ".join(others) + " |", "|---|---:|" + "---|" * len(others)]
    for work in works:
        native = table[names[0], work["name"]]
        row = [work["name"], rate_text(work, native.rate)]
        for name in others:
            cell = table[name, work["name"]]
            ratio = cell.ratio(native)
            text = f"**{ratio[0]:.2f}** ({ratio[1]:.2f} to {ratio[2]:.2f})" if ratio else cell.without
            row.append(text)
        lines.append("| " + " | ".join(row) + " |")
    lines += [
        "",
        "CPU time in s per GB or us per operation: total of all processes, multiple of native's (program + processes "
        "between + peer):",
        "",
    ]
    lines += ["| work | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for work in works:
        native = table[names[0], work["name"]]
        row = [work["name"]]
        for name in names:
            cell = table[name, work["name"]]
            if cell.total is None or not native.total:
                row.append(cell.without)
                continue
            parts = " + ".join(f"{cell.cpu[who]:.2f}" for who in ("program", "between", "far"))
            row.append(f"{cell.total:.2f}, {cell.total / native.total:.1f} ({parts})")
        lines.append("| " + " | ".join(row) + " |")
    trips = [w for w in works if w["unit"] == "op"]
    if trips:
        lines += ["", "Time of an operation in us (a round trip, a connection, a call), median and 99th percentile:", ""]
        lines += ["| work | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
        for work in trips:
            row = [work["name"]]
            for name in names:
                cell = table[name, work["name"]]
                row.append(cell.without if cell.p50 is None else f"{number(cell.p50)}, {number(cell.p99)}")
            lines.append("| " + " | ".join(row) + " |")
    for line in lacking(systems, works):
        lines += ["", line]
    for error in sorted({f"{r['system']}, {r['work']}: {r['error']}" for r in results if "error" in r}):
        lines += ["", f"failed: {error}"]
    return lines


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    try:
        virtual = subprocess.run(["systemd-detect-virt"], capture_output=True, text=True).stdout.strip()
    except OSError:
        virtual = ""
    pretty = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    where = "" if virtual in ("", "none") else f" ({virtual})"
    return f"{os.cpu_count()} CPUs, {model}{where}, Linux {platform.release()}, {pretty}"


def head(fifo, rounds, others, burst, left_out):
    scheduler = "SCHED_FIFO" if fifo else "the default scheduler"
    date = time.strftime("%Y-%m-%d", time.gmtime())
    lines = [
        f"{date}, {machine()}; {scheduler}, {rounds} rounds of {burst} ms ({others} for the secondary "
        f"works), cubic, load {os.getloadavg()[0]:.1f}."
    ]
    lines += [f"{name} is left out: {why}." for name, why in left_out.items()]
    return "\n".join(lines)


def text(heading, parts):
    lines = [heading]
    for part in parts:
        lines += ["", *tables(part)]
    _, _, results, systems, works = parts[0]
    free = [cells(part) for part in parts if part[1].startswith("free")]
    lines += ["", *wanted.lines(cells(parts[0]), works, free[0] if free else None)]
    return "\n".join(lines)


def publish(body, parts):
    """Writes docs/performance.md between its marks, and draws the plots in docs/performance/ from it."""
    figures = [f"![{part[0]}, {part[1]}](performance/{plots.name_of(part[0], part[1])})" for part in parts]
    with open(DOC) as file:
        old = file.read()
    begin, end = "<!-- figures begin -->\n", "\n<!-- figures end -->"
    body = body + "\n\n" + "\n".join(figures)
    with open(DOC, "w") as file:
        file.write(re.sub(f"{begin}.*?{end}", lambda _: begin + body + end, old, flags=re.S))
    plots.main([])
