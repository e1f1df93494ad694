#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A guest without a network device: programs in it reach the host by AF_VSOCK, through an lfpd outside. `make check-vsock`
# Time limit: 200 s
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
here=$top/tests/vsock
# shellcheck source=tests/vsock/lib-guest.sh
. "$here/lib-guest.sh"
needs python3

quietly() { "$@" >"$work/quiet.log" || return; } # with the log of a failure
said() { grep -q "$2" "$work/$1.log"; }
guest_says() { guest "$1" | grep -qE "$2"; }
guest_up() { guest_says "ijblfpop INFO 01" '^STATUS .*: UP'; }
resumed() { guest_says "ijblfpop INFO 01 LOGALL" "^TIMES RESUMED .*: $1\$"; }

# statements_in_guest [KEY=VALUE | KEY=]...: the statements of instance 01
statements_in_guest() {
	statements 01 Transport=vsock "$@"
	guest_file /etc/vselfp/lfp-01.conf <"$start_file"
}

mkdir "$work/www"
head -c 300000 /dev/urandom >"$work/www/data"
background www python3 -m http.server --directory "$work/www" --bind 10.0.0.1 8000
lfpd_conf LINR02 UNIX_STREAM="$work/vs" UNIX_PORT=5023
lfpd_start LINR02
guest_start
check_eq "$(guest "ls /sys/class/net" | tr -d '\n ')" lo "the guest has no network device"
check "- so that nothing is reached without LFP" guest_says "restart connects 10.0.0.1 8000" ENETUNREACH
statements_in_guest
check "the instance in the guest connects to CID 2" guest "LFP_VMID=VSER05 ijblfpop START 01"
check "- its transport is vsock" guest_says "ijblfpop INFO 01" '^TRANSPORT .*: vsock'
wait_listen 8000 || die "the HTTP server does not listen"
check_eq "$(guest "lfp-run --mode=seccomp -i 01 busybox wget -qO- http://10.0.0.1:8000/data | sha256sum" | cut -d ' ' -f 1)" \
	"$(sha256sum <"$work/www/data" | cut -d ' ' -f 1)" "a static program gets a file from a server of the host"

# Under load: half of the connections are made by the guest, half by the host.
background far "$programs/restart" far 10.0.0.1 5100 4
far=$!
wait_for 30 said far listens || die "far does not listen"
quietly guest "lfp-run -i 01 restart near 10.0.0.1 5100 4 >/tmp/near 2>&1 &"
wait_for 60 said far connected || die "not all are connected: $(cat "$work/far.log")"
for i in 1 2; do
	check "lfpd restarts" into "$work/ctl.log" "$bin/lfpd-ctl" restart LINR02
	check "- and the session goes on" wait_for 60 resumed $i
done
kill "$far"
quietly guest 'kill $(pidof restart)'
check "all connections came to their ends" wait "$far"
check_eq "$(awk '$1 == "far" { print $2, $4, $3 }' "$work/far.log" | sort -n | wc -l)" 4 "- all 4 of them"
near_ended() { guest_says "cat /tmp/near" '^near '; }
check "- those of the guest, too" wait_for 30 near_ended
check_eq "$(guest "cat /tmp/near" | awk '$1 == "near" { print $2, $3, $4 }' | sort -n)" \
	"$(awk '$1 == "far" { print $2, $4, $3 }' "$work/far.log" | sort -n)" "each end has received all that the other sent"
check "nothing is left in lfpd" wait_for 30 no_sockets

# The host's sockets are lfpd's alone: they end with a killed lfpd, and nothing may look like an orderly end.
background far "$programs/restart" far 10.0.0.1 5100 4
far=$!
wait_for 30 said far listens || die "far does not listen"
quietly guest "lfp-run -i 01 restart near 10.0.0.1 5100 4 >/tmp/near 2>&1 &"
wait_for 60 said far connected || die "not all are connected: $(cat "$work/far.log")"
kill -9 "$lfpd"
wait_for 30 ended "$lfpd"
check_exit 1 "lfpd is killed under load: the peers on the host see an error" wait "$far"
check "- a reset, no end of file" grep -q ECONNRESET "$work/far.log" || tail -n 3 "$work/far.log"
lfpd_start LINR02
near_reset() { guest_says "cat /tmp/near" 'ECONNRESET|ENETDOWN|EPIPE'; }
check "- the programs of the guest see an error, too" wait_for 30 near_reset || guest "cat /tmp/near"
# Not before: until the guest sees the end of the old path, its instance is up.
check "- the instance connects to the next lfpd" wait_for 30 guest_up
check "- no socket of theirs is left" wait_for 30 no_sockets
check_eq "$(guest "lfp-run --mode=seccomp -i 01 busybox wget -qO- http://10.0.0.1:8000/data | sha256sum" | cut -d ' ' -f 1)" \
	"$(sha256sum <"$work/www/data" | cut -d ' ' -f 1)" "- and new connections work, without a restart of anything in the guest"

# The other direction, and the CID.
quietly guest "ijblfpop STOP 01"
stop_pid "$lfpd"
lfpd_conf LINR02 UNIX_STREAM="$work/vs" UNIX_PORT=5023 UNIX_DIAL=yes
lfpd_start LINR02
statements_in_guest VsockDial=no PeerCid=5
check_exit 69 "the instance listens for CID 5: the host is refused" into "$work/refused" guest "LFP_VMID=VSER05 ijblfpop START 01"
check "- and it says so" grep -q 'CID 2, port .*: its CID is not the configured one, 5' "$work/refused" || cat "$work/refused"
statements_in_guest VsockDial=no
check "it listens for CID 2: lfpd's connection is taken" guest "LFP_VMID=VSER05 ijblfpop START 01"
check_eq "$(guest "lfp-run --mode=seccomp -i 01 busybox wget -qO- http://10.0.0.1:8000/data | sha256sum" | cut -d ' ' -f 1)" \
	"$(sha256sum <"$work/www/data" | cut -d ' ' -f 1)" "- and carries data"

# The kernel's AF_VSOCK below lfpd: both in the guest, by its loopback, CID 1.
lfpd_conf LINR03 TRANSPORT=vsock PEER_CID=7 IUCV_SRC_APPNAME=LINR03 VSOCK_PORT=5024
quietly guest "mkdir -p /etc/opt/ibm/vselfpd/confs-available /etc/opt/ibm/vselfpd/confs-enabled"
guest_file /etc/opt/ibm/vselfpd/confs-available/lfpd-LINR03.conf <"$conf"
check "lfpd-ctl check in the guest" guest_says "lfpd-ctl check LINR03" '^ok  *CID .*this system has 3, the peer 7'
quietly guest "LFP_VMID=LINLFP lfpd -d -f /etc/opt/ibm/vselfpd/confs-available/lfpd-LINR03.conf >/tmp/lfpd 2>&1 &"
check "lfpd listens at AF_VSOCK" wait_for 30 guest_says "cat /tmp/lfpd" VLFD001I
statements 02 Transport=vsock PeerCid=1 IucvDestAppName=LINR03 VsockPort=5024
guest_file /etc/vselfp/lfp-02.conf <"$start_file"
check_exit 69 "an instance of another CID is refused" into "$work/refused" guest "LFP_VMID=VSER05 ijblfpop START 02"
check "- lfpd logs it" guest_says "cat /tmp/lfpd" 'VLFD128W .*CID 1, port .*: its CID is not the configured one, 7'
quietly guest "kill \$(pidof lfpd); sed -i 's/PEER_CID = 7/PEER_CID = 1/' /etc/opt/ibm/vselfpd/confs-available/lfpd-LINR03.conf"
quietly guest "LFP_VMID=LINLFP lfpd -d -f /etc/opt/ibm/vselfpd/confs-available/lfpd-LINR03.conf >/tmp/lfpd 2>&1 &"
check "with the right PEER_CID" wait_for 30 guest_says "LFP_VMID=VSER05 ijblfpop START 02" VLFB010I
check "- lfpd knows its peer by the CID" guest_says "lfpd-admin -i LINR03 -s" 'vsock CID 1 port'

# The guest is killed under load.
background far "$programs/restart" far 10.0.0.1 5200 4
far=$!
wait_for 30 said far listens || die "far does not listen"
quietly guest "lfp-run -i 01 restart near 10.0.0.1 5200 4 >/tmp/near 2>&1 &"
wait_for 60 said far connected || die "not all are connected: $(cat "$work/far.log")"
guest_kill
check "the guest is killed: lfpd has no socket of it left" wait_for 30 no_sockets
check_exit 1 "- and its peers see an error, no end of file" wait "$far"
check "- a reset" grep -q ECONNRESET "$work/far.log" || tail -n 3 "$work/far.log"
check "- lfpd says so" grep -q 'VLFD.*without BYE' "$work/lfpd-LINR02.log" || tail -n 3 "$work/lfpd-LINR02.log"
stop_pid "$lfpd"
finish
