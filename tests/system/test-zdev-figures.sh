#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/figures: every published figure, the errors of wrong figures and tables, and closed forms
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

figures() { "${O_SAN:-$O}/tests/figures/figures" "$@" >"$work/out" 2>"$work/err"; }
says() { grep -qE -- "$1" "$work/out"; }
complains() { grep -qF -- "$1" "$work/err"; }
table=$top/tests/figures/devices.tsv

check_exit 0 "the limits agree with the published text" python3 "$top/tests/system/published.py" limits "$table"
check_exit 0 "the model has no value that is to come out of it" \
	sh -c "cd '$top' && python3 tests/system/published.py constants '$table'"

# The check finds a value of the model that was typed in.
mkdir -p "$work/tree/devemu/fabric"
echo 'static const int rate = 302000;' >"$work/tree/devemu/fabric/fast.c"
check_exit 1 "a constant that is a published value" \
	sh -c "cd '$work/tree' && python3 '$top/tests/system/published.py' constants '$table' >'$work/out'"
check "is named" says 'fast.c:1: 302000 is a published value of FX-001'
# However it is written, and only if it is that.
for number in 302e3 3.02e5 302000u 302000UL 302000.0f 302000. 0x49bb0 0X49BB0LL 0x1.26ecp18 01115660 0b1001001101110110000; do
	echo "static const double rate = -$number;" >"$work/tree/devemu/fabric/fast.c"
	check_exit 1 "the same as $number" \
		sh -c "cd '$work/tree' && python3 '$top/tests/system/published.py' constants '$table' >'$work/out'"
	check "is named" says "fast.c:1: $number is a published value of FX-001"
done
echo 'int x302000 = 302e4 + 302001 + a.302000 + 0x302000 + 302000x; /* 302000 */ char *s = "302000";' >"$work/tree/devemu/fabric/fast.c"
check_exit 0 "other numbers, and words" \
	sh -c "cd '$work/tree' && python3 '$top/tests/system/published.py' constants '$table' >'$work/out'"
sed 's/rate=302000~1%/rate=302000~5%/' "$table" >"$work/loose.tsv"
check_exit 1 "a tolerance wider than the published one" \
	sh -c "python3 '$top/tests/system/published.py' limits '$work/loose.tsv' >'$work/out'"
check "is named" says '^FX-001: rate=302000~5%'

check_exit 0 "all published figures" figures -q "$table"
check "all 188 rows are there" test "$(grep -cE '^(LFP|MQ|ZI|FX|TN)-' "$work/out")" = 188
check "in the table's order" cmp -s <(sed 1d "$table" | cut -f1) <(grep -oE '^(LFP|MQ|ZI|FX|TN)-[^ ]*' "$work/out")
check "the last line has the counts" \
	sh -c "tail -n 1 '$work/out' | grep -qxE '[0-9]+ passed, 0 failed, [0-9]+ skipped'"
check "which are of all rows" python3 -c 'import re, sys
text = open(sys.argv[1]).read()
passed, failed, skipped = map(int, re.findall(r"(\d+) (?:passed|failed|skipped)", text.splitlines()[-1]))
assert passed + failed + skipped == 188
rows = [line for line in text.splitlines() if re.match(r"(LFP|MQ|ZI|FX|TN)-", line)]
assert sum(line.endswith(" passed") for line in rows) == passed
replays = [line for line in rows if " replay " in line and line.endswith(" passed")]
assert len(replays) == int(re.search(r"and (\d+) only replay the published values", text, re.M).group(1))
assert all(line[:2] in ("LF", "MQ", "ZI", "TN") for line in replays)' "$work/out"
check "a row that cannot hold has its reason" says '^FX-029 .*cannot hold$'
check "and why" says '720 credits let no more than 720 frames pass'
cp "$work/out" "$work/all"
for class in R 'R*' F; do
	awk -F'\t' -v c="$class" '$9 == c && /^FX/ { print $1 }' "$table"
done >"$work/structure"
check "rows of class R, R* and F of the FICON paper are of events" python3 -c 'import sys
rows = {line.split()[0]: line for line in open(sys.argv[1]) if line.startswith("FX-")}
wanted = [line.strip() for line in open(sys.argv[2])]
assert len(wanted) > 50
not_run = [w for w in wanted if " events" not in rows[w]]
assert not not_run, not_run' "$work/all" "$work/structure"

check_exit 0 "one row" figures -q "$table" FX-032
check "is one" test "$(grep -c '^FX-' "$work/out")" = 1
mkdir -p "$work/scenarios"
cp "$top"/zdev/scenarios/*.zdev "$work/scenarios"
sed 's/bytes=1083~0/bytes=1084~0/; s/ratio=3\.7~0\.1/ratio=3.7~0.01/' "$table" >"$work/wrong.tsv"
check_exit 1 "a figure that does not come out" figures -q "$work/wrong.tsv" FX-032 FX-033 LFP-03
check "has failed" says '^FX-032 .*FAILED$'
check "alone" says '^FX-033 .* passed$'
check "and so has one by arithmetic" says '^LFP-03 .*FAILED$'
check "counted" says '^1 passed, 2 failed, 0 skipped$'
rm "$work/scenarios/distance.zdev"
check_exit 1 "a scenario that is not there" figures -q "$work/wrong.tsv" FX-033
check "is named" says 'scenarios/distance.zdev: No such file'
check_exit 0 "closed forms" figures -q --analytic "$table" FX-001 FX-032 FX-041
check "say so on their lines" says '^FX-001 .*closed form +passed$'
check "without a closed form, it is a run" says '^FX-041 .*events +passed$'
check_exit 0 "as a table" figures -q --format=markdown "$table" FX-032
check "has a line for the row" says '^\| FX-032 \| 003 \| .* \| events \| passed \|$'

check_exit 64 "no table" figures
check_exit 64 "an unknown row" figures "$table" FX-999
check "is named" complains "has no row 'FX-999'"
check_exit 64 "an unknown form" figures --format=xml "$table"
check_exit 69 "a table that is not there" figures "$work/none.tsv"
check "is named" complains "$work/none.tsv cannot be opened"
sed '5s/	[^	]*$//' "$table" >"$work/short.tsv"
check_exit 78 "a row with too few cells" figures "$work/short.tsv"
check "is named" complains "$work/short.tsv:5: 11 cells instead of 12"
check_exit 1 "no room for the output" eval "'${O_SAN:-$O}/tests/figures/figures' -q '$table' FX-032 >/dev/full 2>'$work/err'"
finish
