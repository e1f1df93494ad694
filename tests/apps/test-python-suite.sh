#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CPython's own test_socket and test_asyncio on LFP: what passes on the kernel's sockets passes here too, or
# is listed in python-suite.txt
# Time limit: 900 s
. "$(dirname "$0")/../system/lib.sh"
python=$(PATH=/usr/bin:$PATH command -v python3.11 || command -v python3)
"$python" -c 'import test.test_socket, test.test_asyncio' 2>/dev/null || skip "CPython's tests are not installed"

mkdir "$work/native" "$work/lfp"
# suite WHERE PREFIX...; AF_VSOCK is the kernel's, and not every kernel has it working
suite() {
	local where=$1
	shift
	# test_sethostname really does it, if it may
	TMPDIR=$work/$where unshare --uts -- "$@" "$python" "$here/python-suite.py" run "$work/$where/results" 4 240 \
		test.test_socket test.test_asyncio '-*VSOCK*'
}

lfp_up
# The native run has a network of its own, so that the two do not take each other's ports.
background native suite native "${empty_net[@]}" sh -c 'ip link set lo up && exec "$@"' sh
native=$!
suite lfp "${lfp_prefix[@]}" >"$work/suite.log" 2>&1
check_eq $? 0 "the tests on LFP have run"
wait $native
check_eq $? 0 "the tests on the kernel's sockets have run"
cp "$work/lfp/results.log" "$work/lfp/results" "$O/tests/apps/" # what went wrong, to be looked at
check "and what passes there passes on LFP" "$python" "$here/python-suite.py" compare \
	"$work/native/results" "$work/lfp/results" "$here/python-suite.txt"
finish
