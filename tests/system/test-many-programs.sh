#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 200 programs at once on one instance, each with work of its own, in which each byte is checked
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

at_once=${PROGRAMS:-200}
background echo "$programs/echo" 127.0.0.1 7000
background datagrams "$programs/mixed" datagrams 127.0.0.1 7000
wait_listen 7000 && wait_bound 7000 || die "no servers"
lfp_up

start=$(now_ms)
running=()
touch "$work/go"
for ((i = 0; i < at_once; i++)); do
	background_on_lfp "mixed-$i" "$programs/mixed" 127.0.0.1 7000 $i 0 "$work/go"
	running+=($!)
done
# The instance knows a program from its first call until its end.
all_are_there() { [ "$(info 01 'ACTIVE TASK COUNT')" -ge "$at_once" ]; }
check "$at_once programs are served at once" wait_for 60 all_are_there
rm "$work/go"
bad=0
for pid in "${running[@]}"; do
	wait "$pid" || bad=$((bad + 1))
done
check_eq "$bad" 0 "all end well" || cat "$work"/mixed-*.log | grep -v 'done$' | head
check_eq "$(cat "$work"/mixed-*.log | grep -c 'done$')" "$at_once" "all have done their work"
echo "in $(($(now_ms) - start)) ms: $(cat "$work"/mixed-*.log | awk '{ n[$2] += $3 } END { for (w in n) printf "%s %d  ", w, n[w] }')"
check "all sockets are gone" wait_for 30 no_sockets
no_tasks() { [ "$(info 01 'ACTIVE TASK COUNT')" = 0 ]; }
check "all tasks are gone" wait_for 30 no_tasks
check "nothing was in disorder" eval '! grep -E "VLF[DB][0-9]+E" "$work/lfpd-LINR02.log" "$LFP_ROOT/run/vselfp/01/log"'
finish
