# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-cuts.sh - power cuts of the appliance at random moments; a test that boots it sources this behind lib.sh
#
# The test has appliance_start, appliance_up and appliance_cut, and answers TEXT COMMAND, which asks the appliance.

# power_cuts COUNT MS GENERATION COMMAND...: each time it boots, serves (the command says so) and has the configuration of GENERATION. The moment is
# before a boot is complete, or after: within MS the first time, then within five quarters of the last boot.
# Names of its own, for the callers' functions set "nr" and "i".
power_cuts() {
	local count=$1 last=$2 generation=$3 cut ms before
	shift 3
	for ((cut = 1; cut <= count; cut++)); do
		appliance_cut
		appliance_start
		ms=$(((RANDOM * 32768 + RANDOM) % last))
		read -r -t "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))" -u "$never" _
		appliance_cut
		before=$(now_ms)
		appliance_start
		appliance_up
		last=$((($(now_ms) - before) * 5 / 4))
		check "power cut $cut, after $ms ms: both serve" "$@"
		check "- with the configuration that was there" answers "generation $generation, via.conf of generation $generation" QUERY
	done
}
