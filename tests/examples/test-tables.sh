#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench/sandboxes and bench/fleet run, in a short form, and the tables of their pages hold
# Time limit: 200 s
. "$(dirname "$0")/../system/lib.sh"
PATH=/usr/bin:$PATH:/usr/sbin:/sbin
needs curl dig dnsmasq openssl patchelf ss pgrep
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
needs go
check "bench/fleet --check" into "$work/fleet" env -u LFP_ROOT timeout 90 "$top/bench/fleet" --check || cat "$work/fleet"
if [ "$(id -u)" != 0 ]; then
	skip_part "only root makes the namespaces of bench/sandboxes"
	finish
fi
check "bench/sandboxes --check" into "$work/sandboxes" env -u LFP_ROOT timeout 100 "$top/bench/sandboxes" --check || cat "$work/sandboxes"
check "with the eight programs of lfp-run" [ "$(grep -c '^ok .*lfp-run' "$work/sandboxes")" = 16 ]
finish
