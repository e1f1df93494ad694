#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole table lfp: FTP of 1 GB and three programs with 100 MB each, in each direction, over each route. Every byte is right, the settings are the
# published ones, and LFP needs less CPU time a MB than the stack by each ratio of the slide
# Time limit: 3600 s
#
# WORKLOAD_ROUTES: of the table, by default all; WORKLOAD_FTP, WORKLOAD_TRANSFER: bytes.
. "$(dirname "$0")/../apps/lib-workload.sh" stack
needs vsftpd lftp cobc cc tc python3
routes=()
for route in ${WORKLOAD_ROUTES-stack-osa stack hipersockets unix shm local native}; do routes+=(--route "$route"); done

json=$work/lfp.json
timeout 3500 "$workload" lfp "${routes[@]}" --ftp "${WORKLOAD_FTP:-1G}" --transfer "${WORKLOAD_TRANSFER:-100M}" --verdicts "$work/lfp.tsv" \
	--json >"$json" 2>"$work/progress"
check_eq $? 0 "the whole table" || cat "$work/progress"
asked "all of its cells are measured" 'r["complete"] and all("rate" in x for n, of in c.items() for k, x in of.items() if n != "native" or "cobol" not in k)'
check_exit 0 "zdev check takes what was measured" into "$work/said" "$bin/zdev" check -q --measured="$work/lfp.tsv" LFP
if [ -x "$bin/lfp-stack" ] && [ -w /dev/net/tun ]; then
	# Rates depend on the CPU time that others leave; CPU time a MB hardly does.
	for row in ftp-out:3.7 ftp-in:3.3 c-out:3.2 c-in:1.7 cobol-out:3.2 cobol-in:1.7; do
		asked "${row%:*}: the stack's CPU time a MB is ${row#*:} times that of LFP and lfpd, at least" "(lambda stack, lfp:
			stack['ms_per_mb']['zvse'] >= ${row#*:} * (lfp['ms_per_mb']['zvse'] + lfp['ms_per_mb']['lfpd']))(c['stack-osa']['${row%:*}'], c['unix']['${row%:*}'])"
	done
else
	skip_part "the stack in the partition: no lfp-stack, or no /dev/net/tun"
fi
mkdir -p "$O/test-logs" && cp "$json" "$O/test-logs/lfp.json"
finish
