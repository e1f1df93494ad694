#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wget on LFP
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs wget python3

mkdir -p "$work/www/sub" "$work/got"
head -c 20000000 /dev/urandom >"$work/www/sub/file"
for i in {1..10}; do head -c $((i * 10000)) "$work/www/sub/file" >"$work/www/sub/f$i"; done
background httpd python3 "$here/httpd.py" 8000 "$work/www"
lfp_up
wait_listen 8000 || die "the web server does not start"

check "one file" on_lfp wget -q -t 1 -T 60 -O "$work/got/file" http://127.0.0.1:8000/sub/file
check "is the same" cmp "$work/got/file" "$work/www/sub/file"
check "a directory" on_lfp wget -q -t 1 -T 60 -r -nH -np -P "$work/got" 'http://[::1]:8000/sub/'
check "is the same" diff -r -x 'index.html*' "$work/www/sub" "$work/got/sub"
check_exit 4 "a refused port is exit 4" on_lfp wget -q -t 1 -T 60 -O /dev/null http://127.0.0.1:1/
finish
