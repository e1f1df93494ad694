#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The packages that "make packages" made, made once more from the same tarball at another time and place,
# with another umask, language, time zone, home directory and, for root, host name, are identical.
# Time limit: 1800 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) first=${O:?}/package
[ -d "$first" ] || { echo "no packages were made (make packages)"; exit 77; }
second=$(mktemp -d "${TMPDIR:-/tmp}/vselfpd-a-place-with-a-longer-name.XXXXXX") || exit 1
trap 'rm -rf "$second"' EXIT
passed=0 failed=0
same() { # A B
	if cmp "$1" "$2"; then
		passed=$((passed + 1)) && echo "ok: ${1##*/}"
	else
		failed=$((failed + 1)) && echo "FAILED: ${1##*/} differs"
	fi
}
apart=(env -u MAKEFLAGS -u MAKELEVEL -u O TZ=Asia/Tokyo LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 HOME="$second" SOURCE_DATE_EPOCH=1)
[ "$(id -u)" != 0 ] || apart+=(unshare --uts sh -c 'hostname elsewhere && exec "$@"' sh)
umask 077

tarball=$(ls -t "$O"/vselfpd-*.tar.gz | head -n 1) && [ -n "$tarball" ] || exit 1 # others are of earlier versions
"${apart[@]}" make -C "$top" --no-print-directory O="$second" TARBALL="${PACKAGED_TARBALL:-$tarball}" packages || exit 1
nr=0
for file in "$first"/*.deb "$first"/*/*.rpm; do
	nr=$((nr + 1))
	same "$file" "$second/package/${file#"$first/"}"
done
[ $nr = 14 ] || { failed=$((failed + 1)); echo "FAILED: $nr packages were compared, not 14"; }

# What is in the tarball: the working tree, so two are made right after each other.
if git -C "$top" rev-parse >/dev/null 2>&1; then
	mkdir "$second/a" "$second/b"
	"${apart[@]}" make -C "$top" --no-print-directory O="$second/a" dist >/dev/null &&
		(umask 022 && make -C "$top" --no-print-directory O="$second/b" dist >/dev/null) || exit 1
	same "$second"/a/*.tar.gz "$second"/b/*.tar.gz
fi
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
