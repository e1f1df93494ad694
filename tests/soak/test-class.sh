#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# vselfp-class with twenty students, who work at the same time: each mends other exercises, and exactly these are passed
# Time limit: 3600 s
. "$(dirname "$0")/../system/lib.sh"
. "$here/../system/class.sh"
needs python3

export PATH=$bin:$PATH
unset LFP_VMID
class() { "$top/course/vselfp-class" -d "$work/class" "$@" </dev/null; }
check "twenty students" class -1 20
all=(01 02 03 04 05 06 07 08 09 10 11 12)
workers=()
for nr in {01..20}; do
	mend "$work/class/vse$nr" "${all[@]:0:10#$nr % 13}"
	(cd "$work/class/vse$nr" && class run $((10#$nr % 12 + 1)) >"$work/run.$nr" 2>&1) &
	workers+=($!)
done
rc=0
for pid in "${workers[@]}"; do wait "$pid" || rc=1; done
check_eq $rc 0 "all run an exercise at once"
for nr in {01..20}; do
	[ "$(grep -c "VSES$nr\|LINS$nr\|is up\|VLFB\|EOJ" "$work/run.$nr")" -gt 0 ] && ! grep -E 'VSES|LINS' "$work/run.$nr" | grep -vE "VSES$nr|LINS$nr" ||
		fail "the run of vse$nr"
done
check "marks" class mark
class list >"$work/list"
cat "$work/list"
for nr in {01..20}; do
	check_eq "$(awk -v who="vse$nr" '$1 == who { print $NF }' "$work/list")" $((10#$nr % 13)) "vse$nr"
done
check "the class is removed" class remove
finish
