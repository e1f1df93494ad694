#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/packages with programs of the test's own in apt's place: what fails for a moment is tried again, what
# fails always is told.
# Time limit: 60 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # TEXT WANTED GOT
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1)) && echo "ok: $1"
	else
		failed=$((failed + 1)) && echo "FAILED: $1: '$3', not '$2'"
	fi
}

# Stubs: nothing is installed, id says root, and sleep returns at once. apt-get takes its results from a file,
# line by line, and notes what it was told to do.
mkdir "$work/bin"
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1" && chmod 755 "$work/bin/$1"; }
stub dpkg-query 'exit 1'
stub id 'echo 0'
# Progress is told each 10 s: that sleep is a real one.
stub sleep '[ "$1" != 10 ] || exec /bin/sleep 10'
# shellcheck disable=SC2016 # for the stub's shell
stub apt-get 'case " $* " in *" -s "*) exit 0 ;; esac # only counts
for word; do case $word in update | install) echo "$word" >>'"$work"'/done ;; esac; done
read -r result <'"$work"'/results
sed -i 1d '"$work"'/results
[ "$result" = good ] || echo "E: the server says $result"
[ "$result" = good ]'

# install RESULT...: of one call of apt-get after the other
install() {
	printf '%s\n' "$@" >"$work/results"
	: >"$work/done"
	PATH=$work/bin:$PATH "$top/scripts/packages" install fresh >"$work/said" 2>&1
	rc=$?
	did=$(tr '\n' ' ' <"$work/done")
}

install good good
check "success at once" "0 update install " "$rc $did"
install 503 good 404 good good
check "lists and packages that are not there for a moment" "0 update update install update install " "$rc $did"
check "it says why it waits" 1 "$(grep -c 'apt-get failed (E: the server says 503), again' "$work/said")"
install 503 503 503 good good
check "repeated failure" "69 update update update " "$rc $did"
check "its last line reports it" "scripts/packages: apt-get failed" "$(tail -n 1 "$work/said")"
check "after the output of apt-get" 1 "$(grep -c '^E: the server says 503' "$work/said")"
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
