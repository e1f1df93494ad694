# SPDX-License-Identifier: Apache-2.0
"""A verdict of each published row LFP-01 to LFP-26: from this run, and from what lfpd -n, lfpd-admin -s and INFO show."""

import re

import published
import show

NOT_RUN = "not measured"


def values_of(lines):
    """Reads "KEY = VALUE" and "TITLE ..... : VALUE"; numbers lose their thousands separators."""
    found = {}
    for line in lines:
        match = re.match(r"\s*(.*?)[ .]*[:=]\s*(.*?)\s*$", line)
        if match and match[1]:
            found.setdefault(match[1], re.sub(r"(?<=\d),(?=\d{3})", "", match[2]))
    return found


def verdicts(results, compared):
    """Yields (id, text, published, here, verdict). A ratio or a saving is reached if it is at least the published one."""
    ftp = {row["direction"]: row for row in compared["rows"] if row["text"].startswith("FTP")}
    app = {row["direction"]: row for row in compared["rows"] if "(C," in row["text"]}
    app = {way: row if row["tcpip"] or row["lfp"] else next(r for r in compared["rows"] if r["direction"] == way and "(COBOL" in r["text"])
           for way, row in app.items()}

    def of_run(ids, what, wanted, row, side, each=False):
        cell = row[side]
        if not cell:
            return ids, what, wanted, "-", NOT_RUN
        here = f"{show.digits(sum(cell['each']) / 1e6 / len(cell['each']) if each else cell['rate'])} MB/s"
        return ids, what, wanted, here, "measured on another machine"

    def percent(ids, what, wanted, row, side):
        cell = row[side]
        return ids, what, f"{wanted} %", f"{cell['percent']['zvse']:.0f} %" if cell else "-", "measured on another machine" if cell else NOT_RUN

    def goal(ids, what, wanted, here, unit):
        if here is None:
            return ids, what, f"{wanted} {unit}", "-", NOT_RUN
        return ids, what, f"{wanted} {unit}", f"{show.digits(here) if here > 0 else f'{here:.0f}'} {unit}", \
            "no verdict: a quick run" if results["quick"] else "reached" if here >= float(wanted) else "not reached"

    def setting(ids, what, wanted, keys):
        """keys: (which output, key). Each must show the value of wanted at its place."""
        shown = results.get("shown") or {}
        here = [(shown.get(place) or {}).get(key) for place, key in keys]
        if not shown:
            return ids, what, " / ".join(wanted), "-", "no route of LFP was started"
        return ids, what, " / ".join(wanted), " / ".join(value or "not shown" for value in here), \
            "as shown" if here == list(wanted) else "different"

    for base, way, text in ((1, "out", "FTP z/VSE -> Linux"), (7, "in", "FTP Linux -> z/VSE")):
        row, slide = ftp[way], published.FTP[way]
        yield of_run(f"LFP-{base:02}", f"{text}, stack", f"{slide['tcpip']['rate']:.0f} MB/s", row, "tcpip")
        yield of_run(f"LFP-{base + 1:02}", f"{text}, LFP", f"{slide['lfp']['rate']:.0f} MB/s", row, "lfp")
        yield goal(f"LFP-{base + 2:02}", f"{text}, ratio", slide["faster"], row["measured_faster"], "x")
        yield percent(f"LFP-{base + 3:02}", f"{text}, CPU, stack", published.total(slide["tcpip"]), row, "tcpip")
        yield percent(f"LFP-{base + 4:02}", f"{text}, CPU, LFP", published.total(slide["lfp"]), row, "lfp")
        yield goal(f"LFP-{base + 5:02}", f"{text}, CPU, less", slide["less"], row["measured_less"], "%")
    for number, way, side, name in ((13, "out", "tcpip", "stack"), (14, "in", "tcpip", "stack"), (15, "out", "lfp", "LFP"), (16, "in", "lfp", "LFP")):
        yield of_run(f"LFP-{number}", f"socket application, {way}, {name}, each", f"{published.APPLICATION[way][side]} MB/s", app[way], side, True)
    for way in ("out", "in"):
        yield goal("LFP-17", f"socket application, {way}, ratio", published.APPLICATION[way]["faster"], app[way]["measured_faster"], "x")
    for way in ("out", "in"):
        yield goal("LFP-18", f"socket application, {way}, CPU, less", published.APPLICATION["cpu"]["less"], app[way]["measured_less"], "%")
    yield setting("LFP-19", "MTU: lfpd -n, INFO", ("8192", "8192"), (("check", "MTU_SIZE"), ("info", "MTU")))
    yield setting("LFP-20", "message limit: lfpd -n, INFO", ("1024", "1024"), (("check", "IUCV_MSGLIMIT"), ("info", "IUCV MESSAGE LIMIT")))
    yield setting("LFP-21", "buffer space: INFO", ("524288", "4194304"), (("info", "INITIAL BUFFER SPACE"), ("info", "MAXIMUM BUFFER SPACE")))
    yield setting("LFP-22", "window: INFO, lfpd-admin -s", ("65535", "25", "65536", "25% (16384 bytes)"),
                  (("info", "WINDOW SIZE"), ("info", "WINDOW THRESHOLD (PERCENT)"), ("status", "WINDOW_SIZE"), ("status", "WINDOW_THRESHOLD")))
    yield setting("LFP-23", "sockets, buffers, tasks: lfpd-admin -s", ("1024", "128", "512"),
                  (("status", "MAX_SOCKETS"), ("status", "INITIAL_IO_BUFS"), ("status", "MAX_VSE_TASKS")))
    yield setting("LFP-24", "INFO at rest: packets waiting, tasks, sockets", ("0", "0", "0"),
                  (("info", "PACKETS WAITING FOR MSG COMPLETE"), ("info", "ACTIVE TASK COUNT"), ("info", "ACTIVE SOCKET COUNT")))
    yield "LFP-25", "levels of z/VSE, z/VM and Linux", "-", "-", "none: versions of programs that are not here"
    yield setting("LFP-26", "system id of two digits: INFO", ("'01'",), (("info", "LFPB023I INFO ABOUT LFP INSTANCE"),))
