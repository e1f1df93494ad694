#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# curl on LFP: large, parallel, IPv6, upload, refused
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs curl python3

fetch() { # URL CURL-OPTION...
	on_lfp curl -sS --fail --max-time 100 "$@" | md5sum
}

mkdir "$work/www"
head -c 200000000 /dev/urandom >"$work/www/big"
for i in {1..20}; do head -c $((i * 100000)) "$work/www/big" >"$work/www/part$i"; done
big=$(md5sum <"$work/www/big")
background httpd python3 "$here/httpd.py" 8000 "$work/www"
lfp_up
wait_listen 8000 || die "the web server does not start"

check_eq "$(fetch http://127.0.0.1:8000/big)" "$big" "200 MB"
check_eq "$(fetch http://localhost:8000/part10)" "$(md5sum <"$work/www/part10")" "by name"
check_eq "$(fetch 'http://[::1]:8000/part20')" "$(md5sum <"$work/www/part20")" "IPv6"
check_eq "$(on_lfp env -i "$(command -v curl)" -sS --fail --max-time 100 http://127.0.0.1:8000/big | md5sum)" "$big" \
	"200 MB without an environment, and so without the shim"

mkdir "$work/got"
check "20 files in parallel" on_lfp curl -sS --fail --max-time 100 -Z --parallel-immediate --parallel-max 20 \
	--create-dirs -o "$work/got/part#1" 'http://127.0.0.1:8000/part[1-20]'
check_eq "$(cd "$work/got" && md5sum part*)" "$(cd "$work/www" && md5sum part*)" "their sums"

check_eq "$(on_lfp curl -sS --max-time 100 -T "$work/www/big" http://127.0.0.1:8000/put)  -" "$big" "200 MB sent"
on_lfp curl -sS --max-time 100 http://127.0.0.1:1/ 2>"$work/refused"
check_eq $? 7 "a refused port is exit 7"
check "and reports it" grep -q 'Failed to connect\|Connection refused' "$work/refused"
finish
