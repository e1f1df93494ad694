#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-run --mode=seccomp: a static program has the sockets of LFP, and they behave as natively
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

# static NAME: $work/NAME, from the source of the same name
static() {
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -O1 -g -static -pthread -I"$top" -o "$work/$1" "$here/$1.c" 2>"$work/cc.log" ||
		skip "no static program can be linked here: $(head -n 1 "$work/cc.log")"
}

static supervised
static connect
background echo "$programs/echo" 127.0.0.1 7000
background host "$programs/connect" host 7010
wait_listen 7000
wait_listen 7011
lfp_up
"$bin/lfp-run" --mode=seccomp -i 01 true >"$work/possible" 2>&1 || skip "$(cat "$work/possible")"
lfp_mode seccomp

# same TEXT ARGUMENT...: natively and on LFP the program prints the same and ends in the same way
same() {
	local text=$1
	shift
	timeout 100 "$work/supervised" "$@" >"$work/native" 2>&1
	echo "exit $?" >>"$work/native"
	timeout 100 "${lfp_prefix[@]}" "$work/supervised" "$@" >"$work/lfp" 2>&1
	echo "exit $?" >>"$work/lfp"
	check "$text: all is well natively" grep -qx "exit 0" "$work/native"
	check "$text" diff "$work/native" "$work/lfp"
}

same "a client" get 127.0.0.1 7000
same "data with addresses and in pieces" sendmsg 127.0.0.1 7000
same "no descriptor is free" limit 127.0.0.1 7000
same "signals in accept" signals 7020
same "a storm of signals" storm 127.0.0.1 7000 200
same "waiting threads delay no other thread" busy 127.0.0.1 7000

timeout 200 "$work/connect" run 127.0.0.1 7010 >"$work/native" 2>&1
check_eq $? 0 "connections that take their time, natively"
timeout 200 "${lfp_prefix[@]}" "$work/connect" run 127.0.0.1 7010 >"$work/lfp" 2>&1
check_eq $? 0 "connections that take their time"
# Differences listed in libvsesock(7)
sed -i 's/^\(the parent, while the child waits:\) OUT HUP$/\1/' "$work/lfp"
check "and they look the same" diff "$work/native" "$work/lfp"

background_on_lfp server "$work/supervised" echo 7030 2
server=$!
wait_listen 7030
check_eq "$(ps -o comm= -p "$server")" supervised "the program has lfp-run's process id"
check "a native client of a static server" "$work/supervised" get 127.0.0.1 7030 >/dev/null
on_lfp "$work/supervised" get 127.0.0.1 7030 >/dev/null
check_eq $? 0 "a static client of a static server"
wait "$server"
check_eq "$? $(tr '\n' ' ' <"$work/server.log")" "0 5 bytes 5 bytes " "it has ended well"

background_on_lfp waiter "$work/supervised" wait 7040
waiter=$!
wait_listen 7040
"$bin/ijblfpop" INFO 01 SHOWTASKS >"$work/info"
check_eq "$(grep -A 1 "PROCESS ID .* $waiter\$" "$work/info" | sed -n 's/^PROGRAM .* : //p')" supervised "INFO shows the program"
kill -KILL "$waiter"
wait "$waiter" 2>/dev/null
gone() { ! listens 7040; }
check "a killed program leaves no listener" wait_for 30 gone

many=()
for i in {1..50}; do
	on_lfp "$work/supervised" get 127.0.0.1 7000 >"$work/many.$i" 2>&1 &
	many+=($!)
done
bad=0
for pid in "${many[@]}"; do wait "$pid" || bad=$((bad + 1)); done
check_eq "$bad" 0 "50 programs at once"
check_eq "$(cat "$work"/many.* | grep -c hello)" 50 "and all got their data"

on_lfp "$work/supervised" denied >"$work/denied"
check_eq "$(grep -c 'io_uring.*ENOSYS' "$work/denied")" 2 "io_uring does not exist"
if grep -q i386 "$work/denied"; then
	if grep -q 'i386 socket: ENOSYS' "$work/denied"; then
		skip_part "this kernel has no 32-bit calls"
	else
		check "32-bit calls make no Internet socket" grep -qx 'i386 socket: EAFNOSUPPORT' "$work/denied"
		check "but others" grep -qx 'i386 socket of another family: EINVAL' "$work/denied"
		check "the instance's log has it" grep -Eq 'VLFB050W Program supervised, process [0-9]+: refused socket\(AF_INET\): .*32 bits' \
			"$LFP_ROOT/run/vselfp/01/log"
	fi
	check "nor do calls of x32 programs" grep -Eqx 'x32 socket: (EAFNOSUPPORT|ENOSYS)' "$work/denied"
fi

check "all sockets are gone" wait_for 30 no_sockets
check "all supervisors have ended" wait_for 30 no_supervisor
finish
