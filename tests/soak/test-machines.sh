#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The daemons' states at random for HOURS: rounds with sanitizers, and beside them a fuzzer that coverage guides
# Time limit: 40000 s
#
# HOURS: how long, half an hour by default. MACHINES_SEED: the first round's sequences; each round takes the next seed. Rounds take
# turns between the builds with the address and the thread sanitizer. MACHINES_CORPUS: a folder to which the fuzzer adds the inputs that
# reach more; fuzz/corpus/machines is only read otherwise.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
O=$(cd "${O:-$top/build}" && pwd)
seconds=$(awk "BEGIN { print int(3600 * ${HOURS:-0.5}) }")
[ "$seconds" -gt 0 ] || { echo "HOURS=$HOURS is no positive number"; exit 64; }
seed=${MACHINES_SEED:-$((RANDOM * 32768 + RANDOM))}
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
work=$(mktemp -d)
fuzzer=
trap '[ -z "$fuzzer" ] || kill "$fuzzer" 2>/dev/null; rm -rf "$work"' EXIT
echo "MACHINES_SEED=$seed, $seconds s"

# The fuzzer: both daemons in its process
if make -C "$top" O="$O" "$O/fuzz/fuzz-machines" >"$work/make" 2>&1; then
	mkdir -p "${MACHINES_CORPUS:=$work/corpus}"
	(cd "$work" && exec "$O/fuzz/fuzz-machines" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
		"$MACHINES_CORPUS" "$top/fuzz/corpus/machines") >"$work/fuzzer" 2>&1 </dev/null &
	fuzzer=$!
else
	tail -n 3 "$work/make"
	skip_part "no fuzzer without clang"
fi

builds=("$O"/san-address "$O"/san-thread) rounds=0
while [ $SECONDS -lt "$seconds" ]; do
	build=${builds[rounds % ${#builds[@]}]}
	if MACHINES_SEED=$((seed + rounds)) MACHINES_PROGRAMS=${MACHINES_PROGRAMS:-4} O_SAN=$build O=$O \
		timeout 1800 "$top/tests/campaign/test-machines.sh" >"$work/round" 2>&1; then
		ok "round $rounds"
	else
		fail "a round: MACHINES_SEED=$((seed + rounds)) O_SAN=$build"
		cat "$work/round"
	fi
	cat "$work/round" >>"$work/rounds"
	rounds=$((rounds + 1))
done
awk -v rounds=$rounds '/ sequences, .* steps, / {
		sub(/^.*: /, ""); gsub(/,/, ""); sequences += $1; steps += $3; answers += $5; good += $7
	} END {
		printf "%d rounds: %d sequences, %d steps, %d answers, %d of them good\n", rounds, sequences, steps, answers, good
	}' "$work/rounds"

if [ -n "$fuzzer" ]; then
	if check "the fuzzer" wait "$fuzzer"; then
		grep '^Done ' "$work/fuzzer"
		# The edges that the corpus reached, and those that all inputs have reached in the end
		grep -E ' (INITED|DONE) ' "$work/fuzzer" | grep -o '[A-Z]* *cov: [0-9]*'
	else
		tail -n 60 "$work/fuzzer"
		cp "$work"/crash-* "$work"/timeout-* "$O" 2>/dev/null && echo "the input is in $O"
	fi
	fuzzer=
fi
counts
