#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tcl's sockets on LFP: servers and clients with events, connections in the background
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs tclsh python3

program=(tclsh "$here/net.tcl")
background server-native "${program[@]}" serve 127.0.0.1 7001
background server6-native "${program[@]}" serve ::1 7002
lfp_up
background_on_lfp server-lfp "${program[@]}" serve 127.0.0.1 7003
server=$!
background_on_lfp server6-lfp "${program[@]}" serve ::1 7004
for port in 7001 7002 7003 7004; do wait_listen $port || die "no listener on port $port"; done

on() { timeout 120 "${lfp_prefix[@]}" "${program[@]}" "$@"; }
check "server on LFP, 40 connections at once" timeout 120 python3 "$here/echo-client.py" 127.0.0.1 7003 40 300000
check "server on LFP, IPv6" timeout 120 "${program[@]}" streams ::1 7004 20 300000
check "client on LFP" on streams 127.0.0.1 7001 20 300000
check "client on LFP, IPv6" on streams ::1 7002 20 300000
check "client on LFP, by name" on streams localhost 7001 2 1000
check "both on LFP" on streams 127.0.0.1 7003 20 300000
check "server ends when it is told" stop_pid $server
finish
