#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Under a seccomp filter of its own a program gets the filter's errors and nothing else, and data costs nothing more
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

background server "$programs/echo" 127.0.0.1 7000
wait_listen 7000 || die "no server"
lfp_up

# same CALL: natively and on LFP the program prints the same
same() {
	timeout 100 "$programs/filtered" 127.0.0.1 7000 "$1" >"$work/native" 2>&1
	timeout 100 "${lfp_prefix[@]}" "$programs/filtered" 127.0.0.1 7000 "$1" >"$work/lfp" 2>&1
	check "$1: $2" diff "$work/native" "$work/lfp"
}

check "a filter works here" grep -qx "exit 0" <("$programs/filtered" 127.0.0.1 7000 none)
for call in none socket bind listen connect accept4 shutdown getsockname getpeername getsockopt setsockopt ioctl; do
	same $call "only this call is refused"
done
same socketpair "what the shim would call is refused, and it finds another way"
same fcntl "the same"
same close "the same"
for call in sendmsg recvmsg; do
	timeout 100 "${lfp_prefix[@]}" "$programs/filtered" 127.0.0.1 7000 $call >"$work/lfp" 2>&1
	check "$call: control calls need it, and give its error" grep -qx "getpeername: ENOTUNIQ" "$work/lfp"
	check_eq "$(grep -c 'as it was: 1' "$work/lfp")" 2 "$call: data passes before and after"
	check "$call: nothing is killed" grep -qx "exit 0" "$work/lfp"
done
same data "data passes where everything else kills, and a control call is killed"
same end "the end of a connection kills no program"
timeout 100 "${lfp_prefix[@]}" "$programs/filtered" 127.0.0.1 7000 confined >"$work/lfp" 2>&1
check_eq "$(tail -n 1 "$work/lfp")" "exit 3" "a control call that can't be made says ENETDOWN"
same count "data makes no more system calls"
check "all sockets are gone" wait_for 30 no_sockets
finish
