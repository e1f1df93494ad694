# SPDX-License-Identifier: Apache-2.0
"""A picture of the slide: published and measured rates side by side."""

import os
import sys

import published
import table_lfp
from errors import UsageError

NOT_WRITTEN = 74


def check(path):
    """Checks before a long run that the picture can be drawn."""
    try:
        import matplotlib
    except ImportError:
        raise UsageError("--plot needs matplotlib (Debian's package python3-matplotlib)") from None
    matplotlib.use("Agg")
    from matplotlib.backend_bases import FigureCanvasBase
    kinds = FigureCanvasBase.get_supported_filetypes()
    if os.path.splitext(path)[1].lstrip(".").lower() not in kinds:
        raise UsageError(f"--plot {path}: the name ends in none of .{', .'.join(sorted(kinds))}")


def draw(results, path):
    """Writes the picture. Returns an exit code."""
    from matplotlib import pyplot
    both = table_lfp.compared(results)
    names, bars = [], {"TCP/IP for VSE, published": [], f"{both['tcpip']}, measured": [], "LFP, published": [], f"{both['lfp']}, measured": []}
    for row in both["rows"]:
        ftp = row["text"].startswith("FTP")
        names.append(row["text"].replace(" z/VSE ->", "\nz/VSE ->").replace(" Linux ->", "\nLinux ->").replace(" (", "\n("))
        slide = row["published"]
        values = [slide["tcpip"]["rate"], slide["lfp"]["rate"]] if ftp else \
            [slide["tcpip"] * published.APPLICATION["programs"], slide["lfp"] * published.APPLICATION["programs"]]
        ours = [row[side]["rate"] if row[side] else 0 for side in ("tcpip", "lfp")]
        for series, value in zip(bars.values(), (values[0], ours[0], values[1], ours[1])):
            series.append(value)
    figure, axes = pyplot.subplots(figsize=(12, 6), constrained_layout=True)
    width = 0.2
    for nr, ((name, values), color) in enumerate(zip(bars.items(), ("#9bb7d4", "#2f5d8a", "#f2bd8b", "#c8641b"))):
        drawn = axes.bar([x + (nr - 1.5) * width for x in range(len(names))], values, width, label=name, color=color)
        axes.bar_label(drawn, ["" if not value else f"{value:.0f}" for value in values], fontsize=8)
    axes.set_xticks(range(len(names)), names, fontsize=8)
    axes.set_yscale("log")
    axes.set_ylabel("MB/s (three programs: their sum)")
    note = "" if results["complete"] else "PARTIAL. "
    note += "Quick run: the rates say little. " if results["quick"] else ""
    axes.set_title(f"{note}Published: {published.ENVIRONMENT}.\nMeasured: {results['machine']['processor']}, "
                   f"Linux {results['machine']['kernel']}", fontsize=9)
    axes.legend(fontsize=8)
    try:
        figure.savefig(path, dpi=120)
    except OSError as error:
        print(f"lfp-workload: cannot write {path}: {error.strerror}", file=sys.stderr)
        return NOT_WRITTEN
    return 0
