#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# libuv's own tests, of Debian's source package, in each tier: those that pass on the kernel's sockets pass here too, or
# are listed in libuv-suite.txt
# Time limit: 1800 s
#
# The source is kept in $O/libuv-source.

# fetch DIR: by apt-get, with lists of its own. Only here has the test the machine's network.
fetch() {
	local lists=$1/lists
	mkdir -p "$lists/partial" "$1/parts" "$1/cache/archives/partial" && cd "$1" || return
	sed 's/^Types: .*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >parts/debian.sources || return
	apt=(timeout 120 apt-get -q -o Dir::Etc::SourceParts="$1/parts" -o Dir::Etc::sourcelist=/dev/null
		-o Dir::State::Lists="$lists" -o Dir::Cache="$1/cache")
	"${apt[@]}" update && "${apt[@]}" --download-only source libuv1
}
if [ -z "${LFP_TEST_NET:-}" ]; then
	LIBUV_SOURCE=${O:-$(dirname "$0")/../../build}/libuv-source
	mkdir -p "$LIBUV_SOURCE" && LIBUV_SOURCE=$(cd "$LIBUV_SOURCE" && pwd) || exit 1
	export LIBUV_SOURCE
	[ -n "$(find "$LIBUV_SOURCE" -name 'libuv1_*.orig.tar.gz')" ] || (fetch "$LIBUV_SOURCE") >"$LIBUV_SOURCE/log" 2>&1 || {
		echo "skipped: Debian's source of libuv cannot be had: $(tail -n 1 "$LIBUV_SOURCE/log")"
		exit 77
	}
fi
. "$(dirname "$0")/../system/lib.sh"

cd "$work" && tar xf "$LIBUV_SOURCE"/libuv1_*.orig.tar.gz && cd libuv1-*/ || die "no source in $LIBUV_SOURCE"
mapfile -t sources < <(sed -n '/^test_run_tests_SOURCES/,/^$/p' Makefile.am | grep -o 'test/[^ ]*\.c' | grep -v win)
${CC:-gcc} -O1 -w -D_GNU_SOURCE -Itest -Iinclude -Isrc -o run-tests "${sources[@]}" -luv -lpthread -ldl -lutil \
	>"$work/cc.log" 2>&1 || die "libuv's tests: $(tail -n 5 "$work/cc.log")"

# The runner refuses to be root's.
user=()
[ "$(id -u)" != 0 ] || user=(setpriv --reuid 1 --regid 1 --clear-groups env HOME=/tmp)
[ "$(id -u)" != 0 ] || { chmod 711 "$work" && chown -R 1:1 .; }

# suite NAME PREFIX...: in a copy of its own, as the tests write files
suite() {
	local name=$1
	shift
	cp -rp . "$work/$name-tree"
	(cd "$work/$name-tree" && exec "$@" "${user[@]}" timeout 500 ./run-tests) >"$work/$name.log" 2>&1
	sed -n 's/^ok [0-9]* - \([^ ]*\)$/\1/p' "$work/$name.log" | sort >"$work/$name.passed"
	echo "$name: $(grep -c '^ok .*# SKIP' "$work/$name.log") skipped, $(wc -l <"$work/$name.passed") passed, $(grep -c '^not ok' "$work/$name.log") failed"
}

lfp_up
suite native "${empty_net[@]}" sh -c 'ip link set lo up && exec "$@"' sh
check "most pass natively" [ "$(wc -l <"$work/native.passed")" -gt 300 ]
for tier in preload seccomp; do
	lfp_mode $tier
	suite $tier "${lfp_prefix[@]}"
	listed=$(awk -v tier=$tier '!/^#/ { n = split($1, name, "@"); if (n < 2 || name[2] == tier) print name[1] }' "$here/libuv-suite.txt")
	lost=$(comm -23 "$work/native.passed" <(sort "$work/$tier.passed" - <<<"$listed"))
	for test in $lost; do # once more, by itself: the runner has short time limits
		(cd "$work/$tier-tree" && "${lfp_prefix[@]}" "${user[@]}" timeout 60 ./run-tests "$test") >"$work/again.log" 2>&1 &&
			lost=$(grep -vx "$test" <<<"$lost")
	done
	check_eq "$lost" "" "$tier: they pass on LFP"
done
check "all sockets are gone" wait_for 60 no_sockets
finish
