# SPDX-License-Identifier: Apache-2.0
"""The displays of HiperSockets as a network device from a run, and the verdicts of the paper's rows about them."""

import re


def text(shown):
    """Returns the lines about the route hsi."""
    counters, carried = shown["counters"], shown["carried"]
    lines = ["", "HIPERSOCKETS AS A NETWORK DEVICE, as its operators see it after this run", "", *shown["netstat"], "", *shown["sockets"], "",
             *shown["ifconfig"], "", "COUNTERS that have to agree", ""]
    for when, of in (("after the first cell", shown["first"]), ("in the end", shown)):
        lines += [f"{when}: {what}: {'the same' if holds else 'DIFFERENT'}" for what, holds in of["same"].items()]
        if carried and of["sent_again"]:
            lines.append(f"{when}: the queue manager's own bytes: not compared, as TCP has sent {of['sent_again']} segments again")
    if carried:
        lines.append(f"z/VSE's queue manager: {carried['sent']} bytes sent, {carried['received']} received")
    lines.append("lost for lack of a buffer: "
                 f"{counters['zos']['discarded_out']} packets by z/OS, {counters['linux']['discarded_out']} by Linux")
    return lines + ["", "CONTRADICTIONS of the paper's definitions", "", *shown["warnings"]]


def found(pattern, lines):
    match = re.search(pattern, "\n".join(lines), re.M)
    return match[1] if match else "-"


def packet(counters, way):
    return f"{counters[f'bytes_{way}'] / counters[f'packets_{way}']:.0f} bytes a packet" if counters[f"packets_{way}"] else "-"


def verdicts(shown):
    """Yields (id, published, -, here, -, verdict) of the rows MQ-301 to MQ-309; shown is None without the route hsi."""
    def row(name, published, here, verdict):
        same = "the same" if here == published else verdict
        return name, published, "-", here if shown else "-", "-", same if shown else "not measured"

    yield "MQ-301 engines", "16 / ~7 % ; 1", "-", "-", "-", "of the measured system, which is not emulated"
    if shown:
        netstat, ifconfig, zos, linux = shown["netstat"], shown["ifconfig"], shown["counters"]["zos"], shown["counters"]["linux"]
        device = (found(r"ActMtu: (\d+)", netstat), found(r"MTU Size: (\d+)", netstat), found(r"mtu (\d+)", shown["routes"]),
                  found(r"ReadStorage: GLOBAL \((\w+)\)", netstat))
        settings = (found(r"MTU:(\d+)", ifconfig), found(r"txqueuelen:(\d+)", ifconfig), found(r"Mask:(\S+)", ifconfig))
        listens = found(r"Listen\n *Local Socket: \S+?\.\.(\d+)$", shown["sockets"])
        peer = found(r"Foreign Socket: (?:::ffff:)?10\.1\.2\.2\.\.(1414)$", shown["sockets"])
        clash = found(r"HOME gives (\S+) to link GE1, and Linux has it", shown["warnings"])
    else:
        zos = linux = dict.fromkeys(("bytes_in", "packets_in", "bytes_out", "packets_out"), 0)
        device, settings, listens, peer, clash = ("-",) * 4, ("-",) * 3, "-", "-", "-"
    yield row("MQ-302 ActMtu, BSD MTU, route's MTU, ReadStorage", "57344 / 65535 / 8192 / 8064K", " / ".join(device), "DIFFERENT")
    contradiction = "contradiction: more than the route's MTU of 8192"
    yield row("MQ-303 BytesIn", "12316 bytes a packet", packet(zos, "in"), contradiction)
    yield row("MQ-304 BytesOut", "11781 bytes a packet", packet(zos, "out"), contradiction)
    yield row("MQ-305 hsi0 RX", "1076 bytes a packet", packet(linux, "in"), "counters of other work")
    yield row("MQ-306 hsi0 TX", "1204 bytes a packet", packet(linux, "out"), "counters of other work")
    yield row("MQ-307 hsi0 MTU, txqueuelen, mask", "8192 / 1000 / 255.255.255.240", " / ".join(settings), "DIFFERENT")
    yield row("MQ-308 ports of Linux and z/OS", "1414 / 2424", f"{peer} / {listens}", "DIFFERENT")
    yield row("MQ-309 address of GE1", "9.20.122.97", clash, "DIFFERENT")[:5] + (
        "contradiction: Linux has this address" if shown else "not measured",)
