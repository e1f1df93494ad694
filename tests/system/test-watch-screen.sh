#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The screen of lfpd-admin --watch on an emulated terminal: sizes, sorting, filter, hostile names, rates, ends
. "$(dirname "$0")/lib.sh"
# Debian's Python, as pyte is Debian's.
/usr/bin/python3 -c 'import pyte' 2>/dev/null || skip "python3-pyte is not installed"

export LFP_ROOT=$work/root
case_of() { timeout 120 /usr/bin/python3 "$here/watch-screen.py" "$daemons/lfpd-admin" "$LFP_ROOT/run/vselfpd" "$@"; }
for name in $(case_of list); do
	rm -rf "$LFP_ROOT/run/vselfpd" && mkdir -p "$LFP_ROOT/run/vselfpd"
	check "$name" case_of "$name"
done
finish
