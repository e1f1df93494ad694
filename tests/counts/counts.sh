# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# counts.sh - counts system calls an operation over LFP_TRANSPORT; a test sources it
#
# Each work is a run of tests/counts/work.c on LFP and far.c beside it, traced by count.c together with the daemons.
# The result is compared with tests/counts/TRANSPORT.tsv by tests/counts/compare. UPDATE=1 writes that file anew. Start-up and
# the connection that a work needs are not counted.
. "$(dirname "${BASH_SOURCE[0]}")/../system/lib.sh"
needs python3 taskset

counts=$O/tests/counts
far_port=7000
works=(bulk-out bulk-in round-trip connect connect-nodelay accept socket nodelay getsockname getpeername)

[ "$(id -u)" = 0 ] || skip "the calls of other users are not those of root"
[ "$(uname -m)" = x86_64 ] || skip "the counts that are checked in are of x86_64"
! grep -qE '__[at]san_init' "$daemons/lfpd" || skip "a sanitizer makes calls of its own"

# on_one_cpu: this script and all that it starts, before other work there. Two transports may be counted at once: shm has the
# first CPU that it may use, the others the last.
on_one_cpu() {
	local list
	list=$(taskset -pc $$) || skip "no affinity"
	list=${list##* }
	[ "$transport" = shm ] && list=${list%%[,-]*} || list=${list##*[,-]}
	taskset -pc "$list" $$ >/dev/null
	renice -n -15 -p $$ >/dev/null 2>&1 # if it may
}

# traced: NAME=PID of each daemon; the maker of near ends is a child of the instance
traced() {
	local maker
	read -r maker _ <"/proc/$instance/task/$instance/children"
	[ -z "$maker" ] || echo "near=$maker" # before its parent, as that takes what is left of its children
	[ "$instance" = "$lfpd" ] || echo "instance=$instance"
	echo "lfpd=$lfpd"
}

# count_work WORK: lines of count.c, with the work before each, are added to $work/counted
count_work() {
	local how=listen rc
	[ "$1" != accept ] || how=connect
	timeout 120 "$counts/count" $(traced) -- "$counts/far" $how $far_port -- \
		"${lfp_prefix[@]}" "$counts/work" "$1" $far_port >"$work/count.out" 2>"$work/count.log"
	rc=$?
	[ $rc != 77 ] || skip "$(cat "$work/count.log")"
	[ $rc = 0 ] || cat "$work/count.log"
	sed "s/^/$1\t/" "$work/count.out" >>"$work/counted"
	return $rc
}

# The timers of daemons start nothing while their clock stands; it goes on for their end.
export STOPPED_CLOCK=$work/clock
set_clock() { printf "$1" | dd of="$STOPPED_CLOCK" conv=notrunc status=none; }
set_clock '\0'
at_exit_too=(set_clock '\0')
preload=(LD_PRELOAD="$counts/clock/stopped-clock.so")

keys=()
[ "$transport" != shm ] || keys=(SHM_POLL=0 ShmPoll=0) # polling counts on the clock
on_one_cpu
lfp_mode preload
lfpd_conf LINR02 "${keys[@]:0:1}"
statements 01 "${keys[@]:1}"
lfpd_start LINR02 "${preload[@]}"
instance_start 01 "${preload[@]}"
set_clock '\1'
for name in "${works[@]}"; do check "$name is counted" count_work "$name" || exit; done

compare() { "$top/tests/counts/compare" "$@" "$top/tests/counts/$transport.tsv" "$work/counted"; }

# Other work of the machine can cut data into more pieces. So data that takes more calls is counted again,
# twice at most: a call that the code makes is there each time.
count_again() {
	local name
	for name in bulk-out bulk-in round-trip; do
		grep -qE "^$name, .*(more than|not made)" "$work/verdict" || continue
		sed -i "/^$name\t/d" "$work/counted"
		count_work "$name" || die "$name cannot be counted again"
	done
}
for _ in 1 2; do
	[ -z "${UPDATE:-}" ] && ! compare >"$work/verdict" || break
	count_again
done
check "calls over $transport are those of tests/counts/$transport.tsv" compare ${UPDATE:+--update}
finish
