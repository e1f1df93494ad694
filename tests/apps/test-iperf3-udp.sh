#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# iperf3 -u on LFP as server and as client: both directions, large datagrams, 4 streams, IPv6
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/iperf3.sh"
needs iperf3 python3

# counted: all is sent, and what arrives is counted; 3: more than half is lost
counted() {
	python3 -c '
import json, sys
end = json.load(open(sys.argv[1]))["end"]["sum"]
print(end["packets"], "datagrams,", end["lost_packets"], "lost,", end["bytes"], "bytes")
if not (end["bytes"] >= 1e6 and 0 <= end["lost_packets"] <= end["packets"]):
    sys.exit(1)
sys.exit(3 if end["lost_packets"] > end["packets"] * 0.5 else 0)' "$work/report"
}
# transfer TEXT PORT PREFIX... iperf3 OPTION...: a busy machine loses some datagrams, as natively; if it loses more than
# half, the test sends the same again, at most four times.
transfer() {
	local text=$1 port=$2 rc counted=3 more=5
	shift 2
	while [ $counted = 3 ] && [ $((more--)) -gt 0 ]; do
		ask "$port" "$@" -p "$port" -u -b 20M -n 1M --json
		rc=$?
		[ $rc = 0 ] || break
		counted
		counted=$?
	done
	check_eq $rc 0 "$text: exit" || { head -n 20 "$work/report"; return; }
	check_eq $counted 0 "$text: datagrams"
}

lfp_up
background_on_lfp server-lfp iperf3 -s -p 5201
server=$!
background server-native iperf3 -s -p 5202
wait_listen 5201 && wait_listen 5202 || die "iperf3 does not listen"
for options in '' -R '-l 16000' '-P 4' '-P 4 -R' -6; do
	address=127.0.0.1
	[ "$options" != -6 ] || address=::1
	# shellcheck disable=SC2086
	transfer "server on LFP $options" 5201 iperf3 -c $address $options
	# shellcheck disable=SC2086
	transfer "client on LFP $options" 5202 "${lfp_prefix[@]}" iperf3 -c $address $options
done
check "iperf3 ends when it is told" stop_pid $server
finish
