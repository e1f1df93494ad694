#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dig and host against dnsmasq: UDP, TCP, IPv6, truncation; each of them on LFP, and both
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs dnsmasq dig host

long=$(printf 'x%.0s' {1..250})
dnsmasq=(dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --no-ping --pid-file
	--user="$(id -un)" --group="$(id -gn)" --log-facility=- --listen-address=127.0.0.1,::1 --bind-interfaces
	--local=/lfp/ --host-record=a.lfp,192.0.2.7,2001:db8::7 --address=/many.lfp/192.0.2.9 --cname=c.lfp,a.lfp
	--txt-record="long.lfp$(for _ in {1..12}; do printf ',%s' "$long"; done)")
many() { # COUNT: so many questions for one dig
	local i
	for ((i = 0; i < $1; i++)); do echo "n$i.many.lfp"; done
}
many 100 >"$work/names"

# ask TEXT PORT PREFIX...
ask() {
	local text=$1 port=$2 server
	shift 2
	local dig=(timeout 120 "$@" dig -p "$port" +tries=3 +timeout=20)
	for server in 127.0.0.1 ::1; do
		check_eq "$("${dig[@]}" "@$server" +short a.lfp A)" 192.0.2.7 "$text: UDP to $server"
		check_eq "$("${dig[@]}" "@$server" +short +tcp a.lfp AAAA)" 2001:db8::7 "$text: TCP to $server"
	done
	check_eq "$("${dig[@]}" @127.0.0.1 +noall +comments none.lfp | grep -o NXDOMAIN)" NXDOMAIN "$text: an unknown name"
	check_eq "$("${dig[@]}" @127.0.0.1 +noall +comments +ignore long.lfp TXT | grep -c 'flags:.* tc')" 1 "$text: too long for UDP"
	check_eq "$("${dig[@]}" @127.0.0.1 +short long.lfp TXT | tr -d '" \n' | md5sum)" \
		"$(for _ in {1..12}; do printf '%s' "$long"; done | md5sum)" "$text: asked again by TCP"
	check_eq "$("${dig[@]}" @127.0.0.1 +short -f "$work/names" | sort | uniq -c | tr -d ' ')" 100192.0.2.9 "$text: 100 questions"
	check_eq "$("${dig[@]}" @127.0.0.1 +short +tcp +keepopen -f "$work/names" | sort | uniq -c | tr -d ' ')" 100192.0.2.9 \
		"$text: 100 by TCP"
	check_eq "$(timeout 120 "$@" host -W 20 -p "$port" a.lfp ::1 | grep -c 'a.lfp has \(IPv6 \)\?address')" 2 "$text: host"
	check_eq "$(timeout 120 "$@" host -W 20 -T -p "$port" c.lfp 127.0.0.1 | grep -c 'is an alias for a.lfp')" 1 "$text: host by TCP"
	check_exit 9 "$text: no server" into "$work/none" "${dig[@]}" @127.0.0.1 -p 1 +tries=1 a.lfp
}

lfp_up
background_on_lfp dnsmasq-lfp "${dnsmasq[@]}" --port=5301
server=$!
background dnsmasq-native "${dnsmasq[@]}" --port=5302
for port in 5301 5302; do wait_bound_both $port && wait_listen_both $port || die "dnsmasq does not listen"; done
ask "dig on LFP" 5302 "${lfp_prefix[@]}"
ask "dnsmasq on LFP" 5301
[ -n "${NATIVE:-}" ] || ask "both on LFP" 5301 "${lfp_prefix[@]}"
check "dnsmasq ends when it is told" stop_pid $server
finish
