#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CPython's own test_socket, test_asyncio and test_asyncore on LFP: tests that pass on the kernel's sockets pass here too,
# or are listed in python-suite.txt
# Time limit: 1800 s
. "$(dirname "$0")/../system/lib.sh"
python=$(PATH=/usr/bin:$PATH command -v python3.11 || command -v python3)
"$python" -c 'import test.test_socket, test.test_asyncio' 2>/dev/null || skip "CPython's tests are not installed"

mkdir "$work/native" "$work/lfp" "$work/again"
# AF_VSOCK is the kernel's, and does not work on every kernel
jobs=4 tests=(test.test_socket test.test_asyncio '-*VSOCK*')
# CPython 3.12 has no asyncore any more.
"$python" -W ignore -c 'import test.test_asyncore' 2>/dev/null && tests+=(test.test_asyncore)
# suite WHERE PREFIX...
suite() {
	local where=$1
	shift
	# test_sethostname really does it, if it may
	TMPDIR=$work/$where unshare --uts -- "$@" "$python" "$here/python-suite.py" run "$work/$where/results" $jobs 240 "${tests[@]}"
}
results=("$work/native/results" "$work/lfp/results" "$here/python-suite.txt")

lfp_up
# The native run has a network of its own, so that the two do not take each other's ports.
background native suite native "${empty_net[@]}" sh -c 'ip link set lo up && exec "$@"' sh
native=$!
suite lfp "${lfp_prefix[@]}" >"$work/suite.log" 2>&1
check_eq $? 0 "the tests on LFP have run"
wait $native
check_eq $? 0 "the tests on the kernel's sockets have run"
# A failed test runs once or twice more, with the machine for itself; the last run counts.
jobs=1
for _ in 1 2; do
	mapfile -t names < <("$python" "$here/python-suite.py" again "${results[@]}")
	[ ${#names[@]} -gt 0 ] || break
	echo "once more, by themselves: ${names[*]}"
	tests=("${names[@]/#/=}")
	suite again "${lfp_prefix[@]}" >>"$work/suite.log" 2>&1
	check_eq $? 0 "they have run again"
	cat "$work/again/results" >>"$work/lfp/results"
	cat "$work/again/results.log" >>"$work/lfp/results.log" && rm "$work/again/results.log"
done
cp "$work/lfp/results.log" "$work/lfp/results" "$O/tests/apps/" # what went wrong, to be looked at
check "and its passed tests pass on LFP" "$python" "$here/python-suite.py" compare "${results[@]}"
finish
