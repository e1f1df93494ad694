#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# memcached with 4 threads on LFP, by TCP and by UDP; a client on LFP
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs memcached python3

memcached=(memcached -u nobody -l 127.0.0.1,::1 -t 4)
client() { timeout 120 "${@:2}" python3 "$here/memcache.py" $1; }

lfp_up
background_on_lfp memcached-lfp "${memcached[@]}" -p 11211 -U 11211
server=$!
background memcached-native "${memcached[@]}" -p 11212 -U 11212
for port in 11211 11212; do wait_listen_both $port && wait_bound_both $port || die "memcached does not listen"; done
for host in 127.0.0.1 ::1; do
	check "memcached on LFP, TCP to $host" client "tcp $host 11211 300"
	check "memcached on LFP, UDP to $host" client "udp $host 11211 100"
	check "client on LFP, TCP to $host" client "tcp $host 11212 300" "${lfp_prefix[@]}"
	check "client on LFP, UDP to $host" client "udp $host 11212 100" "${lfp_prefix[@]}"
done
clients=()
for i in {1..10}; do
	client "tcp 127.0.0.1 11211 100" >"$work/client$i" 2>&1 &
	clients+=($!)
done
good=0
for i in "${clients[@]}"; do wait "$i" && good=$((good + 1)); done
check_eq $good 10 "10 clients at once"
check "memcached ends when it is told" stop_pid $server
finish
