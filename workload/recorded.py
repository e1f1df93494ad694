# SPDX-License-Identifier: Apache-2.0
"""What a run has measured of the published rows, as a file that "zdev check --measured" reads."""

import sys

COLUMNS = ("id", "what", "published", "here", "verdict", "judged")
SAME, DIFFERENT = ("as shown", "the same", "reached"), ("different", "DIFFERENT")
NOT_WRITTEN = 74


def judged(verdict):
    return "same" if verdict in SAME else "different" if verdict in DIFFERENT else "shown"


def rows(verdicts):
    """Yields the cells of each published row that the run has measured."""
    for cells in verdicts:
        name, *what = cells[0].split(None, 1)
        what, verdict = (what or ["value"])[0], cells[-1]
        if len(cells) == 5:  # the table lfp has the quantity in a cell of its own
            what, published, here = cells[1:4]
        elif len(cells) == 6:  # the table mq has rates times times beside both values
            published, here = cells[1], cells[3]
            what = f"rate times time {cells[4]}" if cells[4] != "-" else what
        else:
            published, here = cells[1:3]
        if here != "-" and not name.startswith("TN-d"):  # these are arithmetic of the paper's own cells
            yield name, what, published, here, verdict, judged(verdict)


def write(path, head, verdicts):
    """Writes the file; head are lines about the run. Returns an exit code."""
    lines = [*(f"# {line}" for line in head), "\t".join(COLUMNS)]
    lines += ["\t".join(" ".join(cell.split()) for cell in cells) for cells in rows(verdicts)]
    try:
        with open(path, "w", encoding="ascii", errors="replace") as file:
            file.write("\n".join(lines) + "\n")
    except OSError as error:
        print(f"lfp-workload: cannot write {path}: {error.strerror}", file=sys.stderr)
        return NOT_WRITTEN
    return 0
