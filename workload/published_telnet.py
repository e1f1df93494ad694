# SPDX-License-Identifier: Apache-2.0
"""IBM's report "z/VM TCP/IP Telnet IPv6 Support": its two tables as printed, and everything that can be computed from them.

Bytes are a second; CPU is in milliseconds a MB. "printed" are IBM's own percent, kept as they are printed."""

from published import rounding

ENVIRONMENT = "2094-733; z/VM 5.3 and 5.4"
CONNECTIONS = (10, 50, 100, 200)
# The order of a run: bytes a second, total, emulation and CP
VALUES = ("Total Bytes/Sec", "Total CPU per MB trans (msec)", "Emul CPU per MB trans (msec)", "CP CPU per MB trans (msec)")

# name: (run ids, values by row of VALUES, ids of the published rows of zdev check)
RUNS = {
    "5.3 IPv4": (("i43w0102", "i43w0502", "i43w1002", "i43w2002"),
                 ((10806, 30463, 38001, 43256), (.141, .135, .136, .136), (.071, .069, .069, .069), (.070, .066, .067, .067)), "TN-53v4"),
    "5.4 IPv4": (("i44w0102", "i44w0502", "i44w1002", "i44w2002"),
                 ((9927, 28612, 38035, 44360), (.147, .140, .140, .143), (.077, .070, .070, .072), (.070, .070, .070, .071)), "TN-54v4"),
    "5.4 IPv6": (("i64w0102", "i64w0502", "i64w1002", "i64w2002"),
                 ((11226, 35222, 43745, 49588), (.143, .130, .128, .125), (.075, .066, .064, .064), (.068, .064, .064, .061)), "TN-54v6"),
}
TABLES = (
    ("Table 1. z/VM 5.3 IPv4 - z/VM 5.4 IPv4", "5.3 IPv4", "5.4 IPv4",
     (("-8", "-6", ".1", "3"), ("4", "4", "3", "4"), ("8", "1", "1", "4"), ("0", "6", "4", "6"))),
    ("Table 2. z/VM 5.4 IPv4 - z/VM 5.4 IPv6", "5.4 IPv4", "5.4 IPv6",
     (("13", "23", "15", "12"), ("-3", "-7", "-9", "-13"), ("-3", "-6", "-9", "-11"), ("-3", "-9", "-9", "-14"))),
)
# The text's summary of both tables: from, to, which row of VALUES, lowest and highest percent
SUMMARY = (("throughput", "5.3 IPv4", "5.4 IPv6", 0, "4", "16"), ("CPU utilization", "5.3 IPv4", "5.4 IPv6", 1, "-6", "1"),
           ("throughput", "5.3 IPv4", "5.4 IPv4", 0, "-8", "3"), ("CPU utilization", "5.3 IPv4", "5.4 IPv4", 1, "3", "4"),
           ("throughput", "5.4 IPv4", "5.4 IPv6", 0, "12", "23"), ("CPU utilization", "5.4 IPv4", "5.4 IPv6", 1, "-13", "-3"))


def change(before, after):
    """Returns the percent of a change, or None."""
    return 100 * (after - before) / before if before else None


def printed(value, digits=2):
    """Returns a number as the report prints it, without a zero before the point."""
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def recomputed():
    """Yields (text, printed, computed, verdict) of each percent of the tables and of the summary."""
    for title, before, after, rows in TABLES:
        for nr, row in enumerate(rows):
            for column, percent in enumerate(row):
                value = change(RUNS[before][1][nr][column], RUNS[after][1][nr][column])
                yield f"{title.partition('.')[0]}, {CONNECTIONS[column]}: {VALUES[nr]}", percent, value, rounding(percent, value)
    for what, before, after, nr, low, high in SUMMARY:
        values = [change(b, a) for b, a in zip(RUNS[before][1][nr], RUNS[after][1][nr])]
        for word, percent, value in (("lowest", low, min(values)), ("highest", high, max(values))):
            yield f"Summary, {before} to {after}: {word} of {what}", percent, value, rounding(percent, value)
