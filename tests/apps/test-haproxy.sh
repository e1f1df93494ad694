#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# haproxy on LFP in its chroot, without root's privileges: HTTP and TCP to two servers, health checks
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
PATH=$PATH:/usr/sbin
needs haproxy curl python3

# Only root can chroot.
chroot=
[ "$(id -u)" != 0 ] || chroot="chroot $work/empty
	user nobody
	group nogroup"
mkdir "$work/empty" "$work/www1" "$work/www2"
head -c 10000000 /dev/urandom | tee "$work/www1/file" >"$work/www2/file"
sum=$(md5sum <"$work/www1/file")
echo 1 >"$work/www1/who" && echo 2 >"$work/www2/who"
# inter is also how long a check may take, and on a busy machine some take long; a refused one is seen at once.
cat >"$work/haproxy.conf" <<-END
	global
	$chroot
	maxconn 500
	nbthread 2
	stats socket $work/stats
	defaults
	timeout connect 30s
	timeout client 60s
	timeout server 60s
	default-server check inter 2000 fastinter 50 downinter 100 fall 3 rise 1
	frontend http
	mode http
	bind 127.0.0.1:8080
	bind [::1]:8080
	default_backend web
	backend web
	mode http
	option httpchk GET /who
	option redispatch
	server one 127.0.0.1:8001
	server two [::1]:8002
	listen tcp
	mode tcp
	bind 127.0.0.1:8081
	server one 127.0.0.1:8001
END
who() { for _ in {1..10}; do curl -sS --fail --max-time 100 "$1"; done | sort | uniq -c | tr -s ' \n' ' '; }
only_two() { [ "$(who http://127.0.0.1:8080/who)" = ' 10 2 ' ]; }
# It listens before it enters the chroot and drops root's privileges.
confined() { [ "$(readlink "/proc/$haproxy/root") $(stat -c %U "/proc/$haproxy")" = "$work/empty nobody" ]; }
both_serve() { [ "$(who http://127.0.0.1:8080/who)" = ' 5 1 5 2 ' ]; }

background one python3 "$here/httpd.py" 8001 "$work/www1"
one=$!
background two python3 "$here/httpd.py" 8002 "$work/www2"
lfp_up
wait_listen 8001 && wait_listen 8002 || die "the web servers do not start"
background_on_lfp haproxy haproxy -db -f "$work/haproxy.conf"
haproxy=$!
wait_listen_both 8080 && wait_listen 8081 || die "haproxy does not listen"
[ -z "$chroot" ] || check "is in its chroot, as nobody" wait_for 60 confined

check "both servers in turn" wait_for 60 both_serve
check_eq "$(who 'http://[::1]:8080/who')" ' 5 1 5 2 ' "IPv6"
check_eq "$(who http://127.0.0.1:8081/who)" ' 10 1 ' "TCP"
mkdir "$work/got"
for port in 8080 8081; do
	check "$port: 10 MB, 10 times at once" curl -sS --fail --max-time 100 -Z --parallel-immediate -o "$work/got/$port#1" \
		"http://127.0.0.1:$port/file?[1-10]"
	check_eq "$(cat "$work/got/$port"* | md5sum)" "$(for _ in {1..10}; do cat "$work/www1/file"; done | md5sum)" "$port: the sum"
	check_eq "$(curl -sS --max-time 100 --data-binary "@$work/www1/file" "http://127.0.0.1:$port/")  -" "$sum" "$port: POST"
done
stop_pid "$one"
check "a server that has ended is seen" wait_for 60 only_two
background one-again python3 "$here/httpd.py" 8001 "$work/www1"
wait_listen 8001
check "and seen to be back" wait_for 60 both_serve
check "ends when it is told" stop_pid "$haproxy"
finish
