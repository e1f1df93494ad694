#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sockets driven at random through their states: the path stays, a bystander is served, all counters return to zero
# Time limit: 600 s
#
# Programs of two users. Both daemons are in one process (LFP_TRANSPORT=local, the default here), with sanitizers if O_SAN is a build with
# them. MACHINES_SEED: the sequences, 1 by default; MACHINES_PROGRAMS: how many programs, of 500
# sequences each; MACHINES_FIRST: the first sequence; MACHINES_EACH: another number of sequences a program.
export LFP_TRANSPORT=${LFP_TRANSPORT:-local}
. "$(dirname "$0")/../system/lib.sh"

seed=${MACHINES_SEED:-1} programs_wanted=${MACHINES_PROGRAMS:-4} each=${MACHINES_EACH:-500} first=${MACHINES_FIRST:-0}
machines=$O/tests/campaign/machines
echo "MACHINES_SEED=$seed"
# Each second program is another user's.
other=()
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${other[@]}" test -x "$machines" || other=()
fi
[ ${#other[@]} -gt 0 ] || skip_part "a second user: only root can become one, and the build must be open to it"

ends_of_path() { cat "$work/lfpd-LINR02.log" "$(instance_log 01)" | grep -E 'VLFD11[1234]|VLFB031' | sort -u; }
disagreements() { cat "$work/lfpd-LINR02.log" "$(instance_log 01)" | grep -E 'VLFD127W|VLFB065W' | sort -u; }
no_task() { [ "$(info 01 'ACTIVE TASK COUNT')" = 0 ]; }
# A daemon keeps some resources, such as the pipes of its first data.
no_more_fds() {
	local was now i
	IFS=: read -ra was <<<"$before"
	IFS=: read -ra now <<<"$(steady_fds "$lfpd" "$instance")"
	for i in 0 1; do [ "${now[i]}" -le $((was[i] + 2)) ] || return 1; done
}

lfp_up
check "all is quiet before" wait_for 30 no_sockets
before=$(steady_fds "$lfpd" "$instance")
export MACHINES_DAEMONS="$lfpd $instance"
for ((nr = 0; nr < programs_wanted; nr += 2)); do
	started=()
	for i in 0 1; do
		as=()
		[ $i = 0 ] || as=("${other[@]}")
		background "machines-$i" "${as[@]}" "$machines" "$LFP_ROOT/run/vselfp/01/ctl" "$seed" $((first + (nr + i) * each)) $each
		started+=($!)
	done
	for i in 0 1; do
		wait "${started[i]}"
		check_eq $? 0 "sequences from $((first + (nr + i) * each)): $(tail -n 1 "$work/machines-$i.log")"
	done
done

# A daemon that stands still is no daemon without a processor: the bystander has to say so.
background machines-still "$machines" "$LFP_ROOT/run/vselfp/01/ctl" "$seed" 0 1000000 tell
still=$!
check "a bystander watches" wait_for 30 test -s "$work/machines-still.log" # it tells the steps after it has begun
kill -STOP "$lfpd" "$instance"
wait "$still"
check_eq "$?, $(grep -c 'lost or slow' "$work/machines-still.log")" "1, 1" "and sees that the daemons stand still"
check "- as soon as that takes 2 s" grep -q 'poll gives 0, .*; 20[0-9][0-9] ms count' "$work/machines-still.log"
kill -CONT "$lfpd" "$instance"

check_eq "$(ends_of_path)" "" "the path has not ended"
check_eq "$(disagreements)" "" "lfpd and the instance agree"
check "all sockets are gone" wait_for 60 no_sockets
check "and all tasks" wait_for 60 no_task
check "and all descriptors" wait_for 60 no_more_fds
finish
