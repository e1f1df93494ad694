#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# chronyd on LFP as a server, under its own seccomp filter too, and as a client; chronyc on LFP. It has no chroot; its user
# and that filter confine it.
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
PATH=$PATH:/usr/sbin
needs chronyd chronyc

# Without root chronyd keeps its user; as root it becomes its own user. The clock is left alone (-x).
me=$(id -un)
mkdir "$work/chrony"
if [ "$me" = root ]; then
	as=(-u _chrony)
	chown _chrony: "$work/chrony"
else
	as=(-U -u "$me")
fi
conf() { # PORT COMMAND-PORT
	cat <<-END
		local stratum 3
		allow all
		port $1
		cmdport $2
		cmdallow all
		bindaddress 127.0.0.1
		bindaddress ::1
		bindcmdaddress 127.0.0.1
		bindcmdaddress ::1
		bindcmdaddress /
		pidfile $work/chrony/$1.pid
	END
}
for port in 12301 12302 12303; do conf $port $((port + 10)) >"$work/conf-$port"; done

# ask TEXT HOST PORT PREFIX...: the server's time, as a client that sets nothing; its state
ask() {
	local text=$1 host=$2 port=$3 poll rc
	shift 3
	# The machine's clock is the server's clock: the difference is what the way adds. chronyd asks eight times at most, each
	# time from a new port, a quarter of minpoll after the last, and chronyd drops a late answer. 4 ms (-6) are too short on a
	# busy machine. If half a second (1) is too short, the test asks again with two seconds (3), the most that chronyd waits.
	for poll in 1 3 3; do
		same_clock
		timeout 120 "$@" chronyd "${as[@]}" -x -t 60 -Q "server $host port $port iburst minpoll $poll maxpoll $poll maxsamples 4" \
			"pidfile $work/chrony/client.pid" "bindcmdaddress /" "cmdport 0" >"$work/asked" 2>&1
		rc=$?
		grep -q 'No suitable source' "$work/asked" || break
	done
	check_eq $rc 0 "$text: a client of $host" || tail -n 5 "$work/asked"
	# The way there and the way back may differ by all of the time that it waits for an answer, of which half is the error.
	check_eq "$(sed -n 's/.*System clock wrong by \(-\{0,1\}[0-9.]*\) seconds.*/\1/p' "$work/asked" |
		awk -v most=$((poll == 1 ? 500 : 1000)) '{ print ($1 * 1000 < most && $1 * -1000 < most) ? "right" : "wrong" }')" right "$text: the time"
	check_eq "$(timeout 120 "$@" chronyc -h "$host" -p $((port + 10)) -n -m 'timeout 15000' tracking | sed -n 's/^Stratum *: //p')" 3 "$text: chronyc"
	check_exit 1 "$text: chronyc without a server" into "$work/none" timeout 120 "$@" chronyc -h "$host" -p 1 -n tracking
}

lfp_up
background_on_lfp chronyd-lfp chronyd "${as[@]}" -x -d -f "$work/conf-12301"
server=$!
background chronyd-native chronyd "${as[@]}" -x -d -f "$work/conf-12302"
background_on_lfp chronyd-filter chronyd "${as[@]}" -x -d -F -1 -f "$work/conf-12303"
filtered=$!
for port in 12301 12302 12303; do
	wait_bound_both $port && wait_bound_both $((port + 10)) || die "chronyd has no port $port"
done
for host in 127.0.0.1 ::1; do
	ask "chronyd on LFP" $host 12301
	ask "client on LFP" $host 12302 "${lfp_prefix[@]}"
	ask "under its own filter" $host 12303
done
[ -n "${NATIVE:-}" ] || ask "both on LFP" 127.0.0.1 12301 "${lfp_prefix[@]}"
check "ends when it is told" stop_pid $server
check "so under its own filter" stop_pid $filtered
finish
