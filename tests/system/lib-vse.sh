# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-vse.sh - for tests of the z/VSE socket interfaces, after lib.sh: programs on an instance that runs

# vse_program VARIABLE=VALUE PROGRAM ARG...: run the program with no network but LFP's
vse_program() {
	env "$1" timeout 200 "${empty_net[@]}" "${@:2}"
}

# good TEXT PROGRAM ARG...: check that the program ends well and reports no failure
good() {
	local text=$1
	shift
	into "$work/said" "$@"
	check_eq "$?$(grep -v ' passed' "$work/said" | head -n 20)" 0 "$text"
}

# vse_keys: statements of the instance that the test needs
# shellcheck disable=SC2086
lfp_up ${vse_keys:-}
# Families of addresses for programs: 4, and 6 if the loopback has it.
families=(4)
if ip -6 addr show dev lo 2>/dev/null | grep -q ::1; then
	families+=(6)
else
	skip_part "no IPv6 on the loopback"
fi
