#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# uvloop's and Twisted's own tests of sockets, in each tier: those that pass on the kernel's sockets pass here too, or are
# listed in uvloop-suite.txt or twisted-suite.txt
# Time limit: 3600 s
#
# PYTHON_SUITES=twisted for one of them. Twisted and uvloop are Debian's. uvloop's tests are in its source on PyPI alone, which is kept in $O/uvloop-source.
python=/usr/bin/python3
if [ -z "${LFP_TEST_NET:-}" ]; then # only here has the test the machine's network
	UVLOOP_SOURCE=${O:-$(dirname "$0")/../../build}/uvloop-source
	mkdir -p "$UVLOOP_SOURCE" && UVLOOP_SOURCE=$(cd "$UVLOOP_SOURCE" && pwd) || exit 1
	export UVLOOP_SOURCE
	version=$("$python" -c 'import uvloop; print(uvloop.__version__)') 2>/dev/null || { echo "skipped: Debian's uvloop is not installed"; exit 77; }
	[ -n "$(find "$UVLOOP_SOURCE" -name 'uvloop-*.tar.gz')" ] ||
		timeout 200 "$python" -m pip download --no-deps --no-binary uvloop "uvloop==$version" -d "$UVLOOP_SOURCE" >"$UVLOOP_SOURCE/log" 2>&1 || {
		echo "skipped: uvloop's source cannot be had: $(tail -n 1 "$UVLOOP_SOURCE/log")"
		exit 77
	}
fi
. "$(dirname "$0")/../system/lib.sh"
runner=$here/../apps/python-suite.py
"$python" -c 'import uvloop, twisted.trial, test.support' 2>/dev/null || skip "uvloop, Twisted or CPython's tests are not installed"
mkdir "$work/uvloop" && tar xf "$UVLOOP_SOURCE"/uvloop-*.tar.gz -C "$work/uvloop" --strip-components 1 || die "no source of uvloop"
rm -rf "$work/uvloop/uvloop" # the installed one

uvloop=(tests.test_tcp tests.test_udp tests.test_dns tests.test_sockets tests.test_base tests.test_regr1)
# Reactors of graphical toolkits run nowhere; test_tls is there where Debian's pyOpenSSL is.
twisted=(twisted.internet.test.test_{tcp,udp,socket,endpoints,address,core,fdset,tls} twisted.test.test_{tcp,udp,tcp_internals}
	twisted.web.test.test_{webclient,newclient} twisted.protocols.test.test_{basic,tls})

# suite RESULTS JOBS PREFIX...: runs $names, with a limit of 120 s a test
suite() {
	local results=$1 jobs=$2
	shift 2
	mkdir -p "$results.tmp"
	PYTHONPATH=$work/uvloop TMPDIR=$results.tmp "$@" "$python" -W ignore "$runner" run "$results" "$jobs" 120 "${names[@]}" >>"$results.said" 2>&1
}

mkdir -p "$O/tests/soak"
lfp_up
for what in ${PYTHON_SUITES:-uvloop twisted}; do
	declare -n tests=$what
	names=("${tests[@]}")
	suite "$work/$what-native" 2 "${empty_net[@]}" sh -c 'ip link set lo up && exec "$@"' sh
	check_eq $? 0 "$what: its tests on the kernel's sockets have run"
	for tier in preload seccomp; do
		lfp_mode $tier
		names=("${tests[@]}")
		files=("$work/$what-native" "$work/$what-$tier" "$here/$what-suite.txt")
		suite "${files[1]}" 2 "${lfp_prefix[@]}"
		check_eq $? 0 "$what, $tier: they have run"
		for _ in 1 2; do # a failed one again, by itself: the last run counts
			mapfile -t names < <("$python" "$runner" again "${files[@]}")
			[ ${#names[@]} -gt 0 ] || break
			names=("${names[@]/#/=}")
			suite "$work/again" 1 "${lfp_prefix[@]}"
			cat "$work/again" >>"${files[1]}"
		done
		cp "${files[1]}" "$O/tests/soak/$what-$tier.results" && cp "${files[1]}.log" "$O/tests/soak/$what-$tier.log"
		check "$what, $tier: those that pass natively pass" "$python" "$runner" compare "${files[@]}"
	done
done
check "all sockets are gone" wait_for 60 no_sockets
finish
