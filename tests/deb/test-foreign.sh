#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# If another lfpd is installed, the .deb refuses with a message and changes nothing. The test makes up the
# other one: IBM has published only some names of its package.
# Time limit: 900 s
# shellcheck source=tests/packages/root.sh
. "$(dirname "$0")/../packages/root.sh"
# shellcheck source=tests/deb/dpkg.sh
. "$(dirname "$0")/dpkg.sh"

# other NAME VERSION PATH: a .deb with this file
other() {
	rm -rf /mnt/other && mkdir -p "/mnt/other/DEBIAN" "/mnt/other${3%/*}" && echo other >"/mnt/other$3" || exit 1
	printf '%s\n' "Package: $1" "Version: $2" "Architecture: all" "Maintainer: somebody <nobody@example.org>" \
		"Description: another one" >/mnt/other/DEBIAN/control
	dpkg-deb -b --root-owner-group /mnt/other /mnt/other.deb >/dev/null && dpkg_root -i /mnt/other.deb >/dev/null || exit 1
}
refused() { # WHY PATH
	check "$1: ours is not installed" not dpkg_root -i "${debs[@]}" 2>/mnt/said
	check "$1: the text says what is there" says "is not installed: there is $2 already" /mnt/said
	check "$1: and whose ours is not" says "no IBM product" /mnt/said
	check "$1: none of our files came" not test -e "$root/usr/bin/lfp-run"
	check "$1: theirs is as it was" test "$(cat "$root$2" 2>/dev/null || echo other)" = other
}

new_root same-name
new_dpkg
other lfpd 0.0.1 /usr/sbin/lfpd
refused "a package of our name" /usr/sbin/lfpd
check "dpkg still has theirs" test "$(state Version lfpd)" = 0.0.1

new_root other-place
new_dpkg
other vselfpd 3 /opt/ibm/vselfpd/bin/lfpd
check "a package that ours conflicts with" not dpkg_root -i "${debs[@]}" 2>/mnt/said
check "dpkg tells of the conflict" says "lfpd conflicts with vselfpd" /mnt/said
dpkg_root -i --force-conflicts "${debs[@]}" 2>/mnt/said
check "ours looks for itself, too" says "is not installed: there is /opt/ibm/vselfpd already" /mnt/said

new_root by-hand
new_dpkg
echo other >"$root/usr/bin/lfpd-admin"
refused "no package at all" /usr/bin/lfpd-admin
rm "$root/usr/bin/lfpd-admin"
mkdir -p "$root/etc/opt/ibm/vselfpd/confs-available"
echo "# of the other" >"$root$available"
check "once it is gone, ours is installed" dpkg_root -i "${debs[@]}"
check "a configuration file of the other one stays" grep -q '^# of the other' "$root$available"
check "our sample of the file is elsewhere" grep -q '^VSE_HOSTID' "$root/usr/share/vselfpd/samples/lfpd-LINR02.conf"
finish
