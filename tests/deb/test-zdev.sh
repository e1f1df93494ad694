#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The .deb zdev that "make packages" made: alone in a fresh root, and where the package lfpd had its files before.
# Time limit: 900 s
# shellcheck source=tests/packages/root.sh
. "$(dirname "$0")/../packages/root.sh"
# shellcheck source=tests/deb/dpkg.sh
. "$(dirname "$0")/dpkg.sh"

new_root alone
new_dpkg
snapshot
check "dpkg installs zdev alone" dpkg_root -i "$devices"
check "it is installed" installed zdev
check "the installed files are as packed" test -z "$(dpkg_root -V zdev)"
check "it wants nothing of the others" test -z "$(dpkg-deb -f "$devices" Depends | grep -E 'lfp|vsesock')"
zdev_works
check "dpkg purges it" dpkg_root -P zdev
check "nothing is left" nothing_left

# The single package of before, with one of the same programs.
old=/mnt/old.deb
mkdir -p /mnt/old/DEBIAN /mnt/old/usr/bin /mnt/old/usr/share/man/man1
for file in bin/lfp-run bin/zdev share/man/man1/zdev.1.gz; do echo old >"/mnt/old/usr/$file"; done
printf '%s\n' "Package: lfpd" "Version: 0.1.0" "Architecture: $(dpkg --print-architecture)" \
	"Maintainer: somebody <nobody@example.org>" "Description: the single package" >/mnt/old/DEBIAN/control
dpkg-deb -b --root-owner-group /mnt/old $old >/dev/null || exit 1

new_root upgraded
new_dpkg
check "the single package is installed" dpkg_root -i $old
check "dpkg replaces it by all of the new ones" dpkg_root -i "${debs[@]}" "$devices"
check "they are installed" installed lfpd libvsesock1 zdev
check "zdev is of its own package" test "$(dpkg_root -S /usr/bin/zdev)" = "zdev: /usr/bin/zdev"
zdev_works

new_root first
new_dpkg
check "the single package again" dpkg_root -i $old
check "zdev alone would break it" not dpkg_root -i "$devices" 2>/mnt/said
check "dpkg reports it" says "breaks lfpd" /mnt/said
check "lfpd without zdev" dpkg_root -i "${debs[@]}"
check "has no zdev" not test -e "$root/usr/bin/zdev"
check "zdev comes later" dpkg_root -i "$devices"
check "and once more" dpkg_root -i "$devices"
zdev_works
finish
