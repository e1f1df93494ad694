#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd-ctl check: each prerequisite as present, missing and not needed, from a made-up /proc and /sys
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

sys=$work/system
export LFP_SYSTEM=$sys
device=$sys/sys/bus/ccwgroup/drivers/qeth/0.0.f000
net=$sys/sys/class/net/hsi0

put() { # FILE LINE...
	mkdir -p "${1%/*}"
	printf '%s\n' "${@:2}" >"$1"
}
# A system where nothing is missing.
lpar() {
	rm -rf "$sys"
	mkdir -p "$sys/sys/module/af_iucv"
	put "$sys/proc/sysinfo" 'Manufacturer:         IBM             ' 'LPAR Name:            LP07    '
	put "$device/hsuid" VSELNX
	put "$device/card_type" 'HiperSockets'
	put "$device/layer2" 0
	put "$device/online" 1
	put "$device/if_name" hsi0
	put "$net/mtu" 16384
	put "$net/flags" 0x1043
	put "$sys/proc/net/fib_trie" 'Main:' '  +-- 0.0.0.0/0 3 0 5' '     |-- 192.0.2.1' '        /32 host LOCAL' \
		'     |-- 192.0.2.255' '        /32 link BROADCAST'
	put "$sys/proc/net/if_inet6" 'fd000000000000000000000000000001 02 40 00 80     hsi0'
	put "$sys/proc/self/status" 'Name:	lfpd-ctl' 'CapEff:	0000000000000400'
	put "$sys/proc/sys/net/ipv4/ip_unprivileged_port_start" 1024
}
vm() {
	lpar
	put "$sys/proc/sysinfo" 'Manufacturer:         IBM' 'VM00 Name:            LINUX1  ' \
		'VM00 Control Program: z/VM    7.3.0                           '
}
asked() { "$bin/lfpd-ctl" check -v LINR02 >"$work/out" 2>"$work/err"; }
# shows TEXT...: does the answer have that line?
shows() { asked; grep -qE -- "$*" "$work/out" || { cat "$work/out"; return 1; }; }
all_ok() { asked && ! grep -q ^missing "$work/out" && [ ! -s "$work/err" ]; }
# lacks TEXT...: that line, a message with the number of such lines, and exit code 1
lacks() {
	shows "^missing  $*" || return
	asked
	[ $? = 1 ] && grep -q "VLFD850E LINR02: $(grep -c ^missing "$work/out") prerequisites are missing" "$work/err"
}

lfpd_conf LINR02 TRANSPORT=iucv IUCV_HSUID=VSELNX VSE_HOSTID=192.0.2.1 VSE_HOSTID6=fd00::1 RESTRICT_TO_HOSTID=yes
lpar
check "an LPAR with all it needs: exit code 0" all_ok || cat "$work/out" "$work/err"
check "AF_IUCV" shows '^ok       AF_IUCV .*the kernel has af_iucv'
check "LPAR" shows '^ok       environment .*LPAR LP07'
check "hsuid" shows '^ok       hsuid .*device 0.0.f000, interface hsi0, has VSELNX'
check "layer 3" shows '^ok       layer 3 .*device 0.0.f000'
check "completion queue" shows '^ok       completion queue .*0.0.f000'
check "MTU" shows '^ok       MTU .*16384.*8192'
check "host id" shows '^ok       host id .*VSE_HOSTID = 192.0.2.1'
check "host id, IPv6" shows '^ok       host id .*VSE_HOSTID6 = fd00::1'
check "port capability" shows '^ok       port capability .*CAP_NET_BIND_SERVICE'

rmdir "$sys/sys/module/af_iucv"
check "no module" lacks 'AF_IUCV .*modprobe af_iucv'
rm "$sys/proc/sysinfo"
check "not IBM Z" lacks 'AF_IUCV .*this is not Linux for IBM Z'
check "no LPAR" lacks 'environment .*an LPAR or z/VM'
lpar
put "$sys/proc/sysinfo" 'Manufacturer: IBM' 'VM00 Control Program: KVM/Linux'
check "another hypervisor" lacks 'environment .*this is KVM/Linux'
lpar
put "$device/hsuid" OTHER
check "another hsuid" lacks 'hsuid .*no device has VSELNX: chzdev qeth DEVICE hsuid=VSELNX'
check "then the completion queue is not known" lacks 'completion queue .*no device accepted the hsuid'
check "nor the layer" lacks 'layer 3 .*no device'
check "nor the MTU" lacks 'MTU .*no interface'
put "$device/card_type" OSD_10GIG
check "no HiperSockets at all" lacks 'hsuid .*there is no HiperSockets device'
put "$device/hsuid" VSELNX
check "an OSA adapter" lacks 'layer 3 .*is not HiperSockets'
lpar
put "$device/layer2" 1
check "layer 2" lacks 'layer 3 .*chzdev qeth 0.0.f000 layer2=0'
lpar
put "$device/online" 0
check "an offline device" lacks 'hsuid .*device 0.0.f000 is offline: chzdev -e 0.0.f000'
lpar
put "$net/flags" 0x1002
check "an interface that is down" lacks 'hsuid .*ip link set hsi0 up'
lpar
put "$net/mtu" 8192
check "an MTU that the headers do not fit" lacks 'MTU .*8192, MTU_SIZE 8192 needs 8310'
lpar
put "$sys/proc/net/fib_trie" '     |-- 192.0.2.1' '        /32 link BROADCAST' '     |-- 192.0.2.2' '        /32 host LOCAL'
check "no interface with the host id" lacks 'host id .*VSE_HOSTID = 192.0.2.1: ip address add'
put "$sys/proc/net/if_inet6" 'fe800000000000000000000000000001 02 40 00 80     hsi0'
check "nor the IPv6 one" lacks 'host id .*VSE_HOSTID6 = fd00::1'
lpar
put "$sys/proc/self/status" 'CapEff:	0000000000000000'
check "no right to ports below 1024" lacks 'port capability .*CAP_NET_BIND_SERVICE'
put "$sys/proc/sys/net/ipv4/ip_unprivileged_port_start" 0
check "none is needed" shows '^ok       port capability .*any user may bind'

vm
check "HiperSockets in z/VM" shows '^ok       environment .*z/VM    7.3.0, with a HiperSockets device'
lfpd_conf LINR02 TRANSPORT=iucv
lpar
check "z/VM IUCV in an LPAR" lacks 'environment .*set IUCV_HSUID'
vm
check "z/VM IUCV: exit code 0" all_ok || cat "$work/out" "$work/err"
check "its user id" shows '^ok       environment .*user id LINUX1'
check "no hsuid is needed" shows '^-        hsuid .*not needed'

rm -rf "$sys"
lfpd_conf LINR02 TRANSPORT=unix RESTRICT_TO_HOSTID=no VSE_HOSTID=192.0.2.1
lpar
rm -rf "$device" "$sys/sys/module" "$sys/proc/sysinfo" "$sys/proc/net"
check "another transport needs nothing of it: exit code 0" all_ok || cat "$work/out" "$work/err"
check "as its line says" shows '^-        AF_IUCV .*not needed: TRANSPORT is not iucv'
check "nor a host id that does not confine" shows '^-        host id .*RESTRICT_TO_HOSTID is no'

"$bin/lfpd-ctl" check LINR02 >"$work/brief" 2>&1
check_eq "$(diff <(grep -v '^-  ' "$work/out") "$work/brief")" "" "without -v there is no word of what is not needed"
check "and so it is shorter" test "$(wc -l <"$work/brief")" -lt "$(wc -l <"$work/out")"

lfpd_conf LINR02 TRANSPORT=vsock PEER_CID=3
put "$sys/dev/vsock" ''
check "vsock without a driver" lacks 'vsock driver .*modprobe vhost_vsock on a host'
check "- and a device that is none has no CID" lacks 'CID .*does not tell it'
check "- AF_VSOCK is there" shows '^ok       /dev/vsock .*the kernel has AF_VSOCK'
mkdir -p "$sys/sys/module/vhost_vsock"
check "a host" shows '^ok       vsock driver .*vhost_vsock: this system is a host'
mkdir -p "$sys/sys/module/vmw_vsock_virtio_transport"
check "a guest" shows '^ok       vsock driver .*vmw_vsock_virtio_transport: this system is a guest'
rm "$sys/dev/vsock"
check "no AF_VSOCK" lacks '/dev/vsock .*modprobe vsock'

unset LFP_SYSTEM
check "the real system is looked at" shows '^(ok|-|missing) .*port capability'
lfpd_conf LINR02 TRANSPORT=nonsense
check_exit 6 "a wrong configuration" asked
rm "$LFP_ROOT"/etc/opt/ibm/vselfpd/confs-*/lfpd-LINR02.conf
check_exit 6 "none at all" asked

if ! python3 -c 'import socket; socket.socket(32, socket.SOCK_SEQPACKET)' 2>/dev/null; then
	lfpd_conf LINR02 TRANSPORT=iucv
	"$daemons/lfpd" -d -f "$conf" >"$work/out" 2>&1
	check_eq $? 69 "lfpd does not start without AF_IUCV"
	check "and says why" grep -q 'VLFD010E .*this kernel does not have AF_IUCV' "$work/out"
	statements 01 Transport=iucv
	"$daemons/ijblfpop" START "$start_file" >"$work/out" 2>&1
	check_eq $? 69 "nor does the instance"
	check "and says why" grep -q 'VLFB030E .*this kernel does not have AF_IUCV' "$work/out"
else
	skip_part "lfpd without AF_IUCV: this kernel has it"
fi

# a declared machine, alone, with an instance, and at START
machine=$LFP_ROOT/etc/vselfp/vm-directory
mkdir -p "${machine%/*}"
declared() { "$bin/lfpd-ctl" check --machine "$machine" >"$work/out" 2>"$work/err"; }
put "$machine" 'MACHINE z10' 'LEVEL ZVM 5.4' 'LEVEL ZVSE 4.3' 'LEVEL SLES 11 SP 1' 'MODE ZVM RUNS ZVM CP SHR IFL SHR'
check_exit 0 "a machine of IBM's presentation" declared
check_eq "$(grep -c ^ok "$work/out")" 6 "each of its rules is met"
put "$machine" 'MACHINE z10' 'LEVEL ZVM 5.4' 'MODE ESA390 RUNS ZVM CP SHR'
check_exit 0 "another mode than z/VM's is allowed" declared
check "with the advice" grep -q '^advice   LPAR mode .*IBM recommends a z/VM-mode LPAR' "$work/out"
put "$machine" 'MACHINE z10' 'LEVEL ZVM 5.4' 'MODE ESA390 RUNS ZVM CP SHR IFL SHR'
check_exit 1 "IFLs in ESA/390 mode" declared
check "are missing in the table" grep -q '^missing  processors .*mode ESA390 does not have these processors' "$work/out"
check "and an instance's check has them, too" lacks 'processors .*mode ESA390'
LFP_VMID=VSER05 "$bin/ijblfpop" START "$top/tests/data/start-01" >"$work/out" 2>&1
check_eq $? 78 "START refuses the machine"
check "and says why" grep -q 'VLFB056E The declared machine cannot run LFP (processors): mode ESA390 does not have' "$work/out" || cat "$work/out"
put "$machine" 'MACHINE z10' 'LEVEL ZVM 5.4' 'MODE ESA390 RUNS ZVSE CP SHR' 'MODE LINUX RUNS LINUX IFL SHR'
check_exit 1 "z/VSE and Linux beside z/VM, not under it" declared
check "are no guests in one LPAR" grep -q '^missing  LPAR mode .*must be guests of z/VM in one LPAR' "$work/out"
put "$machine" 'MACHINE z10' 'LEVEL ZVM 5.2' 'MODE ESA390 RUNS ZVM CP SHR ZIIP SHR'
check_exit 1 "zIIPs for the guests of an older z/VM" declared
check "need z/VM 5.3" grep -q '^missing  LPAR mode .*need z/VM 5.3 or later' "$work/out"
put "$machine" 'USER A'
check_exit 1 "a file without a machine" declared
check "says so" grep -q VLFD852E "$work/err"
put "$machine" 'MACHINE none'
check_exit 1 "a wrong file" declared
check "names the line" grep -q 'VLFD851E .*vm-directory:1: MACHINE: z/VSE does not support the server NONE' "$work/err"
rm "$machine"

finish
