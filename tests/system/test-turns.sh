#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Questions and answers of random sizes, with other work between them, arrive byte by byte, also while lfpd restarts
# Time limit: 600 s
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

askers=6 conns=3 rounds=100 port=7400

restart() {
	kill -USR2 "$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")" && sleep 0.0$((RANDOM % 10)) &&
		wait_for 60 instance_up 01
}
all_whole() { [ "$(sort -u "$work/serve.log" | grep -c whole)" = $((askers * conns)) ]; }

# ask: run all askers; RESTARTS: so often lfpd restarts meanwhile
ask() {
	local i mine=() n=0
	for ((i = 1; i <= askers; i++)); do
		background_on_lfp "ask-$i" "$programs/turns" ask 10.0.0.1 $port $((seed + i)) $conns $rounds
		mine+=($!)
	done
	while [ "$n" -lt "$1" ] && ! ended "${mine[0]}"; do
		restart || fail "restart $n"
		n=$((n + 1))
	done
	check "$transport: lfpd was to restart $1 times, and has done so $n times" [ $((n > 0)) = $(($1 > 0)) ]
	for ((i = 1; i <= askers; i++)); do
		wait "${mine[i - 1]}"
		check_eq "$(<"$work/ask-$i.log")" "$((seed + i)) done" "$transport: asker $((seed + i)) of $1 restarts"
	done
}

seed=0
for transport in ${TURNS_OVER:-unix shm local}; do
	lfp_up
	for restarts in 0 20; do
		[ $restarts = 0 ] || [ "$transport" != local ] || continue
		rm -f "$work/serve.log"
		background serve "$programs/turns" serve 10.0.0.1 $port
		serve=$!
		wait_listen $port || die "the server does not listen"
		ask $restarts
		check "$transport: all connections came whole to their ends" wait_for 60 all_whole
		check_eq "$(grep -v whole "$work/serve.log")" "" "$transport: no byte is wrong"
		stop_pid $serve
		port=$((port + 1)) seed=$((seed + askers))
	done
	[ "$transport" = local ] || "$bin/ijblfpop" STOP 01 || die "STOP"
	stop_pid "$lfpd"
done
finish
