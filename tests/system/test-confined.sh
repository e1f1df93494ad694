#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Control calls on sockets work as natively after chroot, setuid, unshare, closefrom, and with no descriptor free
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "not root"
"${empty_net[@]}" true 2>/dev/null || skip "no network namespace"
background server "$programs/echo" 127.0.0.1 7000
wait_listen 7000 || die "no server"
lfp_up
jail=$work/jail
mkdir "$jail"
closed=$LFP_ROOT/run/vselfp # only its owner finds the instance then

# same TEXT CASE...: natively and on LFP the program prints the same
same() {
	local text=$1
	shift
	timeout 100 "$programs/confined" 127.0.0.1 7000 "$@" >"$work/native" 2>&1
	echo "exit $?" >>"$work/native"
	timeout 100 "${lfp_prefix[@]}" "$programs/confined" 127.0.0.1 7000 "$@" >"$work/lfp" 2>&1
	echo "exit $?" >>"$work/lfp"
	check "$text: all is well natively" grep -qx "exit 0" "$work/native"
	check "$text" diff "$work/native" "$work/lfp"
}

same "unconfined" none
same "chroot" chroot "$jail"
same "closefrom" closefrom
same "closefrom in a child" fork closefrom
same "no descriptor is free" full
same "something else has the parked descriptor's number" overwrite
same "a network namespace" network
same "a mount namespace that hides the instance" mount "$LFP_ROOT"
same "a child after chroot" chroot "$jail" fork
same "chroot, and no descriptor is free" chroot "$jail" full
same "exec" exec
same "exec, and chroot before any call" exec chroot "$jail"
same "exec, and a mount namespace before any call" exec mount "$LFP_ROOT"
chmod 700 "$closed"
same "another user" setuid
same "another user, in a jail" chroot "$jail" setuid
same "another user, and no descriptor is free" setuid full
same "all namespaces" network mount "$LFP_ROOT" setuid
chmod 755 "$closed"
same "another user, and closefrom" setuid closefrom
if unshare --user true 2>/dev/null; then
	same "a user namespace" user
	same "a user namespace, in a jail" chroot "$jail" network
else
	skip_part "no user namespaces here"
fi
same "a child in another pid namespace" pid fork
same "a child in another pid namespace, and no descriptor is free" pid fork full

# Impossible: neither the parked connection nor the path is available
timeout 100 "${lfp_prefix[@]}" "$programs/confined" 127.0.0.1 7000 chroot "$jail" closefrom >"$work/lost" 2>&1
check "chroot and closefrom: the calls say so" grep -qx "getpeername: ENETDOWN" "$work/lost"
check "and data passes" grep -qx "as it was: 1" "$work/lost"
check "all sockets are gone" wait_for 30 no_sockets
check_eq "$(grep -c 'VLFB.*[EW] ' "$(instance_log 01)")" 0 "the instance has nothing to complain of"
finish
