# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# iperf3.sh - for tests of iperf3, after lib.sh: waits until a server has finished with its previous
# client
#
# A server has a new listener for each client. While the previous client is active, another one learns that the
# server is busy; a little later it closes the old listener, with its waiting connections, and until the next one
# exists no connection is accepted.

declare -A used=() # port -> the number of the listener that a client has used

# listener PORT: its number
listener() { awk -v port="$(printf ':%04X$' "$1")" '$4 == "0A" && $2 ~ port { print $10 }' /proc/net/tcp /proc/net/tcp6; }

# fresh PORT: is there a listener that no client has used?
fresh() {
	local now
	now=$(listener "$1")
	[ -n "$now" ] && [ "$now" != "${used[$1]:-}" ]
}

# ask PORT COMMAND...: a client of the server at this port, as soon as that has time; its report
ask() {
	local port=$1
	shift
	wait_for 60 fresh "$port" || { echo "the server is not there again" >"$work/report"; return 1; }
	used[$port]=$(listener "$port")
	timeout 120 "$@" >"$work/report" 2>&1
}
