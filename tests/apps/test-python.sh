#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Python on LFP: http.server, urllib, asyncio, socketserver with fork and with threads
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs python3 curl

mkdir "$work/www"
head -c 30000000 /dev/urandom >"$work/www/file"
sum=$(md5sum <"$work/www/file")
background httpd python3 "$here/httpd.py" 8000 "$work/www"
lfp_up

background_on_lfp http.server python3 -m http.server -b 127.0.0.1 -d "$work/www" 8001
server=$!
wait_listen 8001 || die "http.server on LFP does not listen"
check_eq "$(curl -sS --max-time 100 http://127.0.0.1:8001/file | md5sum)" "$sum" "http.server: 30 MB"
stop_pid $server
background_on_lfp http.server6 python3 -m http.server -b ::1 -d "$work/www" 8002
server=$!
wait_listen 8002 || die "http.server on LFP does not listen on ::1"
check_eq "$(curl -sS --max-time 100 'http://[::1]:8002/file' | md5sum)" "$sum" "http.server on IPv6: 30 MB"
stop_pid $server

wait_listen 8000
check "urllib" timeout 120 "${lfp_prefix[@]}" python3 "$here/urllib-client.py" http://127.0.0.1:8000/file "${sum%% *}"

port=8010
for kind in asyncio fork thread; do
	background_on_lfp "$kind" python3 "$here/echo-server.py" $kind 127.0.0.1 $((++port))
	server=$!
	wait_listen $port || die "the $kind server does not listen"
	check "$kind server" timeout 120 python3 "$here/echo-client.py" 127.0.0.1 $port 40 300000
	stop_pid $server
done

background echo python3 "$here/echo-server.py" asyncio 127.0.0.1 8020
wait_listen 8020
check "asyncio client" timeout 120 "${lfp_prefix[@]}" python3 "$here/echo-client.py" 127.0.0.1 8020 40 300000
background_on_lfp both python3 "$here/echo-server.py" asyncio 127.0.0.1 8021
wait_listen 8021
check "both ends on LFP" timeout 120 "${lfp_prefix[@]}" python3 "$here/echo-client.py" 127.0.0.1 8021 10 300000
finish
