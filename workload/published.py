# SPDX-License-Identifier: Apache-2.0
"""IBM's slide "Performance measurements using Linux Fast Path", as printed, and everything that can be computed from it.

A rate is in MB/s, of one program; CPU is in percent. "printed" is IBM's own derived value, kept as it is printed."""

ENVIRONMENT = "IBM System z10 EC (2097-722), z/VM, TCP/IP connection via shared OSA adapter"

# The ids are those of the published rows that zdev check lists.
FTP = {
    "out": {"tcpip": {"rate": 19.0, "app": 5, "stack": 24, "id": "LFP-01"}, "lfp": {"rate": 72.0, "app": 20, "id": "LFP-02"},
            "faster": "3.7", "less": 9},
    "in": {"tcpip": {"rate": 21.0, "app": 11, "stack": 44, "id": "LFP-07"}, "lfp": {"rate": 70.0, "app": 20, "id": "LFP-08"},
           "faster": "3.3", "less": 35},
}
APPLICATION = {
    "programs": 3,
    "out": {"tcpip": 4.6, "lfp": 14.6, "faster": "3.2"},
    "in": {"tcpip": 9.7, "lfp": 16.2, "faster": "1.7"},
    "cpu": {"tcpip": {"app": 3 * 1, "stack": 23}, "lfp": {"app": 3 * 3}, "less": 17},
}


def total(cell):
    return cell["app"] + cell.get("stack", 0)


def recomputed():
    """Yields (text, printed, computed) of each derived value of the slide."""
    for way, text in (("out", "FTP z/VSE -> Linux"), ("in", "FTP Linux -> z/VSE")):
        row = FTP[way]
        yield f"{text}: times faster", row["faster"], row["lfp"]["rate"] / row["tcpip"]["rate"]
        yield f"{text}: % less CPU", str(row["less"]), total(row["tcpip"]) - total(row["lfp"])
    for way, text in (("out", "socket application z/VSE -> Linux"), ("in", "socket application Linux -> z/VSE")):
        row = APPLICATION[way]
        yield f"{text}: times faster", row["faster"], row["lfp"] / row["tcpip"]
    cpu = APPLICATION["cpu"]
    yield "socket application: % less CPU", str(cpu["less"]), total(cpu["tcpip"]) - total(cpu["lfp"])


def rounding(printed, computed):
    """Tells how a printed value came from the computed one: exact, rounded, cut, or different."""
    digits = len(printed.partition(".")[2])
    if abs(float(printed) - computed) < 1e-9:
        return "exact"
    if float(f"{computed:.{digits}f}") == float(printed):
        return "rounded"
    if float(f"{int(computed * 10 ** digits) / 10 ** digits:.{digits}f}") == float(printed):
        return "cut"
    return "different"


def cpu_ms_per_mb(way, side):
    """Returns CPU milliseconds for a MB of FTP, if the slide's percent are of one processor (an assumption)."""
    cell = FTP[way][side]
    return total(cell) * 10 / cell["rate"]
