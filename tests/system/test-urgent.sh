#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Urgent data, and counts of unsent data: on LFP as natively
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

lfp_up
timeout 100 "$programs/urgent" >"$work/native" 2>&1
check_eq $? 0 "natively the program ends well"
timeout 100 "${lfp_prefix[@]}" "$programs/urgent" >"$work/lfp" 2>&1
check_eq $? 0 "the program ends well"
nr=0
while IFS='|' read -r native lfp; do
	nr=$((nr + 1))
	check_eq "$lfp" "$native" "line $nr, $native"
done < <(paste -d '|' "$work/native" "$work/lfp")
check "all sockets are gone" wait_for 30 no_sockets
finish
