#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A fault of one socket ends only that socket: a bystander's connection continues, to the byte
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

background echo "$programs/echo" 127.0.0.1 7000
wait_listen 7000
lfp_up TRACE_FILE="$work/ring" TRACE_SIZE=1M

check_exit 0 "a trace" into "$work/trace.log" "$bin/lfpd-admin" -i LINR02 trace start kind=CONNECT
for what in tcp-info outq data shutdown threads-shutdown threads-dissolve; do
	background_on_lfp "bystander-$what" "$programs/one-socket" bystander 127.0.0.1 7000 "$work/go-$what"
	bystander=$!
	wait_for 30 grep -q '^ready' "$work/bystander-$what.log" || die "$what: $(cat "$work/bystander-$what.log")"
	timeout 60 "$programs/one-socket" "$what" 127.0.0.1 7000 >"$work/native-$what.log" 2>&1
	check_eq "$(cat "$work/native-$what.log")" done "$what natively"
	timeout 60 "${lfp_prefix[@]}" "$programs/one-socket" "$what" 127.0.0.1 7000 >"$work/$what.log" 2>&1
	check_eq "$(cat "$work/$what.log")" done "$what"
	touch "$work/go-$what"
	wait "$bystander"
	check_eq $? 0 "$what: the bystander: $(tail -n 1 "$work/bystander-$what.log")"
done
check_eq "$(grep -c 'VLFD11[123]' "$work/lfpd-LINR02.log")" 0 "the path has not ended"
"$bin/lfpd-admin" -i LINR02 trace show >"$work/trace.text" 2>&1
check "a connection after another has the next epoch" grep -q ' CONNECT .*socket=0x[0-9a-f]* epoch=1 ' "$work/trace.text" || head -n 5 "$work/trace.text"
check "all sockets are gone" wait_for 30 no_sockets
finish
