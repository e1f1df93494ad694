# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-workload.sh - the head of tests of lfp-workload, in the place of lib.sh
#
# ". lib-workload.sh stack" builds lfp-stack before, if Go and its sources are there.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ "${1:-}" = stack ] && [ -z "${LFP_TEST_NET:-}" ] && [ -x /usr/bin/go ] && [ -d /usr/share/gocode/src/gvisor.dev/gvisor/pkg/tcpip ]; then
	flock "${O:-$top/build}/.stack" make -s -C "$top" O="${O:-build}" stack || exit 1
fi
# shellcheck source=tests/system/lib.sh
. "$top/tests/system/lib.sh"
# shellcheck disable=SC2034 # for the tests
workload=$bin/lfp-workload

# asked TEXT EXPRESSION: one test of the results in $json, of which r is the whole and c the cells
asked() {
	check "$1" python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
c = r["cells"]
sys.exit(0 if eval("(" + sys.argv[2] + ")") else 1)' "$json" "$2"
}
