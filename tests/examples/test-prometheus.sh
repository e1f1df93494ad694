#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/prometheus: promtool accepts alerts and dashboard, and an lfpd has the metrics that they name
# Time limit: 100 s
. "$(dirname "$0")/../system/lib.sh"
PATH=$PATH:/usr/sbin
needs promtool python3 curl
cp "$top/examples/prometheus"/* "$work/" && cd "$work" || exit 1

check "the configuration" into out promtool check config prometheus.yml || cat out
check "the alerts" into out promtool check rules alerts.yml || cat out
check "their tests" into out promtool test rules alerts-test.yml || cat out

# The expressions of the dashboard, as rules
cat >expressions.py <<'END'
import json
print(json.dumps({"groups": [{"name": "dashboard", "rules": [
    {"record": f"panel{p['id']}:{t['refId']}", "expr": t["expr"].replace("$host", ".*")}
    for p in json.load(open("dashboard.json"))["panels"] for t in p["targets"]]}]}))
END
python3 expressions.py >dashboard-rules.yml
check "the dashboard's expressions" into out promtool check rules dashboard-rules.yml || cat out
check_eq "$(python3 -c 'import json; print(json.load(open("hosts.json"))[0]["labels"]["site"])')" one "the list of hosts"

lfpd_conf LINR02 METRICS_LISTEN=127.0.0.1:9103
lfpd_start LINR02
curl -q -s --noproxy '*' --max-time 20 http://127.0.0.1:9103/metrics >metrics
sed -n 's/^\(lfpd_[a-z_]*\)[{ ].*/\1/p' metrics | sort -u >real
grep -ohE '\blfpd_[a-z_]+' alerts.yml dashboard.json | sort -u >named
check "they name metrics" [ "$(wc -l <named)" -ge 10 ]
check_eq "$(comm -23 named real)" "" "lfpd has them all"
for label in result direction what; do
	check "lfpd has the label $label" grep -q "[{,]$label=\"" metrics
done
finish
