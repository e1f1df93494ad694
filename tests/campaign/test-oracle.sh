#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random sequences of socket calls, natively and on LFP: each result is the same, or a listed difference
# Time limit: 900 s
#
# ORACLE_SEED: the sequences, 1 by default; ORACLE_SEQUENCES: how many in each tier, 2000 by default; ORACLE_FIRST: the
# first one; ORACLE_TIERS: "preload seccomp" by default; ORACLE_LOGS: a folder with links to the logs.
# ORACLE_TELLS=1: also print the sequences that do not always differ.
. "$(dirname "$0")/../system/lib.sh"

oracle=$O/tests/campaign/oracle
list=$top/tests/campaign/differences
seed=${ORACLE_SEED:-1}
sequences=${ORACLE_SEQUENCES:-2000} first=${ORACLE_FIRST:-0}
read -r -a tiers <<<"${ORACLE_TIERS:-preload seccomp}"
natively=("${empty_net[@]}" sh -c 'ip link set lo up && exec "$@"' sh)
echo "ORACLE_SEED=$seed"

# Connections that are over must not take all ports.
echo 4096 2>/dev/null >/proc/sys/net/ipv4/tcp_max_tw_buckets
echo 10000 65000 2>/dev/null >/proc/sys/net/ipv4/ip_local_port_range

# Most of the time the executors wait, so several work at once.
parts=3

compare() { # TIER PART
	local each=$(((sequences + parts - 1) / parts))
	"$oracle" direct "$seed" $((first + $2 * each)) $each "$1" "$list" \
		:: "${natively[@]}" "$oracle" execute "$1" "$list" \
		:: "${empty_net[@]}" "$bin/lfp-run" --mode="$1" -i 01 "$oracle" execute "$1" "$list"
}

# Titles that the conformance suite does not have
unknown_titles() {
	sed -n 's/^title: //p' "$list" | sort -u | grep -vxF 'not mended' |
		grep -vxF "$(sed -n 's/^title: //p' "$top/tests/conformance/differences")"
}

check_eq "$(unknown_titles)" "" "the listed differences are those of the conformance suite"
lfp_up
started=() names=()
for tier in "${tiers[@]}"; do
	for ((part = 0; part < parts; part++)); do
		background "oracle-$tier-$part" compare "$tier" $part
		started+=($!) names+=("oracle-$tier-$part")
		[ -z "${ORACLE_LOGS:-}" ] || ln -sf "$work/oracle-$tier-$part.log" "$ORACLE_LOGS"
	done
done
for i in "${!started[@]}"; do
	wait "${started[i]}"
	rc=$?
	cat "$work/${names[i]}.log"
	check_eq $rc 0 "${names[i]}: no sequence differs"
done
check "all sockets are gone" wait_for 60 no_sockets
finish
