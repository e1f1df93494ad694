#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The .debs, built in a fresh root of Debian 13: its lintian finds nothing, and they are installed, used and purged there.
# Then the command lines of all pages run there, and the site is built.
# Time limit: 7200 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
work=${O:?}/debian13
if [ -z "${PACKAGES_INSIDE-}" ]; then
	[ "$(id -u)" = 0 ] || { echo "only root makes a root"; exit 77; }
	"$top/scripts/packages" install fresh || exit
	rm -rf --one-file-system "$work" && mkdir -p "$work" "$O/package" || exit 1
	names=$("$top/scripts/packages" list build deb lint systemd walk site | tr '\n' ',')
	for pause in 5 30 no; do
		mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Retries "3"' --include="${names}libcmocka-dev" trixie "$work/root" && break
		[ $pause != no ] || exit 1
		echo "(mmdebstrap has failed: again in $pause s)"
		rm -rf --one-file-system "$work/root"
		sleep $pause
	done
	env -u MAKEFLAGS -u MAKELEVEL make -C "$top" --no-print-directory O="$work" dist || exit 1
	mkdir "$work/root/src" && tar -C "$work/root/src" -xzf "$work"/vselfpd-*.tar.gz --strip-components=1 || exit 1
	cp "$work"/vselfpd-*.tar.gz "$work/root/source.tar.gz" || exit 1
fi
# shellcheck source=tests/packages/root.sh
. "$top/tests/packages/root.sh"
root=$work/root
trap 'umount -l "$root/proc" "$root/dev"; rm -rf --one-file-system "$work"' EXIT
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 1

made() { in_root HOME=/root make -C /src --no-print-directory TARBALL=/source.tar.gz deb >"$work/made" 2>&1 || { tail -n 40 "$work/made"; return 1; }; }
check "make deb" made
in_root sh -c 'lintian --display-info --tag-display-limit 0 --fail-on error,warning,info /src/build/package/*.deb' >"$work/lint" 2>&1
check "lintian accepts them" test $? = 0
check "and says nothing" not grep -v "running with root privileges is not recommended!" "$work/lint"
in_debian() { in_root DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@" </dev/null; }
# lfp-workload would bring a COBOL compiler.
check "dpkg installs them" in_debian sh -c 'dpkg -i /src/build/package/lfpd_*.deb /src/build/package/libvsesock1_*.deb /src/build/package/libvsesock-dev_*.deb /src/build/package/zdev_*.deb'
what_an_operator_does
zdev_works
check "a connection" start_conversation
check "a restart" in_root lfpd-ctl restart LINR02
check "it goes on" conversation_goes_on
check "dpkg purges them" in_debian dpkg -P lfpd libvsesock1 libvsesock-dev zdev
check "no daemon runs" wait_for not daemons_run
check "no file of theirs is left" test -z "$(find "$root"/etc/opt "$root"/etc/vselfp "$root"/run/vselfp* -mindepth 1 2>/dev/null)"

# The walk makes roots of its own below a root directory that is a mount, and some pages ask git about the source.
in_own_root() {
	unshare --mount --pid --ipc --fork --kill-child --propagation private sh -c 'mount --bind "$0" "$0" && cd "$0" &&
		mount -t proc proc proc && mount --rbind /sys sys && mount --rbind /dev dev && mount -t tmpfs -o mode=755 tmpfs run &&
		pivot_root . . && umount -l . && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"' "$root" "$@"
}
in_root sh -c 'cd /src && git init -q && git add -A && git -c user.name=test -c user.email=test@example.org commit -qm tree' || exit 1
built() { in_own_root make -C /src --no-print-directory -j "$(nproc)" all >"$work/built" 2>&1 || { tail -n 40 "$work/built"; return 1; }; }
check "make" built
in_own_root WALK_SECONDS=900 make -C /src --no-print-directory check-walk >"$work/walked" 2>&1
check "the command lines of all pages" test $? = 0
grep -E -A 25 '^  FAILED|not installed here' "$work/walked"
tail -n 1 "$work/walked"
in_own_root make -C /src --no-print-directory check-site >"$work/sited" 2>&1
check "the site" test $? = 0
tail -n 5 "$work/sited"
finish
