#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The comparison of counts sees what it is to see: a call more, a call less, a new call
# Time limit: 60 s
. "$(dirname "$0")/../system/lib.sh"
needs python3

# lines WORK SENDS OTHERS: what count.c says of a process that makes two kinds of calls, and of the far end
lines() {
	printf '%s\tlfpd\tsendmsg\t%s\t1\t9\n' "$1" "$2"
	[ "$3" = 0 ] || printf '%s\tlfpd\tioctl\t%s\t1\t9\n' "$1" "$3"
	printf '%s\tlfpd\twake-ups\t%s\t1\t9\n%s\tfar\tclose\t%s\t1\t9\n' "$1" $RANDOM "$1" $RANDOM
}

# compares RC TEXT WORK SENDS OTHERS: with 1000 sends and no others
compares() {
	lines "$3" 1000 0 >"$work/known"
	lines "$3" "$4" "$5" >"$work/counted"
	check_exit "$1" "$2" into "$work/out" "$top/tests/counts/compare" "$work/known" "$work/counted"
}

compares 0 "the same calls" socket 1000 0
compares 1 "a control work: one more" socket 1001 0
check "- which is named" grep -qx 'socket, lfpd: sendmsg 31.28 an operation instead of 31.25' "$work/out"
compares 1 "a control work: one less" socket 999 0
compares 1 "a control work: a new call" socket 1000 1
compares 0 "a stream: 10 % more" bulk-in 1100 0
compares 1 "a stream: more than that" bulk-in 1101 0
compares 0 "a stream: fewer" bulk-in 500 0
check "- which is told" grep -q '^bulk-in, lfpd: fewer calls' "$work/out"
compares 1 "a stream: a new call in each operation" bulk-out 900 32
compares 0 "a stream: a new call now and then" bulk-out 900 4
lines round-trip 5 5 >"$work/counted"
check "a new file is written" "$top/tests/counts/compare" --update "$work/known" "$work/counted" >/dev/null
check_eq "$(grep -v -e '^#' -e wake-ups "$work/known" | tr '\t' ' ' | tr '\n' ,)" "round-trip lfpd ioctl 5,round-trip lfpd sendmsg 5," \
	"- without the far end"
finish
