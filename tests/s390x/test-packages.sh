#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 3600 s
# The packages for s390x: cross-built in a root of Debian 12 that has its compiler and libraries for it, looked at,
# installed by dpkg and by rpm in a guest under QEMU, and used there over AF_IUCV. tests/s390x/guest/packages runs in
# the guest.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] || { echo "only root makes a root to build in"; exit 77; }
command -v mmdebstrap >/dev/null || { echo "no mmdebstrap: scripts/packages install fresh"; exit 77; }
here=$O/s390x work=$O/s390x/packages builder=$O/s390x/builder
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
apart() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "$@"; }

"$top/tests/s390x/initrd" >"$O/s390x-initrd.log" 2>&1
rc=$?
[ $rc = 0 ] || { tail -n 3 "$O/s390x-initrd.log"; exit $rc; }
"$top/tests/cross/fetch" s390x debian "$here" || exit
rm -rf "$work" && mkdir -p "$work" || exit 1

# It stays for the next run. The libraries of both machines have to be of one version, which security updates have
# for fewer machines: so it has none of them.
make_builder() {
	local names libraries
	names=$wanted
	libraries=$(grep -E '^(lib.*-dev|pkg-config)$' <<<"$names" | grep -v '^libc6-dev$' | sed 's/$/:s390x/')
	names=$(grep -v -- '-dev$' <<<"$names")
	rm -rf --one-file-system "$builder.part"
	mmdebstrap --quiet --variant=minbase --architectures="$(dpkg --print-architecture),s390x" --aptopt='Acquire::Retries "3"' \
		--include="$(tr '\n' ',' <<<"$names")crossbuild-essential-s390x,$(paste -sd , <<<"$libraries")" \
		bookworm "$builder.part" "deb $(archive) bookworm main" >"$work/builder.log" 2>&1 &&
		echo "$wanted" >"$builder.part/packages" && mv "$builder.part" "$builder"
}
# Where this machine has Debian from
archive() { apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Codename: bookworm' 'Component: main' | head -n 1; }
wanted=$("$top/scripts/packages" list build deb rpm)
[ "$(cat "$builder/packages" 2>/dev/null)" = "$wanted" ] || rm -rf --one-file-system "$builder"
[ -e "$builder" ] || make_builder || { tail -n 20 "$work/builder.log"; echo "the root to build in cannot be made"; exit 1; }

apart make -C "$top" --no-print-directory O="$work" dist || exit 1
rm -rf --one-file-system "$builder/src" && mkdir "$builder/src" &&
	tar -C "$builder/src" -xzf "$work"/vselfpd-*.tar.gz --strip-components=1 && cp "$work"/vselfpd-*.tar.gz "$builder/source.tar.gz" || exit 1
in_builder() {
	apart unshare --mount --pid --fork --kill-child --propagation private sh -c 'mount -t proc proc "$1/proc" && root=$1 && shift &&
		exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"' sh "$builder" "$@"
}
made() { in_builder make -C /src --no-print-directory TARBALL=/source.tar.gz CROSS=s390x packages >"$work/made" 2>&1 || { tail -n 40 "$work/made"; return 1; }; }
check "make packages CROSS=s390x" made
debs=("$builder"/src/build/package/*.deb) rpms=("$builder"/src/build/package/*/*.rpm)
check "eight .debs and six RPMs" test "${#debs[@]} ${#rpms[@]}" = "8 6"
of_machine() { # the architectures, but for what is for all machines
	local file
	for file in "${debs[@]}"; do dpkg-deb -f "$file" Architecture; done
	rpm -qp --qf '%{ARCH}\n' "${rpms[@]}"
}
check "they are for s390x" test "$(of_machine 2>/dev/null | grep -vE '^(all|noarch)$' | sort | uniq -c | xargs)" = "12 s390x"
if command -v lintian >/dev/null; then
	lintian --display-info --tag-display-limit 0 --fail-on error,warning,info "${debs[@]}" >"$work/lint" 2>&1
	check "lintian accepts them" test $? = 0
	grep -vF "running with root privileges is not recommended!" "$work/lint"
fi

# The guest's root is unpacked behind the files that all guests have.
mkdir -p "$work/root/debian/packages" && cp -a "$here/debian/." "$work/root/debian/" || exit 1
for name in lfpd libvsesock1 zdev; do
	cp "$builder/src/build/package/${name}"_*.deb "$builder"/src/build/package/s390x/"${name%1}"-[0-9]*.rpm "$work/root/debian/packages/" || exit 1
done
(cd "$work/root" && find debian | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) | gzip -1 >"$work/root.gz" || exit 1
cat "$here/initrd.gz" "$work/root.gz" >"$work/initrd.gz"
rm -rf "$work/root" "$work/root.gz"
LFP_GUEST_SECONDS=2400 "$top/tests/s390x/boot" hsi packages -m 1536 -initrd "$work/initrd.gz" >"$work/log"
rc=$?
cat "$work/log"
add_counts $rc "$work/log"
counts
