#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 2400 s
# Our own AF_IUCV over HiperSockets on this machine against that of a real kernel for s390x under QEMU, in
# both directions. Between them is tests/s390x/bridge, from our device to QEMU's network.
LFP_TRANSPORT=hipersockets
. "$(dirname "$0")/../system/lib.sh"

"$top/tests/s390x/initrd" >"$O/s390x-initrd.log" 2>&1
rc=$?
[ $rc != 77 ] || skip "$(tail -n 1 "$O/s390x-initrd.log")"
[ $rc = 0 ] || die "$(tail -n 3 "$O/s390x-initrd.log")"
path=$LFP_ROOT/run/vselfpd/LINR02/path

# guest SCRIPT: in the background, its output in $work/guest.log
guest() {
	rm -f "$work/guest.log"
	background guest "$top/tests/s390x/boot" link "$1" \
		-netdev "dgram,id=n0,local.type=unix,local.path=$work/vm,remote.type=unix,remote.path=$work/lan" \
		-device virtio-net-ccw,netdev=n0,mac=c8:e2:d3:d5:e7:f1
	guest=$!
}
bridge() { # listen|connect
	rm -f "$work/lan"
	background bridge "$O/tests/s390x/bridge" "$1" "$path" 16384 "$work/lan" "$work/vm"
	bridge=$!
}
guest_says() { grep -qa "$1" "$work/guest.log"; }
guest_counts() {
	wait_for 900 ended "$guest" || die "the guest does not end"
	sed 's/^/  guest| /' "$work/guest.log"
	wait "$guest"
	add_counts $? "$work/guest.log"
}

echo "== from us to the kernel"
mkdir -p "${path%/*}"
bridge listen
guest link-server
wait_for 600 guest_says "guest: ready" || die "the guest is not ready: $(tail -n 3 "$work/guest.log")"
statements 01 IucvDestVMId=LINUX1 IucvHsuid=VSE1
instance_start 01
check "200 sockets" on_lfp "$programs/many" 10.0.0.1 7000 200 200
check "10 MB there and back, each byte looked at" on_lfp "$programs/mixed" 10.0.0.1 7000 0 10
"$bin/ijblfpop" STOP 01 >/dev/null
check "the guest sees it go" wait_for 60 guest_says "ok: and goes in order"
instance_start 01
kill -KILL "$instance"
wait_for 60 ended "$instance"
guest_counts
stop_pid "$bridge"

echo "== from the kernel to us"
host_echo() { background echo "$programs/echo" 10.0.0.1 7000; }
host_echo
lfpd_conf LINR02 IUCV_HSUID=VSE1 PEER_IUCV_VMID=LINUX1 MAX_SOCKETS=100
lfpd_start LINR02
bridge connect
guest link-client
guest_counts
check "lfpd knows it by its hsuid" grep -q 'VLFD123I TESTV of LINUX1 is connected' "$work/lfpd-LINR02.log"
stop_pid "$bridge"
finish
