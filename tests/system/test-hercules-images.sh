#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test-hercules-images.sh: volumes of Hercules' dasdinit work here, and ours work in Hercules.
set -u
O=$(cd "$(dirname "$0")/../.." && cd "${O:-build}" && pwd) || exit 1
tool=$O/tests/system/ckd-tool

for program in dasdinit ckd2cckd cckd2ckd hercules; do
	command -v "$program" >/dev/null || {
		echo "skipped: $program is missing (scripts/packages install devices)"
		exit 77
	}
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

passed=0 failed=0
check() { # check WHAT COMMAND...
	what=$1
	shift
	if "$@" >out 2>&1; then
		passed=$((passed + 1))
		echo "ok: $what"
	else
		failed=$((failed + 1))
		echo "FAILED: $what"
		sed 's/^/  | /' out
	fi
}
says() { # says EXPECTED COMMAND...: its output is exactly that
	expected=$1
	shift
	got=$("$@" 2>&1) || true
	[ "$got" = "$expected" ] || {
		echo "expected: $expected"
		echo "got: $got"
		return 1
	}
}
# Its programs read every track and must return the same bytes.
there_and_back() {
	rm -f packed back
	ckd2cckd -q "$1" packed && cckd2ckd -q packed back && cmp "$1" back
}
# The emulator itself says how large a volume is; it does so at once, and is ended then.
hercules_opens() { # FILE CYLINDERS
	printf 'ARCHMODE ESA/390\nMAINSIZE 16\n0A00 3390 %s\n' "$1" >conf
	hercules -d -f conf </dev/null >log 2>&1 &
	pid=$!
	line="$1 cyls=$2 heads=15 tracks=$(($2 * 15)) trklen=56832"
	for ((i = 0; i < 600; i++)); do
		grep -q "$line\|HHCIN099I" log && break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	grep -q "$line" log || {
		cat log
		return 1
	}
}

# Theirs, here
check "dasdinit makes a volume" dasdinit herc.ckd 3390 HERC01 20
# VOL1 as key and again as data, then HERC01: EBCDIC
check "its label is read" says e5d6d3f1e5d6d3f1c8c5d9c3f0f1 "$tool" label herc.ckd
# 300 times record 0; two records of IPL text and the label
check "its records are counted" says 303 "$tool" walk herc.ckd
check "tracks are formatted" "$tool" format herc.ckd 15 299
check "records are written" "$tool" fill herc.ckd 15 299
check "and read" "$tool" verify herc.ckd 15 299
check "the label is still there" says e5d6d3f1e5d6d3f1c8c5d9c3f0f1 "$tool" label herc.ckd
check "Hercules' programs read every track of it" there_and_back herc.ckd
check "Hercules opens it" hercules_opens herc.ckd 20

# Ours, there
check "a volume is made here" "$tool" create ours.ckd 20
check "Hercules opens it as it is" hercules_opens ours.ckd 20
check "its tracks are formatted" "$tool" format ours.ckd 0 299
check "its records are written" "$tool" fill ours.ckd 0 299
check "Hercules' programs read every track of ours" there_and_back ours.ckd
check "Hercules opens ours" hercules_opens ours.ckd 20
check "and all records are there" "$tool" verify ours.ckd 0 299
check "with record 0 of each track" says $((300 * 13)) "$tool" walk ours.ckd

# Unsupported formats are refused by name.
check "dasdinit makes a compressed volume" dasdinit -z packed.ckd 3390 HERC02 20
check "which is refused" says "ckd-tool: packed.ckd: it is a compressed image (cckd2ckd makes a plain one)" \
	"$tool" walk packed.ckd
check "dasdinit makes a 3380" dasdinit old.ckd 3380 HERC03 5
check "which is refused too" says "ckd-tool: old.ckd: its device is not a 3390" "$tool" walk old.ckd

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
