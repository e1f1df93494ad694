#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# UDP: large datagrams, connect() with datagrams queued, overflow, many sockets, broadcast and multicast, the end
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

ip link add wide0 type veth peer name wide1 && ip addr add 10.7.0.1/24 brd + dev wide0 &&
	ip link set wide0 up && ip link set wide1 up ||
	skip "no network interface can be made"

on_lfp() { timeout 60 "${lfp_prefix[@]}" "$programs/datagram" "$@"; }
down() {
	stop_pid "$(cat "$LFP_ROOT/run/vselfp/01/pid")"
	stop_pid "$lfpd"
}
said() { grep -q "$2" "$1"; }

background echo "$programs/datagram" echo 127.0.0.1 7501
background echo2 "$programs/datagram" echo 127.0.0.1 7502
wait_bound 7501 && wait_bound 7502 || die "no echo server"

# Packets of the smallest size and one at a time: a datagram is cut into 70
lfp_up MTU_SIZE=1024 MTU=1024 IUCV_MSGLIMIT=1 IucvMsgLimit=1 WINDOW_SIZE=4096 WindowSize=4096 MAX_SOCKETS=110 MAX_SOCKETS_USER=110
check "65,507 bytes both ways, MTU 1024, message limit 1, window 4096" on_lfp large 127.0.0.1 7501
check "round trips" on_lfp trips 127.0.0.1 7501 200
check "connect() with datagrams queued" on_lfp connect 127.0.0.1 7501 7502
check "all sockets are gone" wait_for 30 no_sockets
check "1,000 sockets, 100 at a time, where 110 may be" on_lfp many 100 1000 20000
check_exit 1 "and not 120 at a time" on_lfp many 120 120 20000
check "all sockets are gone again" wait_for 30 no_sockets
down

lfp_up
check "65,507 bytes both ways" on_lfp large 127.0.0.1 7501
check "connect() with datagrams queued" on_lfp connect 127.0.0.1 7501 7502
"$programs/datagram" trace 10.7.0.1 10.7.0.255 7511 >"$work/native" 2>&1
on_lfp trace 10.7.0.1 10.7.0.255 7511 >"$work/lfp" 2>&1
check_eq "$(cat "$work/lfp")" "$(cat "$work/native")" "broadcast, multicast and failures are as natively"
check "the trace is not empty" said "$work/native" "broadcast, not allowed: EACCES"

mkfifo "$work/slow.in"
timeout 60 "${lfp_prefix[@]}" "$programs/datagram" slow 127.0.0.1 7520 <"$work/slow.in" >"$work/slow.log" 2>&1 &
slow=$!
pids+=("$slow")
exec {hold}>"$work/slow.in"
wait_for 30 said "$work/slow.log" bound || die "the slow program does not start"
pid=$(cat "$LFP_ROOT/run/vselfp/01/pid")
before=$(rss_kib "$pid")
background flood "$programs/datagram" flood 127.0.0.1 7520 100000
flood=$!
check "round trips while another socket is flooded" on_lfp trips 127.0.0.1 7501 500
check "the flood ends" wait_for 30 ended "$flood"
check "round trips while it is full" on_lfp trips 127.0.0.1 7501 500
[ -n "${O_SAN:-}" ] || check_le $(($(rss_kib "$pid") - before)) 2048 "KiB that the instance has grown"
[ -n "${O_SAN:-}" ] || check_le $(($(rss_kib "$lfpd"))) 30000 "KiB of lfpd"
exec {hold}>&-
wait_for 30 said "$work/slow.log" read || die "the slow program does not read"
got=$(awk '$1 == "read" { print $2 }' "$work/slow.log")
check "some of the flood has come ($got)" [ "$got" -gt 50 ]
check "and not all" [ "$got" -lt 50000 ]
check "one more is sent" "$programs/datagram" again 127.0.0.1 7520
wait "$slow"
check_eq $? 0 "and comes"

check "1,000 sockets, 250 at a time, on the same ports" on_lfp many 250 1000 20000
check "all sockets are gone" wait_for 30 no_sockets
check "and their ports are free" "$programs/datagram" many 250 250 20000
check_eq "$(find "$LFP_ROOT/run/vselfp/01/private" -type s | grep -vc pair)" 0 "no path of a near end is left"

mkfifo "$work/orphan.in"
timeout 60 "${lfp_prefix[@]}" "$programs/datagram" orphan 127.0.0.1 7501 <"$work/orphan.in" >"$work/orphan.log" 2>&1 &
orphan=$!
pids+=("$orphan")
exec {hold}>"$work/orphan.in"
wait_for 30 said "$work/orphan.log" ready || die "the program does not start"
kill -KILL "$pid"
wait_for 30 ended "$pid"
exec {hold}>&-
wait "$orphan"
# Without the library send() is the kernel's own, and its error too: libvsesock(7), "Errors".
send=ENETDOWN
[ "${LFP_MODE:-}" != seccomp ] || send=ECONNREFUSED
check_eq "$(tail -n +2 "$work/orphan.log" | tr '\n' ' ')" \
	"sendto: ENETDOWN send: $send recv: EAGAIN connect: ENETDOWN close: 0 " "calls fail without an instance"
instance_start 01
check "a new instance serves" on_lfp trips 127.0.0.1 7501 10
check_eq "$(find "$LFP_ROOT/run/vselfp/01/private/vselfp/01" -mindepth 1 -maxdepth 1 | wc -l)" 1 \
	"and has removed what the killed one has left"
finish
