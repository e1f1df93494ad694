#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Near ends reach nothing of the host's network namespace, and no other process can take their names
# Time limit: 120 s
. "$(dirname "$0")/lib.sh"
needs setpriv python3

[ "$(id -u)" = 0 ] || skip "not root"

# as USER-ID COMMAND...: in the host's network, where every process sees its abstract names
as() {
	local id=$1
	shift
	setpriv --reuid "$id" --regid "$id" --clear-groups timeout 100 "$@"
}

# Sockets such as those of X11, D-Bus and container shims
background names python3 -c '
import socket, time
stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
stream.bind("\0lfp-test-stream")
stream.listen(50)
datagram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
datagram.bind("\0lfp-test-datagram")
print("there", flush=True)
time.sleep(600)'
wait_for 30 grep -q there "$work/names.log" || die "no abstract names"

# attempts TEXT
attempts() {
	local mode kind taker
	for mode in preload both seccomp; do
		kind=raw
		[ $mode != seccomp ] || kind=served
		into "$work/reach" as 65534 "$bin/lfp-run" --mode=$mode -i 01 "$programs/near-namespace" reach $kind
		check_eq $? 0 "$1: near ends reach nothing, mode $mode" || cat "$work/reach"
	done
	rm -f "$work/go"
	background victim as 1 "$bin/lfp-run" --mode=preload -i 01 "$programs/near-namespace" open 300 "$work/go"
	victim=$!
	wait_for 30 grep -q one "$work/victim.log" || die "no socket"
	background taker setpriv --reuid 65534 --regid 65534 --clear-groups "$programs/near-namespace" take 01
	taker=$!
	wait_for 30 grep -q taken "$work/taker.log" || die "the other user does nothing"
	touch "$work/go"
	check "$1: the program closes its sockets" wait_for 60 grep -q closed "$work/victim.log"
	check "$1: every socket() succeeds: $(grep failed "$work/victim.log")" grep -qx '0 of 300 failed' "$work/victim.log"
	# The other user binds names that become free, too
	check "$1: all sockets are gone" wait_for 15 no_sockets
	stop_pid $taker
	rm "$work/go"
	wait_for 60 ended $victim
}

# unseen: no name of a near end is seen from the host
unseen() { ! grep -q "vselfp/01/[0-9a-f]\{16\}/" /proc/net/unix; }

lfp_up
attempts "an instance of its own"
check "no name is seen" unseen
maker=$(pgrep -P "$instance" lfp-near)
check "the process that makes sockets is there" [ -n "$maker" ]
check_eq "$(awk '/^CapEff:/ { print $2 }' "/proc/$maker/status")" 0000000000000000 "and has no rights"
check_eq "$(fds "$maker")" 3 "and no descriptors but those by which it sends"

# It is killed: calls fail, one message says why, and nothing hangs
stop_pid "$maker" KILL
touch "$work/go"
background without as 1 "$bin/lfp-run" --mode=preload -i 01 "$programs/near-namespace" open 100 "$work/go"
wait_for 30 grep -q closed "$work/without.log"
check "without it socket() fails with ENOBUFS" grep -qx 'socket: ENOBUFS' "$work/without.log"
rm "$work/go"
check_eq "$(grep -c VLFB090E "$LFP_ROOT/run/vselfp/01/log")" 1 "and the log does, once"
stop_pid "$instance"
instance_start 01
maker=$(pgrep -P "$instance" lfp-near)
kill -KILL "$instance"
check "it ends with an instance that is killed" wait_for 30 ended "$maker"
stop_pid "$lfpd"

# Where there is no namespace START refuses, unless the statements say that it may be the host's
statements 01 NearNetwork=host
lfpd_start LINR02
instance_start 01
check_eq "$(pgrep -cP "$instance" lfp-near)" 0 "NearNetwork = host needs no such process"
into "$work/host" as 65534 "$bin/lfp-run" --mode=preload -i 01 "$programs/near-namespace" reach raw
check_eq $? 1 "and near ends are the host's then"
stop_pid "$instance"
statements 01
max=/proc/sys/user/max_user_namespaces
mkdir "$work/none"
LFP_ROOT=$work/none unshare --user --map-root-user --net bash -c "
	echo 0 >$max && exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
		'$daemons/ijblfpop' START '$work/start-01'" >"$work/refused" 2>&1
check "START refuses without a namespace" grep -q 'VLFB091E.*NearNetwork = host' "$work/refused"
[ "$failed" = 0 ] || cat "$work/refused"
stop_pid "$lfpd"

# lfpd hosts the instance
transport=local
lfpd_conf LINR02
statements 01
lfpd_start LINR02
instance_start 01
attempts "an instance in lfpd"
finish
