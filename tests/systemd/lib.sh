# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib.sh - for tests that boot a systemd; a test sources it on its first line
#
# $work is a directory of the test's own, $work/root files that are copied over the booted root, $work/out
# its /out.

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)

# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
[ "$(id -u)" = 0 ] || skip "only root can boot a systemd"
needs systemd-nspawn dbus-daemon ip

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root" "$work/out"

# install_tree: runs "make install". Paths are compiled in, so this build has a directory of its own.
install_tree() {
	make -C "$top" --no-print-directory -j "$(nproc)" O="$O/usr" PREFIX=/usr LIBDIR=/usr/lib DESTDIR="$work/root" install >/dev/null
}

# run_inside SCRIPT SECONDS: boot, run the script there, print its log. Returns its exit code.
run_inside() {
	local rc
	cp "$top/tests/checks.sh" "$here/inside-lib.sh" "$work/out/" || return 1
	timeout -k 5 "$2" unshare -m --propagation private "$here/boot" "$work/root" "$work/out" "$here/$1" \
		</dev/null >"$work/console" 2>&1
	rc=$?
	# It leaves its cgroups, empty.
	find /sys/fs/cgroup/{unified,systemd,}/{payload,supervisor} -depth -type d -exec rmdir {} \; 2>/dev/null
	if [ -s "$work/out/log" ]; then
		cat "$work/out/log"
	else
		tail -n 40 "$work/console"
		echo "systemd did not come up (exit $rc)"
		rc=1
	fi
	return $rc
}
