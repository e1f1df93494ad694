# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# course.sh - compares the output of vselfp-course with the pages of docs/operator-course.md; a test sources it

# Replaces text that varies: the private tree, process ids, and the start of a line in a log.
course_plain() {
	sed -E -e 's|/tmp/course\.[A-Za-z0-9]{6}/root||g' -e 's/(process|pid|of user) [0-9]+/\1 <n>/g' \
		-e 's/^[0-9T:.-]+Z [a-z]+\[[0-9]+\]: //' "$@"
}

# course_page PAGES EXERCISE SIDE: the block of that name on the exercise's page
course_page() {
	awk -v at="<!-- $2 -->" -v begin="\`\`\`$3" '
		/^<!-- / { here = $0 == at }
		here && $0 == "```" { take = 0 }
		take { print }
		here && $0 == begin { take = 1 }' "$1"
}

# course_same PAGE OUTPUT: "<n>" on the page is any number, "<...>" any lines
course_same() {
	python3 - "$@" <<-'END'
		import re, sys
		page, out = (open(name).read() for name in sys.argv[1:])
		want = re.escape(page).replace(re.escape("<...>\n"), "(?:.*\n)*?").replace("<n>", "(?:[0-9,]+|<n>)")
		sys.exit(not re.fullmatch(want, out))
	END
}

# course_as_page PAGES EXERCISE DIR: does the page say what vselfp-course has left in DIR? Shows where not. A page
# without a block for the console log says nothing about it.
course_as_page() {
	local side rc=0
	for side in vse linux console; do
		course_page "$1" "$2" $side >"$3/page"
		[ -s "$3/page" ] || [ $side != console ] || continue
		course_plain "$3/$side" >"$3/plain"
		if ! course_same "$3/page" "$3/plain"; then
			echo "$2, $side:"
			diff "$3/page" "$3/plain"
			rc=1
		fi
	done
	return $rc
}
