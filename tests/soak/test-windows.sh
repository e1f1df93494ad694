#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hostile programs against daemons that sleep between each check and its use (preload/windows.c): what must hold, holds
# Time limit: 3600 s
#
# WINDOWS_MS: how long a sleep is. WINDOWS_TESTS: names of tests/system.
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
export O=${O:-$top/build}
O=$(cd "$O" && pwd) || exit 1
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
work=$(mktemp -d /tmp/windows.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 711 "$work"
export WINDOWS_MS=${WINDOWS_MS:-3} WINDOWS_DIR=$work/counts
mkdir -m 1777 "$WINDOWS_DIR"
mkdir "$work/bin" || exit 1
${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -D_FORTIFY_SOURCE=0 -O1 -shared -fPIC -fvisibility=hidden -o "$work/windows.so" \
	"$top/tests/soak/preload/windows.c" || exit 1
# The daemons and the supervisor, each behind a script that loads the library before it.
for program in "$O"/bin/*; do
	name=${program##*/}
	case $name in
	lfpd | ijblfpop | lfp-run) printf '#!/bin/sh\nexport LD_PRELOAD=%s WINDOWS_MS=%s WINDOWS_DIR=%s\nexec %s "$@"\n' \
		"$work/windows.so" "$WINDOWS_MS" "$WINDOWS_DIR" "$program" >"$work/bin/$name" && chmod 755 "$work/bin/$name" ;;
	*) ln -s "$program" "$work/bin/$name" ;;
	esac
done
for name in ${WINDOWS_TESTS:-misuse passed fresh seccomp-forged no-unix shares isolation rules-who admission limits closing}; do
	rm -f "$WINDOWS_DIR"/*
	O_SAN=$work timeout 900 "$top/tests/system/test-$name.sh" >"$work/said" 2>&1 </dev/null
	rc=$?
	sleeps=$(cat "$WINDOWS_DIR"/* 2>/dev/null | od -An -v -tu4 -w4 | awk '{ n += $1 } END { print n + 0 }')
	grep -E '^(FAILED|not ok)' "$work/said"
	count=$(tail -n 400 "$work/said" | grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' | tail -n 1)
	echo "$name: exit $rc, $sleeps sleeps; ${count:-$(tail -n 1 "$work/said")}"
	if [ $rc = 77 ]; then
		skip_part "$name"
	elif [ $rc = 0 ] && [ "$sleeps" -gt 20 ]; then
		ok "$name"
	else
		fail "$name"
		cp "$work/said" "$O/tests/soak/windows-$name.log"
	fi
done
counts
