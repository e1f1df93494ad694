#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Slow connections behave on LFP as natively: signals, time limits, epoll, threads
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

background host "$programs/connect" host 7010
wait_listen 7011
lfp_up
timeout 200 "$programs/connect" run 127.0.0.1 7010 >"$work/native" 2>&1
check_eq $? 0 "natively the program ends well"
timeout 200 "${lfp_prefix[@]}" "$programs/connect" run 127.0.0.1 7010 >"$work/lfp" 2>&1
check_eq $? 0 "the program ends well"
# Differences listed in libvsesock(7), by the text before the colon
declare -A differs=(["the parent, while the child waits"]="the parent, while the child waits: OUT HUP")
nr=0
while IFS='|' read -r native lfp; do
	nr=$((nr + 1))
	check_eq "$lfp" "${differs[${native%%:*}]:-$native}" "line $nr"
done < <(paste -d '|' "$work/native" "$work/lfp")
check "all sockets are gone" wait_for 30 no_sockets
finish
