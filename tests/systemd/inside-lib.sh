# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# inside-lib.sh - for the scripts that a booted systemd runs; they source it as /out/inside-lib.sh on their first line
#
# Output goes to /out/log. When the script ends, its counts are the last line, and the booted system ends.

set -u
exec >/out/log 2>&1
# shellcheck source=tests/checks.sh
. /out/checks.sh

# wait_for COMMAND...: until it ends with 0, for a minute
wait_for() {
	local end=$((SECONDS + 60))
	until "$@" 2>/dev/null; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# what_they_said: the last words of the daemons and of the programs, after a failure; a script may have more
what_they_said() { :; }

at_end() {
	[ "$failed" = 0 ] || what_they_said
	counts
	systemctl exit $?
}
trap at_end EXIT
