#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The .debs of the previous release (PREVIOUS_RELEASE in the Makefile), built from its commit, are replaced by those of
# this tree in a booted systemd: connections, configuration and state live through it
# Time limit: 3600 s
. "$(dirname "$0")/../systemd/lib.sh"
needs curl python3 apt-get
"$top/scripts/packages" install build deb || exit

previous=${PREVIOUS_RELEASE:-$(sed -n 's/^PREVIOUS_RELEASE := *//p' "$top/Makefile")}
git() { command git -c safe.directory='*' -C "$top" "$@"; }
commit=$(git rev-parse --verify --quiet "${previous:-none}^{commit}") || skip "this repository lacks the commit $previous (a shallow clone?)"
value_in() { sed -n "s/^$1 := *//p" "$2/Makefile"; }
made_by() { env -u MAKEFLAGS -u MAKELEVEL -u O -u PREVIOUS_RELEASE make --no-print-directory "$@"; }

# The same commit gives the same packages, so they stay for the next run. Where it has the version that this tree has,
# the revision says that it is older.
old=$O/previous/$commit
revision_of_old() {
	local own
	own=$(value_in REVISION "$old/tree")
	[ "$(value_in VERSION "$old/tree")" != "$(value_in VERSION "$top")" ] || own=$(value_in REVISION "$top")~1
	echo "${own:-1}"
}
if [ ! -e "$old/made" ]; then
	rm -rf "$old" && mkdir -p "$old/tree" || exit 1
	git archive "$commit" | tar -C "$old/tree" -x || exit 1
	git archive --prefix="vselfpd-$(value_in VERSION "$old/tree")/" "$commit" | gzip -n >"$old/source.tar.gz" || exit 1
	made_by -C "$old/tree" O="$old" TARBALL="$old/source.tar.gz" REVISION="$(revision_of_old)" deb >"$old/log" 2>&1 ||
		{ tail -n 40 "$old/log"; exit 1; }
	touch "$old/made"
fi
made_by -C "$top" O="$O/upgrade" deb >"$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }
made_by -C "$top" O="$O" "$O/tests/system/restart" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }

# lfp-workload would bring a COBOL compiler.
for which in old:"$old" new:"$O/upgrade"; do
	mkdir -p "$work/root/var/tmp/${which%%:*}"
	for name in lfpd libvsesock1 libvsesock-dev zdev; do
		cp "${which#*:}"/package/"${name}"_*.deb "$work/root/var/tmp/${which%%:*}/" || exit 1
	done
done
saved_in() { git show "$1:lfpd/saved/saved-records.h" | sed -n 's/^#define SAVED_VERSION \([0-9]*\)u$/\1/p'; }
protocol_in() { git show "$1:lfp/frame.h" | sed -n 's/^#define LFP_PROTOCOL_VERSION \([0-9]*\)u$/\1/p'; }
now=$(sed -n 's/^#define SAVED_VERSION \([0-9]*\)u$/\1/p' "$top/lfpd/saved/saved-records.h")
echo "from $(git show -s --format='%h of %cs' "$commit"): protocol $(protocol_in "$commit"), saved state $(saved_in "$commit"); to saved state $now"
# docs/versions.md: lfpd reads its own version of the state alone.
[ "$(saved_in "$commit")" != "$now" ] || touch "$work/out/lives"
cp "$O/tests/system/restart" "$work/out/"
run_inside inside-upgrade 900
