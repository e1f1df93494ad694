#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plots of the benchmark: legend, axis, colours, quartiles, the line of native."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
sys.dont_write_bytecode = True
import plots  # noqa: E402

passed = failed = 0


def check(text, good):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"{'ok' if good else 'FAILED'}: {text}")


def table(names, *rows):
    lines = ["| work | native | " + " | ".join(names) + " |", "|---|---:|" + "---|" * len(names)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


HEAD = "### MTU {}, windows; placement `one`\n\nRate as a fraction of native's (quartiles of the rounds):\n\n"
MANY = ["unix", "shm"] + [f"a system with a long name, number {n}" for n in range(12)]
text = "no table\n\n" + HEAD.format(1) + table(
    MANY, ["bulk <in>", "9 MB/s"] + ["**0.30** (0.25 to 0.40)"] * 13 + ["n/a"]
) + "\n" + HEAD.format(2) + table(["shm"], ["bulk", "9 MB/s", "**1.20** (1.10 to 1.31)"], ["calls", "1 /s", "failed"])
drawn = plots.drawings(text)
check("a plot for each part", sorted(drawn) == ["rates-mtu1-one.svg", "rates-mtu2-one.svg"])
many, one = drawn["rates-mtu1-one.svg"], drawn["rates-mtu2-one.svg"]

entries = [(float(x), int(y), name) for x, y, name in re.findall(
    r'height="10" fill="[^"]*"/><text x="([0-9]+)" y="([0-9]+)">([^<]*)</text>', many)]
check("the legend has all names", [name for _, _, name in entries] == MANY)
ends = [(x + plots.CHARACTER * len(name), x, y) for x, y, name in entries]
check("and none lies over another", all(a[0] <= b[1] or a[2] < b[2] for a, b in zip(ends, ends[1:])))
check("nor outside", all(end <= plots.LEFT + plots.WIDTH for end, _, _ in ends))
first_bar = min(int(y) for y in re.findall(rf'<rect x="{plots.LEFT}" y="([0-9]+)" width="[0-9.]+" height="{plots.BAR - 1}"', many))
check("nor over the bars", max(y for _, y, _ in entries) < first_bar)


def axis(picture):
    return re.findall(r'text-anchor="middle">([^<]*)</text>', picture)


check("the axis ends where the values end, with native", axis(many) == ["0.00", "0.25", "0.50", "0.75", "1.00 native"])
check("or behind native", axis(one)[-3:] == ["1.00 native", "1.25", "1.50"])
check("a line marks native", many.count('stroke-width="2"') == one.count('stroke-width="2"') == 1)


def fills(picture):
    return {name: fill for fill, name in re.findall(r'fill="([^"]*)"><title>([^:]*):', picture)}


check("a system has the same colour in both", fills(many)["shm"] == fills(one)["shm"])
check("systems have colours of their own", len(set(fills(many).values())) > 10)
check("a bar ends at the median", f'width="{1.2 / 1.5 * plots.WIDTH:.1f}"' in one)
low, high = (plots.LEFT + value / 1.5 * plots.WIDTH for value in (1.1, 1.31))
check("a line joins the quartiles", re.search(rf'x1="{low:.1f}" y1="[0-9.]+" x2="{high:.1f}"', one))
check("no bar without a figure", one.count("<title>") == 1 and many.count("<title>") == 13)
check("names are escaped", "bulk &lt;in&gt;" in many)
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
