#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the plots in docs/performance/ from the tables in docs/performance.md.

  bench/plots.py           write them
  bench/plots.py --check   compare: ends with 1 if one is not what the tables say
"""
import html
import math
import os
import re
import sys
import zlib

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOC = os.path.join(TOP, "docs", "performance.md")
BAR, GAP, LEFT, WIDTH, RIGHT = 9, 10, 270, 900, 20
CHARACTER = 6.5  # mean width in px at font size 11
# A system has the same colour in each plot, whatever stands beside it.
COLOURS = {
    "unix": "#1f77b4", "shm": "#2ca02c", "local": "#d62728", "hipersockets": "#ff7f0e", "relay": "#9467bd",
    "socat": "#8c564b", "dante": "#e377c2", "microsocks": "#7f7f7f", "stack, MTU 1500": "#bcbd22",
    "stack, MTU 9000": "#17becf", "pasta, loopback": "#1b9e77", "pasta, tap": "#7570b3", "slirp4netns": "#a6761d",
}
CELL = re.compile(r"\*\*([0-9.]+)\*\* \(([0-9.]+) to ([0-9.]+)\)")


def colour(name):
    return COLOURS.get(name) or f"hsl({zlib.crc32(name.encode()) % 360},55%,45%)"


def rates(text):
    """Parses each part: its title, its placement, its systems but native, and (work, {system: (median, low, high)})."""
    for part in re.split(r"^### ", text, flags=re.M)[1:]:
        head = re.match(r"(.*); placement `(.*)`\n\nRate as a fraction .*\n\n((?:\|.*\n)+)", part)
        if not head:
            continue
        rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in head[3].splitlines()]
        names, works = rows[0][2:], []
        for row in rows[2:]:
            found = {name: CELL.match(cell) for name, cell in zip(names, row[2:])}
            works.append((row[0], {name: tuple(map(float, cell.groups())) for name, cell in found.items() if cell}))
        yield head[1], head[2], names, works


def legend(names):
    """Returns the legend, which uses as many lines as the names need, and its height."""
    parts, x, y = [], LEFT, 26
    for name in names:
        width = 14 + CHARACTER * len(name) + 14
        if x > LEFT and x + width > LEFT + WIDTH:
            x, y = LEFT, y + 15
        parts.append(
            f'<rect x="{x:.0f}" y="{y}" width="10" height="10" fill="{colour(name)}"/>'
            f'<text x="{x + 14:.0f}" y="{y + 9}">{html.escape(name)}</text>'
        )
        x += width
    return parts, y + 22


def svg(title, placement, names, works):
    """A group for each work; for each system a bar to the median and a line between the quartiles."""
    most = max([1.0] + [value for _, found in works for cell in found.values() for value in cell])
    quarters = math.ceil(most * 4 - 1e-9)
    parts, top = legend(names)
    bars, y = [], top + 6

    def place(ratio):
        return LEFT + ratio * 4 / quarters * WIDTH

    for work, found in works:
        middle = y + BAR * len(names) / 2 + 4
        bars.append(f'<text x="{LEFT - 8}" y="{middle:.0f}" text-anchor="end">{html.escape(work)}</text>')
        for name in names:
            if name in found:
                median, low, high = found[name]
                line = y + (BAR - 1) / 2
                bars.append(
                    f'<rect x="{LEFT}" y="{y}" width="{place(median) - LEFT:.1f}" height="{BAR - 1}" '
                    f'fill="{colour(name)}"><title>{html.escape(name)}: {median:.2f} ({low:.2f} to {high:.2f})</title></rect>'
                    f'<line x1="{place(low):.1f}" y1="{line}" x2="{place(high):.1f}" y2="{line}" stroke="black"/>'
                )
            y += BAR
        y += GAP
    for quarter in range(quarters + 1):
        x, native = place(quarter / 4), quarter == 4
        stroke = 'stroke="#333333" stroke-width="2"' if native else 'stroke="#cccccc"'
        label = "1.00 native" if native else f"{quarter / 4:.2f}"
        parts.append(f'<line x1="{x:.0f}" y1="{top}" x2="{x:.0f}" y2="{y}" {stroke}/>')
        parts.append(f'<text x="{x:.0f}" y="{y + 16}" text-anchor="middle">{label}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + RIGHT} {y + 24}" font-family="sans-serif" '
        f'font-size="11"><rect width="100%" height="100%" fill="white"/>'
        f'<text x="{LEFT}" y="16" font-size="13">Rate as a fraction of native, median and quartiles: '
        f"{html.escape(title)}; placement {html.escape(placement)}</text>"
        + "".join(parts) + "".join(bars) + "</svg>\n"
    )


def name_of(title, placement):
    mtu = re.search(r"MTU (\d+)", title).group(1)
    return f"rates-mtu{mtu}-{placement.split(',')[0]}.svg"


def drawings(text):
    return {name_of(title, placement): svg(title, placement, names, works) for title, placement, names, works in rates(text)}


def write(text, directory):
    os.makedirs(directory, exist_ok=True)
    for name, picture in drawings(text).items():
        with open(os.path.join(directory, name), "w") as file:
            file.write(picture)


def main(arguments):
    directory = os.path.join(TOP, "docs", "performance")
    with open(DOC) as file:
        text = file.read()
    if arguments != ["--check"]:
        write(text, directory)
        return
    wrong = []
    for name, picture in drawings(text).items():
        path = os.path.join(directory, name)
        if not os.path.exists(path) or open(path).read() != picture:
            wrong.append(name)
    if wrong or not drawings(text):
        sys.exit(f"docs/performance/ is not what docs/performance.md says ({', '.join(wrong) or 'no tables'}): make docs")


if __name__ == "__main__":
    main(sys.argv[1:])
