# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# checks.sh - what a test counts, and its last line, which tests/run reads; a test sources it, also in a guest with busybox

passed=0 failed=0 skipped=0
on_failure=: # a command of the test's, which shows the end of its logs

skip() {
	echo "skipped: $*"
	exit 77
}

# ok TEXT: one test has passed. A command behind the text would never run: that is check.
ok() {
	[ $# = 1 ] || { fail "ok has a text alone: $*" && return 1; }
	passed=$((passed + 1))
	echo "ok: $*"
}

fail() {
	failed=$((failed + 1))
	echo "FAILED: $*"
	$on_failure
}

# die TEXT...: the test cannot go on
die() {
	fail "$*"
	exit 1
}

# check TEXT COMMAND...: one test, which passes if the command ends with 0
check() {
	local text=$1 rc
	shift
	"$@"
	rc=$?
	if [ $rc = 0 ]; then
		ok "$text"
	else
		fail "$text (exit $rc: $*)"
	fi
	return $rc
}

# check_exit RC TEXT COMMAND...
check_exit() {
	local want=$1 text=$2 rc
	shift 2
	"$@"
	rc=$?
	if [ $rc = "$want" ]; then
		ok "$text"
	else
		fail "$text (exit $rc, not $want: $*)"
		return 1
	fi
}

# check_eq GOT WANT TEXT
check_eq() {
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		fail "$3: '$1', not '$2'"
		return 1
	fi
}

# check_le GOT MOST TEXT
check_le() {
	if [ "$1" -le "$2" ]; then
		ok "$3 ($1, at most $2)"
	else
		fail "$3: $1, more than $2"
		return 1
	fi
}

skip_part() {
	skipped=$((skipped + 1))
	echo "skipped: $*"
}

# counts: the last line of a test. Ends with 0 if nothing failed.
counts() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
}

# add_counts RC LOG: adds the counts of another test, which has ended with RC, by the last line of its log. Without such a line it
# has failed.
add_counts() {
	local rc=$1 more
	# shellcheck disable=SC2046 # the words of the line
	set -- $(grep -aE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' "$2" | tail -n 1)
	more=${3:-1}
	[ "$rc" = 0 ] || [ "$more" != 0 ] || more=1
	passed=$((passed + ${1:-0})) failed=$((failed + more)) skipped=$((skipped + ${5:-0}))
}

# needs PROGRAM...: skip the test if one is not installed
needs() {
	local program
	for program in "$@"; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# into FILE COMMAND...: run the command with its output in a file, so that check can run it
into() {
	local file=$1
	shift
	"$@" >"$file" 2>&1
}
