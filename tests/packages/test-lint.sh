#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Remarks of rpmlint and lintian about the packages that "make packages" made. Accepted remarks are listed,
# with their reasons, in rpm/lfpd.rpmlintrc and debian/*.lintian-overrides. Any other remark is a failure, and
# so is an entry without a remark.
# Time limit: 1200 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) packages=${O:?}/package
[ -d "$packages" ] || { echo "no packages were made (make packages)"; exit 77; }
for program in rpmlint lintian; do
	command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done
failed=0

rpms=("$packages/$(uname -m)"/*.rpm)
[ ${#rpms[@]} = 5 ] || { echo "FAILED: ${#rpms[@]} RPMs, not 5"; failed=$((failed + 1)); }
said=$(rpmlint -r "$top/rpm/lfpd.rpmlintrc" "${rpms[@]}" "$top/rpm/lfpd.spec" 2>&1)
case $said in
*"5 packages and 1 specfiles checked; 0 errors, 0 warnings"*) echo "ok: rpmlint" ;;
*)
	echo "$said"
	echo "FAILED: rpmlint"
	failed=$((failed + 1))
	;;
esac

debs=("$packages"/*.deb)
[ ${#debs[@]} = 8 ] || { echo "FAILED: ${#debs[@]} .debs, not 8"; failed=$((failed + 1)); }
# It complains when root runs it, and of overrides that are not used by a tag like any other.
said=$(lintian --display-info --tag-display-limit 0 --fail-on error,warning,info "${debs[@]}" 2>&1)
rc=$?
said=$(grep -vF "running with root privileges is not recommended!" <<<"$said")
if [ $rc = 0 ] && [ -z "$said" ]; then
	echo "ok: lintian"
else
	echo "$said"
	echo "FAILED: lintian (exit $rc)"
	failed=$((failed + 1))
fi

# The reasons: each entry has a comment right above it or above its neighbours.
for file in "$top/rpm/lfpd.rpmlintrc" "$top"/debian/*.lintian-overrides; do
	awk -v file="${file#"$top/"}" '
		/^#/ { reason = 1; next }
		/^$/ { reason = 0; next }
		!reason { print "FAILED: " file ":" NR ": no reason is given"; bad = 1 }
		END { exit bad }' "$file" && echo "ok: ${file#"$top/"} gives its reasons" || failed=$((failed + 1))
done
echo "$((5 - failed)) passed, $failed failed, 0 skipped"
[ $failed = 0 ]
