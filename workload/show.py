# SPDX-License-Identifier: Apache-2.0
"""Tables of text."""


def table(head, rows, left=(0,)):
    """Returns lines: some columns left, by default the first one, the others right; a cell of several lines is joined by "\\n"."""
    cells = [[str(cell).split("\n") for cell in row] for row in [head, *rows]]
    widths = [max(len(line) for row in cells for line in row[i]) for i in range(len(head))]
    out = []
    for nr, row in enumerate(cells):
        for i in range(max(len(cell) for cell in row)):
            parts = [cell[i] if i < len(cell) else "" for cell in row]
            out.append("  ".join(part.ljust(width) if column in left else part.rjust(width)
                                 for column, (part, width) in enumerate(zip(parts, widths))).rstrip())
        if not nr:
            out.append("  ".join("-" * width for width in widths))
    return out


def digits(value):
    """Returns a number with three digits that count, but all of those before the point."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def size(value):
    """Returns a number of bytes as people say it."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if value >= factor and value % factor == 0:
            return f"{value // factor} {unit}"
    return f"{value} bytes"
