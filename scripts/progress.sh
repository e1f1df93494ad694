# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Progress of a command that writes a log; for sh and bash.

# tell_progress LOG PATTERN TOTAL WHAT: print every PROGRESS_SECONDS how many lines of the log match, until the caller ends.
# Run it in the background, and kill it when the command has ended.
tell_progress() {
	began=$(date +%s)
	# The sleep keeps no output open: a reader of the caller's output would wait for it.
	while sleep "${PROGRESS_SECONDS:-10}" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
		so_far=$(grep -cE "$2" "$1" 2>/dev/null)
		[ "${so_far:-0}" -le "$3" ] || so_far=$3
		printf '   %s: %d of %d after %d s\n' "$4" "${so_far:-0}" "$3" $(($(date +%s) - began))
	done
}
