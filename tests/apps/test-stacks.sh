#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One job and one set of programs on three stacks: LFP, the host, and gVisor's netstack in the program's own partition
# Time limit: 300 s
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ -z "${LFP_TEST_NET:-}" ]; then
	if ! [ -x /usr/bin/go ] || ! [ -d /usr/share/gocode/src/gvisor.dev/gvisor/pkg/tcpip ]; then
		echo "skipped: golang-go or golang-gvisor-gvisor-dev is not installed"
		exit 77
	fi
	flock "${O:-$top/build}/.stack" make -s -C "$top" O="${O:-build}" check-stack || exit 1 # other tests build it, too
fi
exec "$top/tests/system/test-stacks.sh"
