# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# echo-program.sh - after lib.sh: a program on LFP is server and client, with streams and datagrams, over IPv4 and IPv6
#
# The test sets program. It takes "serve HOST PORT", "streams HOST PORT CONNECTIONS BYTES", "datagrams HOST PORT COUNT".

background server-native "${program[@]}" serve 127.0.0.1 7001
background server6-native "${program[@]}" serve ::1 7002
lfp_up
background_on_lfp server-lfp "${program[@]}" serve 127.0.0.1 7003
server=$!
background_on_lfp server6-lfp "${program[@]}" serve ::1 7004
for port in 7001 7002 7003 7004; do wait_listen $port && wait_bound $port || die "no listener on port $port"; done

on() { timeout 120 "${lfp_prefix[@]}" "${program[@]}" "$@"; }
check "server on LFP, 40 connections at once" timeout 120 python3 "$here/echo-client.py" 127.0.0.1 7003 40 300000
check "server on LFP, IPv6" timeout 120 "${program[@]}" streams ::1 7004 20 300000
check "client on LFP" on streams 127.0.0.1 7001 20 300000
check "client on LFP, IPv6" on streams ::1 7002 20 300000
check "client on LFP, by name" on streams localhost 7001 2 1000
check "both on LFP" on streams 127.0.0.1 7003 20 300000
check "datagrams, server on LFP" timeout 120 "${program[@]}" datagrams 127.0.0.1 7003 200
check "datagrams, server on LFP, IPv6" timeout 120 "${program[@]}" datagrams ::1 7004 200
check "datagrams, client on LFP" on datagrams 127.0.0.1 7001 200
check "datagrams, client on LFP, IPv6" on datagrams ::1 7002 200
check "datagrams, both on LFP" on datagrams 127.0.0.1 7003 200
check "server ends when it is told" stop_pid $server
