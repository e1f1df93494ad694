#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# iperf3 on LFP as server and as client: both directions, 4 streams, IPv6
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs iperf3 python3

# asked COMMAND...: its report; a server that has not yet done with the client before is asked again
asked() {
	timeout 120 "$@" >"$work/report" 2>&1
	rc=$?
	! grep -q 'the server is busy' "$work/report"
}
# transfer TEXT PREFIX... iperf3 OPTION...: ends well, and what was received is what was sent, but for
# what is under way when the sender stops
transfer() {
	local text=$1 rc
	shift
	wait_for 60 asked "$@" -n 100M --json
	check_eq $rc 0 "$text: exit" || { head -n 20 "$work/report"; return; }
	check "$text: bytes" python3 -c '
import json, sys
end = json.load(open(sys.argv[1]))["end"]
sent, received = end["sum_sent"]["bytes"], end["sum_received"]["bytes"]
print(sent, "bytes sent,", received, "received", round(end["sum_received"]["bits_per_second"] / 1e9, 1), "Gbit/s")
sys.exit(not (sent >= 99e6 and sent * 0.5 <= received <= sent))' "$work/report"
}

lfp_up
background_on_lfp server-lfp iperf3 -s -p 5201
server=$!
background server-native iperf3 -s -p 5202
wait_listen 5201 && wait_listen 5202 || die "iperf3 does not listen"
for options in '' -R '-P 4' '-P 4 -R' -6; do
	address=127.0.0.1
	[ "$options" != -6 ] || address=::1
	# shellcheck disable=SC2086
	transfer "server on LFP $options" iperf3 -p 5201 -c $address $options
	# shellcheck disable=SC2086
	transfer "client on LFP $options" "${lfp_prefix[@]}" iperf3 -p 5202 -c $address $options
done
check "iperf3 ends when it is told" stop_pid $server
finish
