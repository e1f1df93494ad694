#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The classic chain on LFP: accept, fork, dup2 to 0, 1 and 2, exec of programs without socket calls
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs python3

# ask TEXT: one connection with this line sent
ask() {
	exec 3<>/dev/tcp/127.0.0.1/"$1" || return
	printf '%s\n' "$2" >&3
	timeout 120 cat <&3
	exec 3>&-
}

lfp_up
background_on_lfp cat "$O/tests/apps/inetd" 7001 cat
cat=$!
# shellcheck disable=SC2016
background_on_lfp sh "$O/tests/apps/inetd" 7002 sh -c 'read -r line; echo "got $line"; echo "to fd 2" >&2; exec sh -c "echo again"'
background_on_lfp bash "$O/tests/apps/inetd" 7003 bash -c 'while read -r line; do echo "<$line>"; [ "$line" != bye ] || break; done; seq 100000'
for port in 7001 7002 7003; do wait_listen $port || die "inetd does not listen"; done

check "cat, 40 connections at once" timeout 120 python3 "$here/echo-client.py" 127.0.0.1 7001 40 300000
check "cat, one large" timeout 120 python3 "$here/echo-client.py" 127.0.0.1 7001 1 20000000
check_eq "$(ask 7002 hello)" $'got hello\nto fd 2\nagain' "a shell, its standard error, and its programs"
check_eq "$(ask 7003 $'one\nbye' | md5sum)" "$( (echo "<one>"; echo "<bye>"; seq 100000) | md5sum)" "data sent before the end arrives"
check "ends when it is told" stop_pid $cat
finish
