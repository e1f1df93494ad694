# SPDX-License-Identifier: Apache-2.0
# listed.awk - prints listed differences that no check has shown
#
#	awk -v tiers="T T" -v topics="T T" -f listed.awk differences SHOWN
#
# SHOWN has lines "NR TIER". Prints only lines of topics and tiers that ran.

FNR == 1 { file++ }
file == 1 && /^tiers: / { of = substr($0, 8) }
file == 1 && /^check: / {
	rest = substr($0, 8)
	nr++
	if (!index(" " topics " ", " " substr(rest, 1, index(rest, ": ") - 1) " "))
		next
	count = split(of, list, " ")
	for (i = 1; i <= count; i++)
		if (index(" " tiers " ", " " list[i] " "))
			missing[nr " " list[i]] = rest ", " list[i]
}
file == 2 { delete missing[$0] }
END { for (m in missing) print missing[m] }
