# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-rules.sh - for tests of rules, after lib.sh: acts of one program under lfp-run --private, and their results
#
# The test writes $work/do.py, a program that prints the result of each of its arguments, which are expressions.

# acts TEXT LFP-RUN-OPTION... -- ACT=RESULT...: each in one program
acts() {
	local text=$1 options=() expressions=() results=() act
	shift
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	for act in "$@"; do expressions+=("${act%=*}") && results+=("${act##*=}"); done
	timeout 60 "${on_host[@]}" "$bin/lfp-run" --private "${options[@]}" python3 "$work/do.py" "${expressions[@]}" >"$work/said" 2>"$work/err"
	printf '%s\n' "${results[@]}" >"$work/wanted"
	check "$text" diff "$work/wanted" "$work/said" || { paste -d ' ' <(printf '%s\n' "${expressions[@]}") "$work/said"; cat "$work/err"; }
}
