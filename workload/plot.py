# SPDX-License-Identifier: Apache-2.0
"""A picture of a table: published and measured values side by side."""

import os
import sys

from errors import UsageError

NOT_WRITTEN = 74


def check(path):
    """Checks before a long run that the picture can be drawn."""
    try:
        import matplotlib
    except ImportError:
        raise UsageError("--plot needs matplotlib (Debian's package python3-matplotlib)") from None
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
    from matplotlib.backend_bases import FigureCanvasBase
    kinds = FigureCanvasBase.get_supported_filetypes()
    if os.path.splitext(path)[1].lstrip(".").lower() not in kinds:
        raise UsageError(f"--plot {path}: the name ends in none of .{', .'.join(sorted(kinds))}")


def draw(results, table, path):
    """Writes the picture of what table.series() returns: groups, bars by name, the axis, and the published environment. Returns an exit code."""
    from matplotlib import pyplot
    names, bars, axis, environment = table.series(results)
    figure, axes = pyplot.subplots(figsize=(12, 6), constrained_layout=True)
    width = 0.8 / len(bars)
    middle = (len(bars) - 1) / 2
    for nr, ((name, values), color) in enumerate(zip(bars.items(), ("#9bb7d4", "#2f5d8a", "#f2bd8b", "#c8641b", "#b5d49b", "#4f8a2f"))):
        drawn = axes.bar([x + (nr - middle) * width for x in range(len(names))], values, width, label=name, color=color)
        axes.bar_label(drawn, ["" if not value else f"{value:.0f}" for value in values], fontsize=8 if len(names) * len(bars) <= 24 else 6)
    axes.set_xticks(range(len(names)), names, fontsize=8)
    axes.set_yscale("log")
    axes.set_ylim(bottom=min(value for values in bars.values() for value in values if value) / 2)  # the least one is seen, too
    axes.set_ylabel(axis)
    note = "" if results["complete"] else "PARTIAL. "
    note += "Quick run: the rates say little. " if results["quick"] else ""
    figure.suptitle(f"{note}Published: {environment}.\nMeasured: {results['machine']['processor']}, "
                   f"Linux {results['machine']['kernel']}", fontsize=9)
    axes.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1), ncol=len(bars))  # above the bars, and over none of them
    try:
        figure.savefig(path, dpi=120)
    except OSError as error:
        print(f"lfp-workload: cannot write {path}: {error.strerror}", file=sys.stderr)
        return NOT_WRITTEN
    return 0
