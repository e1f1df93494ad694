#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Messages in the journal have fields of their own; without a journal they are ordinary lines
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

why=$(unshare --mount --propagation private mount -t tmpfs tmpfs /run 2>&1) || skip "no file systems of its own: $why"
cat >"$work/journal.py" <<-'END'
	import os, socket, sys
	os.makedirs("/run/systemd/journal")
	s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	s.bind("/run/systemd/journal/socket")
	print("ready", flush=True)
	while True:
	    entry = s.recv(65536).decode()
	    print(" ".join(sorted(entry.strip().split("\n"))), flush=True)
END
cat >"$work/inner.sh" <<-'END'
	mount -t tmpfs tmpfs /run || exit
	python3 "$work/journal.py" >"$work/journal" 2>&1 &
	until grep -q ready "$work/journal"; do read -r -t 0.02 -u "$never" _; done
	JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) LFP_VMID=LINLFP "$daemons/lfpd" -d -f "$1"
END
export work never daemons
lfpd_conf LINR02 CONNECTION_LOG=journal TRANSPORT=local LOCAL_INSTANCE=01
statements 01 Transport=local
mkdir -p "$LFP_ROOT/etc/vselfp"
cp "$start_file" "$LFP_ROOT/etc/vselfp/lfp-01.conf"
background inner unshare --mount --propagation private bash "$work/inner.sh" "$conf"
check "a message comes to the journal" wait_for 30 grep -q VLFD001I "$work/journal"
wait_for 60 instance_up 01 || die "instance 01 is not up"
on_lfp timeout 60 python3 -c 'import socket
try:
    socket.create_connection(("10.0.0.1", 7001))
except OSError:
    pass'
check "so does a record of the log of connections" wait_for 30 grep -q VSELFPD_EVENT=connect "$work/journal"
line=$(grep VSELFPD_EVENT=connect "$work/journal")
for field in "MESSAGE=python3[0-9.]* connect 10.0.0.1:7001 ECONNREFUSED" PRIORITY=6 SYSLOG_IDENTIFIER=lfpd VSELFPD_INSTANCE=LINR02 VSELFPD_PORT=7001 \
	VSELFPD_ADDRESS=10.0.0.1 VSELFPD_RESULT=ECONNREFUSED "VSELFPD_UID=$(id -u)" VSELFPD_PROTOCOL=tcp; do
	check "the field ${field%%=*} of it" grep -Eq "(^| )$field( |$)" <<<"$line"
done
lfpd=$(cat "$LFP_ROOT/run/vselfpd/LINR02/pid")
stop_pid "$lfpd"
check "all of them" wait_for 30 grep -q VLFD003I "$work/journal"
line=$(grep VLFD001I "$work/journal")
for field in MESSAGE=VLFD001I PRIORITY=6 SYSLOG_IDENTIFIER=lfpd VSELFPD_INSTANCE=LINR02 VSELFPD_ID=VLFD001I \
	"MESSAGE_ID=[0-9a-f]{16}$(printf VLFD001I | od -An -tx1 | tr -d ' \n')"; do
	check "the field ${field%%=*}" grep -Eq "(^| )$field( |$)" <<<"$line"
done
check_eq "$(grep -c VLFD "$work/inner.log")" 0 "and not to standard error as well"

# The same without a socket of the journal.
cat >"$work/bare.sh" <<-'END'
	mount -t tmpfs tmpfs /run || exit
	JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) LFP_VMID=LINLFP exec "$daemons/lfpd" -d -f "$1"
END
background bare unshare --mount --propagation private bash "$work/bare.sh" "$conf"
check "without a journal there is a line with its priority" wait_for 30 grep -q '^<6>VLFD001I Instance LINR02' "$work/bare.log"
finish
