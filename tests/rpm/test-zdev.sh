#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The RPM zdev that "make packages" made: alone in a fresh root, and where the package lfpd had its files before.
# Time limit: 900 s
# shellcheck source=tests/packages/root.sh
. "$(dirname "$0")/../packages/root.sh"

arch=$(uname -m)
main=$(echo "$packages/$arch"/lfpd-[0-9]*.rpm) library=$(echo "$packages/$arch"/libvsesock-[0-9]*.rpm)
devices=$(echo "$packages/$arch"/zdev-[0-9]*.rpm)
need "$main" "$library" "$devices"

new_root alone
rpm --root "$root" --initdb
snapshot
check "rpm installs zdev alone" rpm --root "$root" --nodeps -i "$devices"
check "the installed files are as packed" rpm --root "$root" --nodeps -V zdev
check "it wants nothing of the others" test -z "$(rpm -qp --requires "$devices" | grep -E 'lfp|vsesock')"
zdev_works
check "rpm erases it" rpm --root "$root" -e zdev
check "nothing is left" nothing_left

# The single package of before, with one of the same programs.
old=/mnt/old/RPMS/$arch/lfpd-0.1.0-1.$arch.rpm
cat >/mnt/old.spec <<-'END'
	Name: lfpd
	Version: 0.1.0
	Release: 1
	Summary: the single package
	License: Apache-2.0
	%description
	The single package.
	%install
	for file in bin/lfp-run bin/zdev share/man/man1/zdev.1 share/man/man5/zdev-scenario.5; do
		mkdir -p $(dirname %{buildroot}/usr/$file)
		echo old >%{buildroot}/usr/$file
	done
	%files
	/usr/bin/*
	/usr/share/man/man*/*
END
rpmbuild -bb --quiet --define '_topdir /mnt/old' --define 'debug_package %{nil}' --define '__os_install_post %{nil}' \
	/mnt/old.spec >/mnt/old.log 2>&1 || { cat /mnt/old.log; exit 1; }

new_root upgraded
rpm --root "$root" --initdb
check "the single package is installed" rpm --root "$root" --nodeps -i "$old"
check "zdev is refused beside it" not rpm --root "$root" --test -i "$devices" 2>/mnt/said
check "rpm tells of the conflict" says "lfpd < 0.1.0-2 conflicts with zdev" /mnt/said
check "rpm replaces it by all of the new ones" rpm --root "$root" --nodeps -U "$main" "$library" "$devices"
check "zdev is of its own package" test "$(rpm --root "$root" -qf --qf '%{NAME}' /usr/bin/zdev)" = zdev
check "as packed" rpm --root "$root" --nodeps -V lfpd libvsesock zdev
zdev_works

new_root without
rpm --root "$root" --initdb
check "the single package again" rpm --root "$root" --nodeps -i "$old"
check "rpm replaces it without zdev" rpm --root "$root" --nodeps -U "$main" "$library"
check "which is gone" not test -e "$root/usr/bin/zdev"
check "zdev comes later" rpm --root "$root" --nodeps -i "$devices"
check "and once more" rpm --root "$root" --nodeps -U --replacepkgs "$devices"
zdev_works
finish
