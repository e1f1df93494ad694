#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each IPv6 address of each display parses back to its 16 bytes: tables, screens of 40 to 132 columns, JSON, logs, rules, traces
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

whole=2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff
other=2001:db8:aaaa:bbbb:cccc:dddd:eeee:1111   # nobody listens there
refused=2001:db8:aaaa:bbbb:cccc:dddd:eeee:fffe # the rules
mapped=::ffff:10.0.0.1
for address in $whole $other $refused; do ip -6 addr add $address/128 dev lo nodad; done
tool=$here/ipv6-displays.py
python=/usr/bin/python3 # Debian's has pyte
# displays NAME [ADDRESS...] -- COMMAND...: the output has these addresses, and no wrong one
displays() {
	local name=$1 expected=()
	shift
	while [ "$1" != -- ]; do expected+=("$1"); shift; done
	shift
	"$@" >"$work/shown" 2>&1
	check "$name" python3 "$tool" addresses "$work/shown" "${expected[@]}"
}
printf 'deny connect [%s]\ndefault allow\n' $refused >"$work/rules"
lfp_up CONNECTION_LOG="$work/connections.log" POLICY_FILE="$work/rules" VSE_HOSTID6=$whole ALLOW_LOOPBACK=yes METRICS_LISTEN="$work/metrics" \
	PUBLISH="[$whole]:7077:77"
check "a trace with data" into "$work/said" "$bin/lfpd-admin" trace start payload=65536
for at in $whole 10.0.0.1; do background "serve-$at" python3 "$tool" serve "$at"; done
wait_listen_both 7000 || die "no peers: $(cat "$work"/serve-*.log)"
background_on_lfp client python3 "$tool" client $whole $refused $other "$work/ready" "$work/go"
client=$!
wait_for 60 test -e "$work/ready" || die "the client has not done its calls: $(cat "$work/client.log")"

ask() { "$bin/lfpd-admin" -i LINR02 "$@"; }
live=($whole $mapped)
displays "sockets" "${live[@]}" -- ask sockets
displays "sockets as JSON" "${live[@]}" -- ask --json sockets
displays "sockets of all instances, filtered" $whole -- "$bin/lfpd-admin" --filter $whole sockets
displays "sockets without a terminal, watched" "${live[@]}" -- timeout -s INT 3 "$bin/lfpd-admin" -i LINR02 -w --interval 1 sockets
displays "status" $whole -- ask status
displays "status as JSON" $whole -- ask --json status
displays "tasks" -- ask tasks
displays "statistics" -- ask statistics
displays "instances" -- "$bin/lfpd-admin" --interval 0 instances
displays "metrics" -- curl -s --unix-socket "$work/metrics" http://lfpd/metrics
displays "the configuration in force" $whole -- "$daemons/lfpd" -n -f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
displays "INFO with tasks" -- "$bin/ijblfpop" INFO 01 SHOWTASKS
displays "NETSTAT -d" -- "$bin/ijblfpop" NETSTAT 01 -d
displays "NETSTAT -a" "${live[@]}" -- "$bin/ijblfpop" NETSTAT 01 -a
for call in "connect tcp [$whole]:443" "connect udp [$whole]:53" "listen [$whole]:80" "bind udp [$whole]:80"; do
	# shellcheck disable=SC2086 # words
	displays "check --would $call" $whole -- "$bin/lfpd-ctl" check LINR02 --would $call
done
displays "check --would of a refused one" $refused -- "$bin/lfpd-ctl" check LINR02 --would connect "[$refused]:443"
echo "deny connect [$refused]:99999" >"$work/wrong"
displays "rules with an error" -- "$bin/lfpd-ctl" check --rules "$work/wrong" --would connect "[$refused]:1"

if $python -c 'import pyte' 2>/dev/null; then
	for columns in 40 60 80 132; do
		check "the screen of $columns columns: what is cut is marked" \
			$python "$tool" screen $columns '' "${live[@]}" "$bin/lfpd-admin" -i LINR02 --interval 0.2 -w sockets
		check "and with whole rows nothing is" \
			$python "$tool" screen $columns w "${live[@]}" "$bin/lfpd-admin" -i LINR02 --interval 0.2 -w sockets
	done
	check "the overview of an instance" $python "$tool" screen 80 w "${live[@]}" "$bin/lfpd-admin" -i LINR02 --interval 0.2 -w
else
	skip_part "python3-pyte is not installed"
fi

touch "$work/go"
wait $client || fail "the client ends with $?: $(cat "$work/client.log")"
wait_for 30 no_sockets
calls=($whole $mapped $refused $other)
displays "log" "${calls[@]}" -- ask log
displays "log as JSON" "${calls[@]}" -- ask --json log
displays "CONNECTION_LOG" "${calls[@]}" -- cat "$work/connections.log"
displays "policy learn" "${calls[@]}" -- ask policy learn
displays "lfpd's messages" $refused -- cat "$work/lfpd-LINR02.log"
displays "FCX207 as JSON" "${live[@]}" -- ask --json report FCX207
for columns in 40 60 80 132; do
	displays "FCX207 at $columns columns" "${live[@]}" -- env COLUMNS=$columns "$bin/lfpd-admin" -i LINR02 report FCX207
	check_eq "$(awk -v most=$columns 'length > most' "$work/shown")" "" "which no line exceeds"
done
displays "trace show" "${calls[@]}" -- ask trace show
"$bin/lfpd-admin" -i LINR02 trace stop >"$work/said" 2>&1
if command -v tshark >/dev/null; then
	ask -o "$work/ip.pcapng" --ip trace export
	displays "trace export --ip, by tshark" $whole $refused $other -- tshark -r "$work/ip.pcapng" -T fields -e ipv6.src -e ipv6.dst
else
	skip_part "tshark is not installed"
fi
connect="import socket; socket.create_connection((\"$whole\", 7000)).recv(5)"
displays "lfp-run --summary" $whole -- "$bin/lfp-run" --private --summary python3 -c "$connect"
displays "lfp-run --log" $whole -- "$bin/lfp-run" --private --log=- python3 -c "$connect"
finish
