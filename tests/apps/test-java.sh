#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Java's HttpServer and HttpClient, DatagramChannel and DatagramSocket on LFP
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs java javac curl python3

mkdir "$work/www" "$work/classes"
head -c 5000000 /dev/urandom >"$work/www/file"
sum=$(md5sum <"$work/www/file")
background httpd python3 "$here/httpd.py" 8000 "$work/www"
check "javac" javac -d "$work/classes" "$here"/{Server,Client,Datagrams}.java || exit 1
lfp_up

java=(java -Xshare:auto -XX:TieredStopAtLevel=1 -Xmx256m -cp "$work/classes")
background_on_lfp java "${java[@]}" Server 8001 "$work/www/file"
server=$!
wait_listen 8000 && wait_listen 8001 || die "the servers do not listen"
mkdir "$work/got"
check "server: 20 times at once" curl -sS --fail --max-time 100 -Z --parallel-immediate -o "$work/got/#1" "http://127.0.0.1:8001/[1-20]"
check_eq "$(cat "$work/got"/* | md5sum)" "$(for _ in {1..20}; do cat "$work/www/file"; done | md5sum)" "server: the sum"
check_eq "$(curl -sS --max-time 100 --data-binary "@$work/www/file" http://127.0.0.1:8001/)  -" "$sum" "server: POST"
check "client" timeout 120 "${lfp_prefix[@]}" "${java[@]}" Client http://127.0.0.1:8000/file "${sum%% *}"
check "server ends when it is told" stop_pid $server

background datagrams "${java[@]}" Datagrams serve 127.0.0.1 9001
background_on_lfp datagrams-lfp "${java[@]}" Datagrams serve 127.0.0.1 9002
background_on_lfp datagrams6-lfp "${java[@]}" Datagrams serve ::1 9003
for port in 9001 9002 9003; do wait_bound $port 60 || die "no socket on port $port"; done
check "datagrams, client" timeout 120 "${lfp_prefix[@]}" "${java[@]}" Datagrams send 127.0.0.1 9001 100
check "datagrams, server" timeout 120 "${java[@]}" Datagrams send 127.0.0.1 9002 100
check "datagrams, both on LFP, IPv6" timeout 120 "${lfp_prefix[@]}" "${java[@]}" Datagrams send ::1 9003 100
finish
