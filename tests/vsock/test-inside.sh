#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A guest without a network device, with this machine's files: the demo over vsock; topics in three columns, and the matrix's tests
# Time limit: 600 s
#
# The demo's z/VSE side is in the guest, its Linux side here. Topics and tests are in the guest as a whole, over its loopback of
# AF_VSOCK, because a topic's native column needs the same kernel. INSIDE_TOPICS, INSIDE_TESTS: others of them.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
# shellcheck source=tests/vsock/lib-files.sh
. "$here/lib-files.sh"
needs curl python3
PATH=/usr/bin:$PATH # a Python of one's own, behind virtiofs, starts in seconds
topics=${INSIDE_TOPICS:-closing refused}
tests=${INSIDE_TESTS:-tests/system/test-urgent.sh tests/system/test-errors.sh}

# counted TEXT COMMAND...: a test of its own, by its last line
counted() {
	local text=$1 line
	shift
	"$@" >"$work/counted.log" 2>&1
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$work/counted.log" | tail -n 1)
	grep -E '^(FAIL|DIFFERS|  [a-z-]+ +[0-9])' "$work/counted.log"
	[ -n "$line" ] || { tail -n 20 "$work/counted.log"; fail "$text: no result"; return; }
	echo "$text: $line"
	read -r p _ f _ s _ <<<"$line"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	[ "$f" = 0 ] || tail -n 40 "$work/counted.log"
}

cd "$top" || exit 1
files_guest_start
check_eq "$(inside ls /sys/class/net)" lo "the guest has no network device"
counted "the demo" env -u LFP_TEST_NET -u LFP_ROOT LFP_GUEST="$guest" DEMO_MB=24 ./demo
over_vsock=(env -u LFP_TEST_NET LFP_TRANSPORT=vsock)
# shellcheck disable=SC2086 # words
counted "conformance" inside "${over_vsock[@]}" tests/conformance/run $topics
for test in $tests; do counted "$test" inside "${over_vsock[@]}" "$test"; done
finish
