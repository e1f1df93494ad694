#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# node on LFP: http as server, as client, and as clusters of 2, which hand connections to the workers
# or share the listener; datagrams, also by a cluster
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs node curl python3

mkdir "$work/www"
head -c 5000000 /dev/urandom >"$work/www/file"
sum=$(md5sum <"$work/www/file")
background httpd python3 "$here/httpd.py" 8000 "$work/www"
lfp_up

both_serve() { [ "$(for _ in {1..6}; do curl -sS -I --max-time 100 http://127.0.0.1:8002/; done | grep -i x-pid | sort -u | wc -l)" = 2 ]; }

background_on_lfp node node "$here/http-server.js" 8001 "$work/www/file"
server=$!
background_on_lfp cluster node "$here/http-server.js" 8002 "$work/www/file" 2
cluster=$!
background_on_lfp shared env NODE_CLUSTER_SCHED_POLICY=none node "$here/http-server.js" 8003 "$work/www/file" 2
shared=$!
wait_listen 8001 && wait_listen 8002 && wait_listen 8003 || die "node does not listen"
for port in 8001 8002 8003; do
	mkdir "$work/$port"
	check "$port: 20 times at once" curl -sS --fail --max-time 100 -Z --parallel-immediate -o "$work/$port/#1" "http://127.0.0.1:$port/[1-20]"
	check_eq "$(cat "$work/$port"/* | md5sum)" "$(for _ in {1..20}; do cat "$work/www/file"; done | md5sum)" "$port: the sum"
	check_eq "$(curl -sS --max-time 100 --data-binary "@$work/www/file" "http://127.0.0.1:$port/")  -" "$sum" "$port: POST"
done
check "both workers serve" wait_for 60 both_serve
check "ends when it is told" stop_pid $server
check "the cluster, too" stop_pid $cluster
check "and the other" stop_pid $shared

wait_listen 8000
check "client" timeout 120 "${lfp_prefix[@]}" node "$here/http-client.js" http://127.0.0.1:8000/file "${sum%% *}"

datagrams() { timeout 120 "${@:3}" node "$here/dgram.js" send "$1" "$2" 100; }
background dgram node "$here/dgram.js" serve 127.0.0.1 9001
background_on_lfp dgram-lfp node "$here/dgram.js" serve 127.0.0.1 9002
background_on_lfp dgram6-lfp node "$here/dgram.js" serve ::1 9003
background_on_lfp dgram-cluster node "$here/dgram.js" serve 127.0.0.1 9004 2
for port in 9001 9002 9003 9004; do wait_bound $port || die "node has no port $port"; done
check "datagrams, client" datagrams 127.0.0.1 9001 "${lfp_prefix[@]}"
check "datagrams, server" datagrams 127.0.0.1 9002
check "datagrams, server, IPv6" datagrams ::1 9003
check "datagrams, cluster" datagrams 127.0.0.1 9004
check "datagrams, both on LFP" datagrams 127.0.0.1 9002 "${lfp_prefix[@]}"
finish
