#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Go's own tests of its package net on LFP: those that pass on the kernel's sockets pass here too, or are listed in
# go-suite.txt
# Time limit: 900 s
#
# GO_PACKAGES="net net/http": these. Both are in make soak.
# Go makes system calls by itself, so the shim does not see them: mode seccomp.
. "$(dirname "$0")/../system/lib.sh"

go=${GO:-/usr/bin/go}
goroot=$("$go" env GOROOT 2>/dev/null) && [ -e "$goroot/src/net/net_test.go" ] || skip "Go's sources are not installed"
settings=(GOCACHE="$O/go-cache" GOPATH="$work/gopath" GO111MODULE=off GOPROXY=off GOENV=off GOFLAGS= CGO_ENABLED=0)
natively=("${empty_net[@]}" sh -c 'ip link set lo up && exec "$@"' sh)

# suite PACKAGE RESULTS PATTERN PREFIX...: writes "PACKAGE.TEST PASS|FAIL|SKIP" lines
suite() {
	local package=$1 results=$2 pattern=$3
	shift 3
	(cd "$goroot/src/$package" && exec "$@" timeout 300 "$work/${package//\//-}.test" -test.short -test.v -test.timeout 280s \
		-test.run "$pattern") >"$results.log" 2>&1
	sed -n "s|^--- \([A-Z]*\): \([^ ]*\) .*|$package.\2 \1|p" "$results.log" | sort >"$results"
}
with() { awk -v result="$1" '$2 == result { print $1 }' "$2"; }

# lost PACKAGE: tests that pass natively and not on LFP, and are not listed
lost() { comm -23 <(with PASS "$work/native-$1" | sort) <({ with PASS "$work/lfp-$1"; awk '!/^#/ { print $1 }' "$here/go-suite.txt"; } | sort); }

lfp_up
lfp_mode seccomp
for package in ${GO_PACKAGES:-net}; do
	name=${package//\//-}
	(cd "$goroot/src/$package" && env "${settings[@]}" "$go" test -c -o "$work/$name.test" .) >"$work/build.log" 2>&1 ||
		die "$package: $(tail -n 5 "$work/build.log")"
	suite $package "$work/native-$name" . "${natively[@]}"
	suite $package "$work/lfp-$name" . "${lfp_prefix[@]}"
	# Once more by themselves: many of these tests have short time limits.
	while read -r test; do
		suite $package "$work/again" "^${test##*.}\$" "${lfp_prefix[@]}"
		cat "$work/again" >>"$work/lfp-$name"
	done < <(lost $name)
	for where in native lfp; do
		echo "$package $where: $(awk '{ n[$2]++ } END { for (r in n) printf "%d %s, ", n[r], r }' "$work/$where-$name")"
	done
	check "$package: some pass natively" [ "$(with PASS "$work/native-$name" | wc -l)" -gt 100 ]
	check_eq "$(lost $name)" "" "$package: those pass on LFP"
done
check "all sockets are gone" wait_for 60 no_sockets
finish
