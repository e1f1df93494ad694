#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# iperf3 on LFP as server and as client: both directions, 4 streams, IPv6
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/iperf3.sh"
needs iperf3 python3

# transfer TEXT PORT PREFIX... iperf3 OPTION...: ends well, and what was received is what was sent, but for
# what is under way when the sender stops
transfer() {
	local text=$1 port=$2
	shift 2
	ask "$port" "$@" -p "$port" -n 100M --json
	check_eq $? 0 "$text: exit" || { head -n 20 "$work/report"; return; }
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
	transfer "server on LFP $options" 5201 iperf3 -c $address $options
	# shellcheck disable=SC2086
	transfer "client on LFP $options" 5202 "${lfp_prefix[@]}" iperf3 -c $address $options
done
check "iperf3 ends when it is told" stop_pid $server
finish
