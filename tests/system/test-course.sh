#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/operator-course.md: each exercise prints, on both sides, the text on its page
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3
. "$here/course.sh"

course=$top/skeletons/course pages=$top/docs/operator-course.md
export PATH=$bin:$PATH
unset LFP_VMID
run() { timeout 60 "$top/course/vselfp-course" "$@" >"$work/out" 2>&1 </dev/null; }
says() { grep -q -- "$1" "$work/out"; }

nr=0
for dir in "$course"/*/; do
	name=$(basename "$dir")
	nr=$((nr + 1))
	if ! check "$name" run $nr -o "$work/course"; then
		cat "$work/out"
		continue
	fi
	check "$name: the page says what both sides print" course_as_page "$pages" "$name" "$work/course"
	if [ -n "${COURSE_OUT:-}" ]; then # for authors of pages
		mkdir -p "$COURSE_OUT"
		for side in vse linux console; do course_plain "$work/course/$side" >"$COURSE_OUT/$name.$side"; done
	fi
done
check_eq $nr 12 "the exercises"
check_eq "$(grep -c '^<!-- [0-9]' "$pages")" 12 "a page for each"
check "the directory of all is the sample" cmp "$course/vm-directory" "$top/samples/vm-directory"
check_exit 0 "an exercise by its name" run 05-wrong-destappname
check "shows both sides" eval 'says "^== z/VSE prints ==$" && says ECONNREFUSED && says "^== Linux prints ==$"'
check_exit 0 "--list" run -l
check_eq "$(wc -l <"$work/out")" 12 "has all"
check_exit 64 "an exercise that there is not" run 13
check_exit 64 "a path" run ../course/01-guest-not-there
check_exit 64 "no exercise" run
check_exit 64 "an unknown option" run --colour
check "the last line says where to look" says '; see --help$'
check "private trees are gone" eval '! compgen -G "/tmp/course.*/root/run/vselfpd/LINR02" >/dev/null'
finish
