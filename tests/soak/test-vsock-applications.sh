#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fifteen applications in a guest without a network device: their tests with the program in the guest on LFP, all else outside
# Time limit: 5400 s
#
# The tests are those of tests/apps, with their numbers. VSOCK_APPLICATIONS: some of them.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
# shellcheck source=tests/vsock/lib-files.sh
. "$top/tests/vsock/lib-files.sh"
PATH=/usr/bin:$PATH
GUEST_MB=${GUEST_MB:-3072} GUEST_CPUS=2
applications=${VSOCK_APPLICATIONS:-curl nginx redis postgresql ssh java node go tokio memcached mosquitto openldap vsftpd chrony cobol}

cd "$top" || exit 1
files_guest_start
check_eq "$(inside ls /sys/class/net)" lo "the guest has no network device"
percent=$(guest_percent inside sleep 5)
check "its clock goes as this machine's does ($percent %)" test "$percent" -gt 80 -a "$percent" -lt 120
for name in $applications; do
	env -u LFP_TEST_NET -u LFP_ROOT LFP_GUEST="$guest" TESTS_SLOWER=4 tests/run --no-skip "tests/apps/test-$name.sh" >"$work/application.log" 2>&1
	rc=$?
	echo "$name: $(tail -n 1 "$work/application.log")"
	add_counts $rc "$work/application.log"
	[ $rc = 0 ] || cat "$work/application.log"
done
finish
