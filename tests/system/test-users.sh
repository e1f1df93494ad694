#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs of several users share an instance, and no user has a right to another's sockets
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs setpriv

[ "$(id -u)" = 0 ] || skip "not root"
background server "$programs/echo" 127.0.0.1 7000
wait_listen 7000 || die "no server"
lfp_up
ctl=$LFP_ROOT/run/vselfp/01/ctl

# as USER-ID COMMAND...
as() {
	local id=$1
	shift
	timeout 100 setpriv --reuid "$id" --regid "$id" --clear-groups "$@"
}

# all_calls FILE: did the program make all of its calls, as it does natively?
all_calls() { diff <(grep -v waiting "$1") "$work/native"; }

"$programs/confined" 127.0.0.1 7000 none >"$work/native" 2>&1
background_on_lfp victim "$programs/confined" 127.0.0.1 7000 wait "$work/go"
victim=$!
check "root has sockets" wait_for 30 grep -q waiting "$work/victim.log"
for id in 33 1 65534; do
	"${empty_net[@]}" setpriv --reuid $id --regid $id --clear-groups timeout 100 "$bin/lfp-run" -i 01 \
		"$programs/confined" 127.0.0.1 7000 none >"$work/own" 2>&1
	check "user $id has sockets of its own" all_calls "$work/own"
done

# In a network where the names of near ends are visible, and in one of its own
into "$work/forge" as 65534 "$bin/lfp-run" -i 01 "$programs/forge" 01 "$ctl"
check_eq $? 0 "forged requests of a user are refused: $(tail -n 1 "$work/forge")"
check "names like those of others were tried" grep -qx "getpeername: EBADF" "$work/forge"
[ "$failed" = 0 ] || cat "$work/forge"
"${empty_net[@]}" setpriv --reuid 65534 --regid 65534 --clear-groups \
	"$bin/lfp-run" -i 01 "$programs/forge" 01 "$ctl" >"$work/forge" 2>&1
check_eq $? 0 "and from another network: $(tail -n 1 "$work/forge")"
[ "$failed" = 0 ] || cat "$work/forge"

touch "$work/go"
check "root's program ends" wait_for 30 ended $victim
check "its sockets are as they were" all_calls "$work/victim.log"

check "all sockets are gone" wait_for 30 no_sockets

# An existing directory of the instance decides who may use the instance
stop_pid "$instance"
mkdir -p "$LFP_ROOT/run/vselfp/01"
chmod 750 "$LFP_ROOT/run/vselfp/01"
chgrp 33 "$LFP_ROOT/run/vselfp/01"
instance_start 01
as 33 "$bin/lfp-run" -i 01 "$programs/confined" 127.0.0.1 7000 none >"$work/own" 2>&1
check "the group may" all_calls "$work/own"
into "$work/own" as 65534 "$bin/lfp-run" -i 01 true
check_eq $? 69 "another user may not: $(cat "$work/own")"
check "all sockets are gone" wait_for 30 no_sockets
finish
