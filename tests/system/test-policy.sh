#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# RESTRICT_TO_HOSTID with real programs: two z/VSE systems on one host, each under its own address, never mix
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

# A wrapper of the shell's would be tasks of its own.
policy=("$(python3 -c 'import sys; print(sys.executable)')" "$here/policy.py")
ip addr add 10.0.0.2/32 dev lo || die "no second address"
ip route add 239.0.0.0/8 dev lo
# Without this a user who is not root in its namespaces cannot bind port 23.
echo 0 2>/dev/null >/proc/sys/net/ipv4/ip_unprivileged_port_start
ipv6=
ip addr add fd00::1/128 dev lo 2>/dev/null && ipv6=fd00::1

start_says() { # KEY=VALUE TEXT
	lfpd_conf LINR02 RESTRICT_TO_HOSTID=yes VSE_HOSTID=10.0.0.1 "$1"
	timeout 100 "$daemons/lfpd" -d -f "$conf" >"$work/out" 2>&1
	check_eq $? 69 "$1: lfpd does not start"
	check "and says why" grep -q "VLFD012E .*$2" "$work/out" || cat "$work/out"
}
start_says VSE_HOSTID=10.9.9.9 "does not have the address VSE_HOSTID = 10.9.9.9. RESTRICT_TO_HOSTID confines"
[ -z "$ipv6" ] || start_says VSE_HOSTID6=fd00::99 "does not have the address VSE_HOSTID6 = fd00::99"

lfpd_conf LINR02 RESTRICT_TO_HOSTID=yes VSE_HOSTID=10.0.0.1 ${ipv6:+VSE_HOSTID6=$ipv6}
lfpd_conf LINR03 RESTRICT_TO_HOSTID=yes VSE_HOSTID=10.0.0.2 PEER_IUCV_VMID=VSER06 MAX_SOCKETS=5 MAX_SOCKETS_USER=5 MAX_VSE_TASKS=2 MAX_TASKS_USER=2
statements 01
statements 02 IucvDestAppName=LINR03
lfpd_start LINR02
lfpd_start LINR03
instance_start 01
instance_start 02 LFP_VMID=VSER06
on_01=("${empty_net[@]}" "$bin/lfp-run" ${LFP_MODE:+"--mode=$LFP_MODE"} -i 01)
on_02=("${empty_net[@]}" "$bin/lfp-run" ${LFP_MODE:+"--mode=$LFP_MODE"} -i 02)

background first "${on_01[@]}" "${policy[@]}" serve first 23
first=$!
background second "${on_02[@]}" "${policy[@]}" serve second 23
second=$!
is_at() { grep -qx "at $2 $2" "$work/$1.log"; }
check "the first listens on port 23 of its address" wait_for 30 is_at first 10.0.0.1
check "the second does on its own, at the same time" wait_for 30 is_at second 10.0.0.2
listeners() { grep -c ' 0A ' /proc/net/tcp; }
check_eq "$(listeners)" 2 "both are listeners of the host"
into "$work/asked" "${policy[@]}" ask hello 10.0.0.1/23 10.0.0.2/23
check_eq "$(cat "$work/asked")" "first sees 10.0.0.1 at 10.0.0.1 saying hello
first sees 10.0.0.1 saying hello from 10.0.0.1
second sees 10.0.0.2 at 10.0.0.2 saying hello
second sees 10.0.0.2 saying hello from 10.0.0.2" "each address has its own server, by TCP and UDP"
into "$work/asked" "${on_01[@]}" "${policy[@]}" ask across 10.0.0.2/23
check_eq "$(cat "$work/asked")" "second sees 10.0.0.1 at 10.0.0.2 saying across
second sees 10.0.0.1 saying across from 10.0.0.2" "a program of the first reaches the second, from its own address"

# Tasks, sockets, limits
tasks() { [ "$(status LINR02 'Number of active z/VSE tasks') $(status LINR03 'Number of active z/VSE tasks')" = "1 1" ]; }
sockets() { [ "$(status LINR02 'Number of active sockets') $(status LINR03 'Number of active sockets')" = "$*" ]; }
check "a task each" wait_for 30 tasks # the one that has just ended takes a moment
check "two sockets each" wait_for 30 sockets 2 2
check_eq "$(info 01 'ACTIVE TASK COUNT') $(info 02 'ACTIVE TASK COUNT')" "1 1" "and so z/VSE sees it"
coproc held { "${on_02[@]}" "${policy[@]}" hold 10; }
held_pid=$held_PID
pids+=("$held_pid")
read -r -t 30 -u "${held[0]}" line
check_eq "${line:-}" "3 sockets, then ENFILE" "the second has reached its limit"
into "$work/out" "${on_01[@]}" "${policy[@]}" hold 40 </dev/null
check_eq "$(cat "$work/out")" "40 sockets" "the first has not"
check "the numbers are apart" wait_for 30 sockets 2 5
kill "$held_pid" && wait_for 30 ended "$held_pid"
five_gone() { [ "$(status LINR03 'Number of active sockets')" = 2 ]; }
check "its sockets go" wait_for 30 five_gone

# One instance ends; the other one is unaffected.
"${policy[@]}" ask end 10.0.0.2/23 >/dev/null
check "the second server ends" wait_for 30 ended "$second"
stop_pid "$lfpd"
into "$work/asked" "${policy[@]}" ask again 10.0.0.1/23
check "the first goes on without the second's lfpd" grep -q "first sees 10.0.0.1 at 10.0.0.1 saying again" "$work/asked"
"${policy[@]}" ask end 10.0.0.1/23 >/dev/null
check "the first server ends" wait_for 30 ended "$first"

check_eq "$("${on_01[@]}" "$programs/names" host | grep gethostid)" "gethostid 100000a" "GETHOSTID"
check_eq "$(status LINR02 'Applied host id')" 10.0.0.1 "Applied host id"
"${on_01[@]}" "$programs/names" interfaces >"$work/interfaces" 2>&1
check_eq "$(grep -o ' address [0-9a-f.:]\+ mask' "$work/interfaces" | sort -u | tr -d '\n')" \
	" address 10.0.0.1 mask${ipv6:+ address $ipv6 mask}" "the list of interfaces has the address and no other"

background sink "${policy[@]}" sink 10.0.0.2 7100
wait_listen 7101 || die "no sink"
range=$(cat /proc/sys/net/ipv4/ip_local_port_range)
if echo "40000 40019" 2>/dev/null >/proc/sys/net/ipv4/ip_local_port_range; then
	into "$work/out" "${on_01[@]}" "${policy[@]}" many 10.0.0.2 7100 30
	check_eq "$(cat "$work/out")" "30 connections from 10.0.0.1" "20 ports are enough for 30 connections to two servers"
	echo "$range" >/proc/sys/net/ipv4/ip_local_port_range
else
	skip_part "the range of ports cannot be set"
fi

into "$work/out" "${on_01[@]}" "${policy[@]}" group
check_eq "$(cat "$work/out")" "to the group from 10.0.0.1
MULTICAST_IF EADDRNOTAVAIL
ADD_MEMBERSHIP ENODEV
ADD_SOURCE_MEMBERSHIP ENODEV" "what is bound to a group hears it, and leaves from VSE_HOSTID; other interfaces are refused"

if [ -n "$ipv6" ]; then
	background six "${on_01[@]}" "${policy[@]}" serve six 2323 ::
	check "the wildcard of IPv6 is VSE_HOSTID6" wait_for 30 is_at six fd00::1
	into "$work/asked" "${policy[@]}" ask hello fd00::1/2323
	check "which has a server" grep -q "six sees fd00::1 at fd00::1 saying hello" "$work/asked"
else
	skip_part "no IPv6 here"
fi
finish
