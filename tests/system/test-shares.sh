#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One user takes its full share of sockets, tasks, connections, look-ups; others and root still have theirs
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3 setpriv
[ "$(id -u)" = 0 ] || skip "not root"

# A wrapper of the shell's would be tasks of its own; and the users must be able to execute it.
for python in $(python3 -c 'import sys; print(sys.executable)') $(type -aP python3) ''; do
	! setpriv --reuid 65534 --regid 65534 --clear-groups env "${python:-false}" -c '' 2>/dev/null || break
done
[ -n "$python" ] || skip "there is no python3 that others than root can execute"
cp "$here/policy.py" "$here/shares.py" "$work"
policy=("$python" "$work/policy.py")
shares=("$python" "$work/shares.py")
log=$work/lfpd-LINR02.log
ctl=$LFP_ROOT/run/vselfp/01/ctl

# as_user USER-ID COMMAND...: becomes it
as_user() {
	local id=$1
	shift
	exec setpriv --reuid "$id" --regid "$id" --clear-groups "$@"
}
# start NAME USER-ID COMMAND...: in the background with an open standard input, on LFP; $! is the program's id
start() {
	local name=$1 id=$2
	shift 2
	: >"$work/$name.log"
	(as_user "$id" "${lfp_prefix[@]}" "$@") <&"$never" >"$work/$name.log" 2>&1 &
	pids+=($!)
	held[$name]=$!
}
# The network of programs is root's to make, so the wrapper is within it.
lfp_prefix=("$bin/lfp-run" ${LFP_MODE:+"--mode=$LFP_MODE"} -i 01)

declare -A held
hold() { # NAME USER-ID NUMBER
	start "$1" "$2" "${policy[@]}" hold "$3"
	wait_for 60 ends_a_line "$work/$1.log"
}
release() {
	local name
	for name in "$@"; do stop_pid "${held[$name]}"; done
}
reload() { "$bin/lfpd-ctl" reload LINR02 >"$work/reload" 2>&1; }
# users UID COLUMN: 2 tasks, 4 sockets, 6 look-ups
users() { "$bin/lfpd-admin" -i LINR02 users | awk -v uid="$1" -v column="$2" '$1 == uid { print $column }'; }
statistic() { "$bin/lfpd-admin" -i LINR02 --interval 0 statistics | awk -v name="$1" '$1 == name { print $2 }'; }
no_users() { [ "$(statistic users)" = 0 ]; }
said() { [ "$(tail -n 1 "$work/$1.log")" = "$2" ]; }

echo "nameserver 127.0.0.1
options timeout:25 attempts:1" >"$work/resolv.conf"
own_resolver=(unshare --mount -- bash -c
	"mount --bind $work/resolv.conf /etc/resolv.conf && ulimit -n 2048 && exec \"\$@\"" -)
lfpd_conf LINR02 MAX_SOCKETS=16 MAX_VSE_TASKS=12
statements 01
lfpd_start LINR02 "${own_resolver[@]}"
instance_start 01 bash -c 'ulimit -n 2048 && exec "$@"' -

hold a 65534 20
check_eq "$(<"$work/a.log")" "12 sockets, then ENFILE" "a user has three quarters of MAX_SOCKETS"
check "lfpd names user and key" grep -q 'VLFD160W User 65534 has too many open sockets, all of MAX_SOCKETS_USER (12)' "$log"
hold again 65534 1
check_eq "$(<"$work/again.log")" "0 sockets, then ENFILE" "also in another program"
check_eq "$(grep -c VLFD160W "$log")" 1 "not reported each time"
hold b 65533 2
check_eq "$(<"$work/b.log")" "2 sockets" "another user has sockets and a task"
hold root 0 9
check_eq "$(<"$work/root.log")" "2 sockets, then ENFILE" "root has all that is left"
check_eq "$(users 65534 2) $(users 65534 3) $(users 65534 4) $(users 65534 5)" "2 9 12 12" "lfpd-admin users shows it"
check_eq "$(statistic user_sockets_refused)" 2 "it is counted"
release a again b root
check "all is given back" wait_for 30 no_users

lfpd_conf LINR02 MAX_SOCKETS=16 MAX_VSE_TASKS=12 MAX_SOCKETS_USER=3 MAX_TASKS_USER=2
check "the shares change" reload
hold a 65534 9
hold b 65534 1
hold c 65534 1
hold d 65533 4
check_eq "$(<"$work/a.log")" "3 sockets, then ENFILE" "MAX_SOCKETS_USER is 3"
check_eq "$(<"$work/c.log")" "0 sockets, then EAGAIN" "MAX_TASKS_USER is 2"
check "lfpd names user and key" grep -q 'VLFD161W User 65534 has too many tasks, all of MAX_TASKS_USER (2)' "$log"
check_eq "$(<"$work/d.log")" "3 sockets, then ENFILE" "another user has as many"
lfpd_conf LINR02 MAX_SOCKETS=16 MAX_SOCKETS_USER=17
check_exit 6 "more than all is an error" reload
check "which is named" grep -q 'MAX_SOCKETS_USER: 17 is more than MAX_SOCKETS, which is 16' "$work/reload"

release b c
lfpd_conf LINR02 MAX_SOCKETS=16 MAX_VSE_TASKS=12 MAX_SOCKETS_USER=4
if [ "$transport" = local ]; then
	reload
	skip_part "a restart ends programs where the instance lives in lfpd"
else
	kill -USR2 "$lfpd"
	again() { [ "$(grep -c VLFD001I "$log")" = 2 ] && [ "$(users 65534 4)" = 3 ] && instance_up 01; }
	check "sockets count for their users after a restart" wait_for 60 again
	check_eq "$(users 65534 2) $(users 65533 2) $(users 65533 4)" "1 1 3" "and so do tasks"
fi
hold e 65534 2
check_eq "$(<"$work/e.log")" "1 sockets, then ENFILE" "and the new share counts the sockets from before"
release a d e
check "all is given back" wait_for 30 no_users

lfpd_conf LINR02 MAX_SOCKETS=400 MAX_VSE_TASKS=12
check "a larger whole" reload
mkfifo "$work/give-up"
(as_user 65534 "${lfp_prefix[@]}" "${shares[@]}" serve 7200) <"$work/give-up" >"$work/greedy.log" 2>&1 &
held[greedy]=$!
pids+=($!)
exec {give_up}>"$work/give-up"
start modest 65533 "${shares[@]}" serve 7201
wait_listen 7200 && wait_listen 7201 || die "no servers"
background flood "${shares[@]}" flood 7200 450
flood=$!
check "a user's server accepts all that its user may have" wait_for 60 said flood "answered 299"
check_eq "$(users 65534 4)" 300 "three quarters of MAX_SOCKETS"
refused=$(statistic user_sockets_refused)
into "$work/ask" timeout 100 "${shares[@]}" ask 7201 40
check_eq $? 0 "another user's server accepts all the same: the longest took $(<"$work/ask") ms"
check_eq "$(statistic user_sockets_refused)" "$refused" "while lfpd skips the waiting listener"
check_le "$(users 65534 4)" 300 "the first user has no more"
for _ in {1..160}; do echo; done >&"$give_up"
check "it goes on when it has room" wait_for 60 said flood "answered 450"
release greedy modest
exec {give_up}>&-
stop_pid $flood
check "all is given back" wait_for 30 no_users

if [ "${LFP_MODE:-}" = seccomp ]; then
	skip_part "without the shim, programs ask the name server themselves"
else
	background dns "${shares[@]}" name-server
	dns=$!
	wait_bound 53 || die "no name server"
	start looking 65534 "${shares[@]}" look-up a 60
	# Names have one question each; a few threads are left to others.
	asked() { [ "$(awk '/^asked/ { n = $2 } END { print n }' "$work/dns.log")" -ge "$1" ]; }
	check "a user waits for a name server with all threads that it may have" wait_for 30 asked 12
	held_before=$(held_up $$ "$instance")
	for id in 65533 0; do
		(as_user "$id" "${lfp_prefix[@]}" timeout 60 "${shares[@]}" loopback) >"$work/loopback" 2>&1
		check_eq $? 0 "user $id looks 127.0.0.1 up"
		check_le "$(tail -n 1 "$work/loopback")" $((2000 + $(held_up $$ "$instance") - held_before)) "at once, in ms"
	done
	check_eq "$(asked 13 && echo more)" "" "the first user has no more threads"
	check_le "$(users 65534 6)" 60 "its look-ups wait"
	release looking
	stop_pid $dns
fi

# Asked by root, which takes nobody's place.
seen() { timeout 30 "${shares[@]}" ping "$ctl" || die "no answer"; }
# 512 may be parked, as the instance has 2048 descriptors.
for kind in silent parked; do
	mkfifo "$work/$kind.few" "$work/$kind.many"
	(as_user 65533 "${shares[@]}" connections "$ctl" $kind 5) <"$work/$kind.few" >"$work/few.log" 2>&1 &
	few=$!
	pids+=($few)
	exec {end_few}>"$work/$kind.few"
	wait_for 30 grep -q made "$work/few.log" || die "no connections"
	seen
	(as_user 65534 "${shares[@]}" connections "$ctl" $kind 700) <"$work/$kind.many" >"$work/many.log" 2>&1 &
	many=$!
	pids+=($many)
	exec {end_many}>"$work/$kind.many"
	wait_for 30 grep -q made "$work/many.log" || die "no flood: $(tail -n 2 "$work/many.log")"
	seen
	exec {end_few}>&- {end_many}>&-
	wait $few
	wait $many
	check_eq "$(tail -n 1 "$work/few.log")" "left 5" "one user's $kind connections stay when another has too many"
	[ $kind = silent ] && most=192 || most=384
	check_eq "$(tail -n 1 "$work/many.log")" "left $most" "of whose own the oldest have made room"
done

check_eq "$(grep -c "VLFD10[12]W" "$log")" 0 "nobody else had to wait"
finish
