#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# zdev check: every published figure, the errors of wrong figures and tables, closed forms, measured values
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

zdev=${O_SAN:-$O}/bin/zdev
check_with() { "$zdev" check "$@" >"$work/out" 2>"$work/err"; }
figures() { # without measured values: TABLE ROW...
	local words=()
	while [[ ${1-} == -* ]]; do words+=("$1") && shift; done
	check_with --measured= "${words[@]}" ${1:+"--table=$1"} "${@:2}"
}
says() { grep -qE -- "$1" "$work/out"; }
complains() { grep -qF -- "$1" "$work/err"; }
table=$top/zdev/devices.tsv

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
replays = [line for line in rows if re.search(" (replay|fit) ", line) and line.endswith(" passed")]
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

check_exit 64 "an unknown row" figures "$table" FX-999
check "is named" complains "has no row 'FX-999'"
check_exit 64 "an unknown form" figures --format=xml "$table"
check_exit 69 "a table that is not there" figures "$work/none.tsv"
check "is named" complains "VLFZ092E Cannot open $work/none.tsv: No such file"
sed '5s/	[^	]*$//' "$table" >"$work/short.tsv"
check_exit 78 "a row with too few cells" figures "$work/short.tsv"
check "is named" complains "$work/short.tsv:5: 11 cells instead of 12"
check_exit 1 "no room for the output" eval "'$zdev' check -q '--table=$table' --measured= FX-032 >/dev/full 2>'$work/err'"
check "says so" complains "VLFZ022E"

# How a row came about: each word is that of the row's class and model.
check_exit 0 "the rows of one paper" figures -q "$table" TN LFP
check "are all of it, in the table's order" cmp -s <(cut -f1 "$table" | grep -E '^(LFP|TN)-') <(grep -oE '^(LFP|TN|MQ|FX|ZI)-[^ ]*' "$work/out")
check "a row that a parameter comes from is a fit" says '^LFP-01 .* fit +passed$'
check "a ratio of published values is arithmetic" says '^LFP-03 .* arithmetic +passed$'
check_exit 64 "first letters of no row" figures "$table" LF
check_exit 64 "an empty row" figures "$table" ''
check_exit 0 "a law of other rows" figures -q "$table" MQ
check "is a replay" says '^MQ-104H .* replay +passed$'
check "a row that cannot hold is a contradiction" says '^MQ-201O .* contradiction +cannot hold$'

# Measured values stand apart from the model, and only a setting that differs fails.
head=$'id\twhat\tpublished\there\tverdict\tjudged'
measured() { # ROWS: LFP-19 and what follows them
	printf '# a comment\n%s\n%b' "$head" "$1" >"$work/measured.tsv"
	check_with -q "--table=$table" "--measured=$work/measured.tsv" "${@:2}"
}
check_exit 0 "a setting that is as published" measured 'LFP-19\tMTU\t8192\t8192\tas shown\tsame\n' LFP-19 LFP-20
check "passes by a run" says '^LFP-19 .* run +passed$'
check "its value is shown" says '^ +measured here: MTU: 8192 \(published 8192\): as shown$'
check "a row without one is skipped" says '^LFP-20 .* skipped$'
check "and counted" says '^1 passed, 0 failed, 1 skipped$'
check "as measured" says '1 are as lfp-workload has measured them'
check_exit 1 "a setting that differs" measured 'LFP-19\tMTU\t8192\t9000\tdifferent\tdifferent\n' LFP-19
check "fails" says '^LFP-19 .*FAILED$'
check "for a reason" says 'measured 9000, not 8192'
check_exit 1 "one of two that differs" measured 'LFP-19\tMTU\t1\t1\tas shown\tsame\nLFP-19\tMTU\t1\t2\tdifferent\tdifferent\n' LFP-19
check_exit 0 "a rate of this machine" measured 'LFP-01\trate\t19 MB/s\t7 MB/s\tmeasured on another machine\tshown\n' LFP-01
check "does not touch the model" says '^LFP-01 .* 19 +18.9981 .* fit +passed$'
check "and stands beside it" says 'measured here: rate: 7 MB/s \(published 19 MB/s\)'
check_exit 0 "a rate alone passes nothing" measured 'LFP-19\tMTU\t8192\t9\tx\tshown\n' LFP-19
check "it is skipped" says '^LFP-19 .* skipped$'
check_exit 0 "a contradiction of the paper" measured 'MQ-309\taddress\t1\t2\tdifferent\tdifferent\n' MQ-309
check "stays one" says '^MQ-309 .* contradiction +cannot hold$'
check_exit 0 "as a table" measured 'LFP-19\tMTU|x\t8192\t8192\tas shown\tsame\n' LFP-19 LFP-20 --format=markdown
check "has a column for it" says '^\| LFP-19 \| .* \| run \| passed.* \| MTU\\\|x: 8192: as shown \|$'
check "that other rows leave empty" says '^\| LFP-20 \| .* \|  \|$'
wrong_measured() { # TEXT PATTERN ROWS
	check_exit 78 "$1" measured "$3" LFP-19
	check "is named" complains "$2"
}
wrong_measured "a measured row with too few cells" "measured.tsv:3: 5 cells instead of 6" 'LFP-19\tMTU\t8192\t8192\tsame\n'
wrong_measured "an unknown judgement" "measured.tsv:3: 'good' is not same, different or shown" 'LFP-19\tMTU\t8192\t8192\tx\tgood\n'
head=$'id\tWHAT\tpublished\there\tverdict\tjudged' wrong_measured "another head" "measured.tsv:2: column 2 is 'WHAT', not 'what'" ''
wrong_measured "an escape sequence" "measured.tsv:3:9: a control character, 0x1b" 'LFP-19\tM\x1b[31mTU\t8192\t8192\tx\tsame\n'
wrong_measured "an escape sequence of one character" "measured.tsv:3:10: a control character, 0x9b" 'LFP-19\tM\xc2\x9b31mTU\t8192\t8192\tx\tsame\n'
wrong_measured "a NUL" "measured.tsv:4:2: a control character, 0x00" 'LFP-19\tMTU\t8192\t8192\tx\tsame\nM\x00Q\n'
wrong_measured "CR and LF behind a line" "measured.tsv:3:28: a control character, 0x0d" 'LFP-19\tMTU\t8192\t8192\tx\tsame\r\n'
wrong_measured "a value of no row" "measured.tsv:4: no published row 'LFP-99'" 'LFP-19\tMTU\t1\t1\tx\tsame\nLFP-99\tMTU\t1\t2\tx\tdifferent\n'
wrong_measured "a value without a row" "measured.tsv:3: no published row ''" '\tMTU\t1\t2\tx\tdifferent\n'
sed '/^LFP-02\t/d' "$table" >"$work/less.tsv"
check_exit 0 "a table of less rows than the package's own measured values" check_with -q "--table=$work/less.tsv" LFP-19
: >"$work/empty.tsv"
check_exit 78 "measured values without a head" check_with -q "--table=$table" "--measured=$work/empty.tsv" LFP-19
check "say so" complains "VLFZ093E $work/empty.tsv: no line names the columns."
sed '3s/MB/\x7f/' "$table" >"$work/control.tsv"
check_exit 78 "a control character in the published figures" figures "$work/control.tsv" LFP-19
check "is named" complains "$work/control.tsv:3:34: a control character, 0x7f"
check_exit 69 "no measured values" check_with -q "--table=$table" "--measured=$work/none.tsv"
check "are named" complains "Cannot open $work/none.tsv"

# The tables that are installed, found beside the program, in the order of the tree's own. Papers of workloads: no row of class C or
# of any other class is skipped but for what is not here.
mkdir -p "$work/prefix/bin" "$work/prefix/share"
cp "$zdev" "$work/prefix/bin/zdev" && ln -s "$top/zdev" "$work/prefix/share/zdev"
zdev=$work/prefix/bin/zdev check_exit 0 "LFP, MQ and TN with the measured values of the tree" check_with -q LFP MQ TN
check "are 75 rows" test "$(grep -cE '^(LFP|MQ|TN)-' "$work/out")" = "$(cut -f1 "$table" | grep -cE '^(LFP|MQ|TN)-')"
check_eq "$(grep -oE '^(LFP|MQ|TN)-[^ ]+ .* skipped$' "$work/out" | cut -d' ' -f1 | tr '\n' ' ')" "LFP-25 MQ-301 " "two are skipped"
check "each for a reason" eval '[ "$(grep -A 2 -E "^(LFP-25|MQ-301) " "$work/out" | grep -cE "^ +(versions of other programs|processors of the measured system)")" = 2 ]'
check "settings are from a run" eval '[ "$(grep -cE "^(LFP-(19|20|21|23|24|26)|MQ-30[78]) .* run +passed$" "$work/out")" = 8 ]'
check "rows that the papers contradict themselves" eval '[ "$(grep -cE " contradiction +cannot hold$" "$work/out")" = "$(awk -F"\t" "/^(LFP|MQ|TN)/ && \$9 == \"X\"" "$table" | wc -l)" ]'
# "make devices" alone has them, too.
make -n -C "$top" O="$work/alone" devices >"$work/out" 2>&1
check "make devices links the tables beside the program" says "ln -sfn $top/zdev $work/alone/share/zdev$"
mkdir -p "$work/alone/bin" && cp "$work/prefix/bin/zdev" "$work/alone/bin"
check_exit 0 "the link" make -s -C "$top" O="$work/alone" "$work/alone/share/zdev"
zdev=$work/alone/bin/zdev check_exit 0 "and zdev check finds them there" check_with -q LFP-19
check "the measured values name their machine" grep -qE '^# .* Linux [0-9]' "$top/zdev/measured.tsv"
finish
