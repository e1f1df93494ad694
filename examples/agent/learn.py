# SPDX-License-Identifier: Apache-2.0
"""Print the rules that a log of connections needs: a line for each peer, "default deny" last. For a person to edit.

    python3 learn.py LOG       of lfp-run --log, or of CONNECTION_LOG
"""
import json
import sys

rules = {}
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    event, protocol, name = record["event"], record.get("protocol"), record.get("name")
    if event in ("connect", "send") and record.get("direction") == "out":
        address = record["address"]
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
