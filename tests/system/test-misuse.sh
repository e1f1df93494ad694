#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random calls of two users, right and wrong ones, against a hostile host: they cost only their own sockets
# Time limit: 300 s
#
# MISUSE_SECONDS: time of each kind of programs, 5 by default; MISUSE_SEED: repeats a run.
. "$(dirname "$0")/lib.sh"

seconds=${MISUSE_SECONDS:-5}
seed=${MISUSE_SEED:-$((RANDOM * 32768 + RANDOM))}
longest=${MISUSE_LONGEST:-20000} # ms of a call; beside other load on a busy machine
echo "MISUSE_SEED=$seed"
users=("$(id -u)" "$(id -u)")
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$programs/misuse" && users=(0 65534)
fi
[ "${users[0]}" != "${users[1]}" ] || skip_part "a second user: only root can become one, and the build must be open to it"
background echo "$programs/echo" 127.0.0.1 7000
wait_listen 7000 || die "no echo"
background host "$programs/misuse" host 127.0.0.1 7001 "$seed"
wait_listen 7001 || die "no host"
mkdir -m 777 "$work/mail"
lfp_up

# misuse NAME USER KIND NR
misuse() {
	local as=()
	[ "$2" = "$(id -u)" ] || as=(setpriv --reuid "$2" --regid "$2" --clear-groups)
	background "$1" "${empty_net[@]}" "${as[@]}" "$bin/lfp-run" ${LFP_MODE:+"--mode=$LFP_MODE"} -i 01 "$programs/misuse" \
		"$3" 127.0.0.1 7001 "$seed" "$seconds" "$longest" "$work/mail" "$4" "$LFP_ROOT/run/vselfp/01/ctl"
}
# A daemon keeps some resources, such as the socket of its first look-up.
no_more_fds() {
	local was now i
	IFS=: read -ra was <<<"$before"
	IFS=: read -ra now <<<"$(steady_fds "$lfpd" "$instance")"
	for i in 0 1; do [ "${now[i]}" -le $((was[i] + 2)) ] || return 1; done
}
none() { [ "$(info 01 'ACTIVE TASK COUNT')" = 0 ]; }
ends_of_path() { cat "$work/lfpd-LINR02.log" "$(instance_log 01)" | grep -E 'VLFD11[1234]|VLFB031' | sort -u; }
disagreements() { cat "$work/lfpd-LINR02.log" "$(instance_log 01)" | grep -E 'VLFD127W|VLFB065W' | sort -u; }

check "all is quiet before" wait_for 30 no_sockets
before=$(steady_fds "$lfpd" "$instance")
for kind in plain raw; do
	rm -f "$work/go"
	background_on_lfp bystander "$programs/misuse" bystander 127.0.0.1 7000 "$work/go"
	bystander=$!
	wait_for 30 grep -q '^ready' "$work/bystander.log" || die "no bystander: $(cat "$work/bystander.log")"
	started=()
	for nr in 0 1 2 3; do
		misuse "$kind-$nr" "${users[nr % 2]}" $kind $nr
		started+=($!)
	done
	for nr in 0 1 2 3; do
		wait "${started[nr]}"
		check_eq $? 0 "$kind program $nr: $(tail -n 1 "$work/$kind-$nr.log")"
	done
	touch "$work/go"
	wait "$bystander"
	check_eq $? 0 "the bystander: $(tail -n 1 "$work/bystander.log")"
	check_eq "$(ends_of_path)" "" "the path has not ended"
	check_eq "$(disagreements)" "" "lfpd and the instance agree"
	check "all sockets are gone" wait_for 60 no_sockets
	check "and all tasks" wait_for 60 none
	check "and all descriptors" wait_for 60 no_more_fds
done
finish
