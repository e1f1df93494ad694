# SPDX-License-Identifier: Apache-2.0
"""Print the rules that a log of connections needs: a line for each peer, "default deny" last. For a person to edit.

    python3 learn.py LOG       of lfp-run --log, or of CONNECTION_LOG
"""
import ipaddress
import json
import sys

# A rule by name does not allow these: lfpd-policy(5).
PRIVATE = [ipaddress.ip_network(n) for n in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "224.0.0.0/3",
    "::/127", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8")]


def is_private(address):
    ip = ipaddress.ip_address(address)
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return any(ip in network for network in PRIVATE if network.version == ip.version)


rules = {}
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    event, protocol, name = record["event"], record.get("protocol"), record.get("name")
    if event in ("connect", "send") and record.get("direction") == "out":
        address = record["address"]
        if name and is_private(address):
            rules.setdefault(f"allow lookup {name}", set()).add(record["program"])
            name = None
        peer = name or (f"[{address}]" if ":" in address else address)
        # sni tells servers with one address apart.
        sni = " sni" if name and protocol == "tcp" and record["port"] == 443 else ""
        rule = f"allow connect {protocol} {peer}:{record['port']}{sni}"
    elif event == "listen" or event == "bind" and protocol == "udp" and record["local_port"]:
        rule = f"allow listen {protocol} any:{record['local_port']}"
    else:
        continue
    rules.setdefault(rule, set()).add(record["program"])
for rule, programs in sorted(rules.items()):
    print(f"{rule:60} # {', '.join(sorted(programs))}")
print("default deny")
