#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# jobs with odd but legal control statements, and with wrong ones: their listings, byte for byte
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

# Each tests/data/jobs/control/NAME.job has its listing beside it, with messages where they come and
# the exit code as last line. UPDATE=1 writes the listings anew.
jobs=$top/tests/data/jobs/control
export LFP_VMID=LINLFP
lfpd_conf LINR02
cp "$top/tests/data/lfpd-LINR02.conf" "$conf"
"$bin/lfpd-ctl" start LINR02 >/dev/null || die "lfpd does not start"
LFP_VMID=VSER05 "$bin/vsejob" "$top/tests/data/jobs/lfpstart" >/dev/null || die "instance 01 does not start"
mkdir -p "$LFP_ROOT/etc/vselfp/libr"
cp -r "$jobs/libr/." "$LFP_ROOT/etc/vselfp/libr"

# Replaces what varies: dates, times, process ids and the root.
plain() {
	sed -E -e 's|[0-9]{2}/[0-9]{2}/[0-9]{4}|mm/dd/yyyy|g' -e 's|(CLOCK) [0-9]{2}/[0-9]{2}/[0-9]{2}|\1 hh/mm/ss|g' \
		-e 's|(DURATION  ) [0-9]{2}/[0-9]{2}/[0-9]{2}|\1 hh/mm/ss|g' -e "s|$LFP_ROOT||g" \
		-e 's/process [0-9]+/process <n>/'
}

listing() { # NAME
	"$bin/vsejob" - <"$jobs/$1.job" >"$work/listing" 2>&1
	echo "exit code $?" >>"$work/listing"
	plain <"$work/listing" >"$work/plain"
	[ -z "${UPDATE:-}" ] || cp "$work/plain" "$jobs/$1.listing"
	check "$1" cmp -s "$work/plain" "$jobs/$1.listing" || diff "$jobs/$1.listing" "$work/plain"
}

nr=0
for job in "$jobs"/*.job; do
	listing "$(basename "$job" .job)"
	nr=$((nr + 1))
done
check "there are jobs" test $nr -gt 0
check_exit 0 "stop" "$bin/ijblfpop" STOP 01
finish
