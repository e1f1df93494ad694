#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nginx with 2 workers on LFP, under wrk
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs nginx wrk curl

mkdir -p "$work/www" "$work/nginx" && chmod 777 "$work/nginx"
head -c 50000000 /dev/urandom >"$work/www/big"
head -c 1000 /dev/urandom >"$work/www/small"
cat >"$work/nginx.conf" <<-END
	daemon off;
	worker_processes 2;
	pid $work/nginx/pid;
	error_log stderr warn;
	events { worker_connections 512; }
	http {
		access_log off;
		sendfile on;
		tcp_nopush on;
		client_body_temp_path $work/nginx/body;
		proxy_temp_path $work/nginx/proxy;
		fastcgi_temp_path $work/nginx/fastcgi;
		uwsgi_temp_path $work/nginx/uwsgi;
		scgi_temp_path $work/nginx/scgi;
		server {
			listen 127.0.0.1:8080;
			listen [::1]:8080;
			listen 127.0.0.1:8081 reuseport;
			root $work/www;
		}
	}
END
# wrk_good URL CONNECTIONS: no error of any kind in wrk's report
wrk_good() {
	local report seconds
	for seconds in 2 10 60; do # a machine that is busy may do nothing for two
		report=$(wrk -t 1 -c "$2" -d ${seconds}s --timeout 60s "$1") || return 1 # else an answer after 2 s is an error
		grep -q '^ *0 requests' <<<"$report" || break
	done
	echo "$report" | grep -E 'requests in|Requests/sec'
	! grep -E 'Socket errors|Non-2xx' <<<"$report" && ! grep -q '^ *0 requests' <<<"$report"
}

two_workers() { [ "$(children $nginx nginx)" = 2 ]; }

lfp_up
background_on_lfp nginx nginx -c "$work/nginx.conf" -p "$work/nginx"
nginx=$!
wait_listen_both 8080 && wait_listen 8081 || die "nginx does not listen"
check "two workers" wait_for 60 two_workers
check "wrk, 50 connections" wrk_good http://127.0.0.1:8080/small 50
check "wrk, IPv6" wrk_good 'http://[::1]:8080/small' 10
check "wrk, reuseport" wrk_good http://127.0.0.1:8081/small 20
check_eq "$(curl -sS --max-time 100 http://127.0.0.1:8080/big | md5sum)" "$(md5sum <"$work/www/big")" "50 MB by sendfile"
check_eq "$(curl -sS --max-time 100 -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/none)" 404 "a missing page is 404"
check "ends when it is told" stop_pid $nginx QUIT
finish
