#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# zdev plot -p: published values beside those of the runs
. "$(dirname "$0")/lib.sh"
needs python3

# IBM's points, as the table of published values has them
cat >"$work/published.py" <<'EOF'
import csv, re, sys
table, points = sys.argv[1:]
values = {row["id"]: row["value"] for row in csv.DictReader(open(table), delimiter="\t", quoting=csv.QUOTE_NONE)}
rows = [line.rstrip("\n").split("\t") for line in open(points) if not line.startswith("#")]
for figure, series, x, y, origin in rows:
    found = float(re.search(r"[0-9][0-9,.]*", values[origin]).group().replace(",", ""))
    assert float(y) in (found, found * 1000), (figure, y, origin, values[origin])  # ms in microseconds
print(len(rows))
EOF
check_eq "$(python3 "$work/published.py" "$top/zdev/devices.tsv" "$top/zdev/published.tsv")" 11 "published values have their origin"
for figure in iops mbs mix response distance; do
	check "$figure with them" "$bin/zdev" plot $figure -p "$top/zdev/published.tsv" -o "$work/$figure.svg"
	check "has diamonds" test "$(grep -c 'class="published"' "$work/$figure.svg")" = "$(($(grep -c "^$figure" "$top/zdev/published.tsv") + 1))"
done
printf 'iops\tzHPF\t5K\t1\tX\n' >"$work/wrong.tsv"
check_exit 1 "a wrong line" into "$work/said" "$bin/zdev" plot iops -p "$work/wrong.tsv"
check "is named with its reason" grep -q 'VLFZ091E .*wrong.tsv:1: the figure has no such category' "$work/said"
finish
