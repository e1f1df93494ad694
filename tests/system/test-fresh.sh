#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Near ends that programs make themselves, in other processes, behind filters, in other users' way, and at a limit of sockets
# Time limit: 120 s
. "$(dirname "$0")/lib.sh"
needs python3 setpriv

fresh=$(dirname "$0")/fresh.py
background echo "$programs/echo" 127.0.0.1 7000
wait_listen 7000
lfp_up
for mode in preload both; do
	lfp_mode $mode
	for what in plain in_exec in_child in_both passed filtered; do
		check_eq "$(timeout 60 "${lfp_prefix[@]}" python3 "$fresh" $what 7000 2>&1)" done "$mode: $what"
	done
done
lfp_mode preload
if [ "$(id -u)" = 0 ]; then
	mkdir "$work/elsewhere"
	check_eq "$(timeout 60 "${lfp_prefix[@]}" python3 "$fresh" left 7000 "$work/elsewhere" 2>&1)" done "in another root and network"
fi
check_eq "$(timeout 100 "${lfp_prefix[@]}" python3 "$fresh" many 7000 2>&1)" done "ten processes are killed"
check "and nothing is left of them" wait_for 15 no_sockets
background_on_lfp holder python3 "$fresh" holds 7000
holder=$!
wait_for 30 grep -q ready "$work/holder.log" || die "no sockets: $(cat "$work/holder.log")"
check "a program that does not use its fresh sockets holds nothing up for long" wait_for 15 no_sockets
stop_pid $holder KILL
if [ "$transport" != local ]; then
	background_on_lfp goes-on python3 "$fresh" goes_on 7000 "$work/go"
	program=$!
	wait_for 30 grep -q ready "$work/goes-on.log" || die "no sockets: $(cat "$work/goes-on.log")"
	for nr in 2 3; do
		connected() { [ "$(grep -c VLFD123I "$work/lfpd-LINR02.log")" -ge $nr ]; }
		kill -USR2 "$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")"
		check "lfpd restarts" wait_for 30 connected
	done
	touch "$work/go"
	wait $program
	check_eq $? 0 "sockets go on: $(tail -n 1 "$work/goes-on.log")"
	check "all sockets are gone" wait_for 15 no_sockets
fi
stop_pid "$instance"
stop_pid "$lfpd"

# as USER-ID COMMAND...
as() {
	local id=$1
	shift
	timeout 100 setpriv --reuid "$id" --regid "$id" --clear-groups "${lfp_prefix[@]}" "$@"
}

# A limit holds to the socket, whatever others have been promised
if [ "$(id -u)" = 0 ]; then
	lfp_up MAX_SOCKETS=40 MAX_SOCKETS_USER=25
	empty_net=()
	lfp_mode preload
	background holder setpriv --reuid 1 --regid 1 --clear-groups "${lfp_prefix[@]}" python3 "$fresh" holds 7000
	holder=$!
	wait_for 30 grep -q ready "$work/holder.log" || die "no sockets: $(cat "$work/holder.log")"
	check_eq "$(as 2 python3 "$fresh" fills 7000 2>&1)" "sockets 25
done" "another user has its share"
	stop_pid $holder
	check "all sockets are gone" wait_for 15 no_sockets
	check_eq "$(as 2 python3 "$fresh" fills 7000 2>&1)" "sockets 25
done" "also after that"
	check "lfpd says so" grep -q VLFD160W "$work/lfpd-LINR02.log"
	check_eq "$(grep -c VLFD116W "$work/lfpd-LINR02.log")" 0 "and nothing about sockets of nobody"
	check "all sockets are gone" wait_for 15 no_sockets
fi
finish
