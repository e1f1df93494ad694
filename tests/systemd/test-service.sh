#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd as a service of a real systemd, which is PID 1 of a container of its own
# Time limit: 180 s
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
skip() {
	echo "skipped: $*"
	exit 77
}
[ "$(id -u)" = 0 ] || skip "only root can boot a systemd"
for program in systemd-nspawn dbus-daemon ip curl python3; do
	command -v $program >/dev/null || skip "$program is not installed"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/out"
# The places are compiled in, so this build is apart from the others.
make -C "$top" --no-print-directory O="$O/usr" PREFIX=/usr LIBDIR=/usr/lib DESTDIR="$work/root" install >/dev/null ||
	exit 1
timeout -k 5 150 unshare -m --propagation private "$here/boot" "$work/root" "$work/out" "$here/inside" \
	</dev/null >"$work/console" 2>&1
rc=$?
# It leaves its cgroups, empty.
find /sys/fs/cgroup/{unified,systemd,}/{payload,supervisor} -depth -type d -exec rmdir {} \; 2>/dev/null
[ -s "$work/out/log" ] || { tail -n 40 "$work/console"; echo "systemd did not come up (exit $rc)"; exit 1; }
cat "$work/out/log"
[ $rc = 0 ]
