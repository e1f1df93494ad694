# SPDX-License-Identifier: Apache-2.0
# compare.awk - compares the trace of a topic in a tier with the native one, and with the listed
# differences
#
#	awk -v topic=T -v tier=T -f compare.awk differences T.native T.TIER
#
# The text before " -> " is the name of a check. A check missing from a trace has the answer "(nothing)".

function key(line) { return match(line, / -> /) ? substr(line, 1, RSTART - 1) : line }
function answer(line) { return match(line, / -> /) ? substr(line, RSTART + 4) : "(a line)" }

# "*" stands for anything, all else for itself.
function matches(name, pattern) {
	gsub(/[][\\.^$()|{}+?\/]/, "\\\\&", pattern)
	gsub(/\*/, ".*", pattern)
	return name ~ ("^" pattern "$")
}

# The number of the check line in the list that covers this, else 0.
function listed(name, got,    i) {
	for (i = 1; i <= nr; i++)
		if (check_topic[i] == topic && index(" " check_tiers[i] " ", " " tier " ") &&
		    matches(name, check_name[i]) && (check_answer[i] == "" || check_answer[i] == got))
			return i
	return 0
}

FNR == 1 { file++ }
file == 1 && /^tiers: / { tiers = substr($0, 8) }
file == 1 && /^answer: / { wanted = substr($0, 9) }
file == 1 && /^$/ { wanted = "" }
file == 1 && /^check: / {
	rest = substr($0, 8)
	nr++
	check_topic[nr] = substr(rest, 1, index(rest, ": ") - 1)
	check_name[nr] = substr(rest, index(rest, ": ") + 2)
	check_tiers[nr] = tiers
	check_answer[nr] = wanted
}
file == 2 { native[key($0)] = answer($0); order[++lines] = key($0) }
file == 3 {
	if (!(key($0) in native) && !(key($0) in got))
		order[++lines] = key($0)
	got[key($0)] = answer($0)
}
END {
	for (i = 1; i <= lines; i++) {
		name = order[i]
		a = name in native ? native[name] : "(nothing)"
		b = name in got ? got[name] : "(nothing)"
		if (a == b) {
			equal++
			continue
		}
		at = listed(name, b)
		if (at)
			covered++
		else
			differ++
		printf "%s%s | native: %s | %s: %s\n", at ? "listed " at " " : "DIFFERS ", name, a, tier, b
	}
	print "counts", equal + 0, covered + 0, differ + 0
}
