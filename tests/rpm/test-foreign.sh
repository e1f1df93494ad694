#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# If another lfpd is installed, the RPM refuses with a message and changes nothing. The test makes up the
# other one: IBM has published only some names of its package.
# Time limit: 900 s
# shellcheck source=tests/packages/root.sh
. "$(dirname "$0")/../packages/root.sh"

arch=$(uname -m)
main=$(echo "$packages/$arch"/lfpd-[0-9]*.rpm) library=$(echo "$packages/$arch"/libvsesock-[0-9]*.rpm)
need "$main" "$library"

# other NAME VERSION PATH...: an RPM with these files
other() {
	local name=$1 version=$2 path
	shift 2
	{
		printf '%s\n' "Name: $name" "Version: $version" "Release: 1" "Summary: another one" "License: other" \
			"BuildArch: noarch" "%description" "Another one." "%install"
		for path in "$@"; do echo "mkdir -p %{buildroot}${path%/*}; echo other >%{buildroot}$path"; done
		echo "%files"
		printf '%s\n' "$@"
	} >/mnt/other.spec
	rpmbuild -bb --quiet --define '_topdir /mnt/other' /mnt/other.spec >/mnt/other.log 2>&1 || { cat /mnt/other.log; exit 1; }
	echo "/mnt/other/RPMS/noarch/$name-$version-1.noarch.rpm"
}
refused() { # WHY...
	check "$1: ours is not installed" not rpm --root "$root" --nodeps -U "$main" "$library" 2>/mnt/said
	check "$1: the text says what is there" says "is not installed: there is $2 already" /mnt/said
	check "$1: and whose ours is not" says "no IBM product" /mnt/said
	check "$1: none of our files came" not test -e "$root/usr/bin/lfp-run"
	check "$1: theirs is as it was" test "$(cat "$root$2" 2>/dev/null || echo other)" = other
}

new_root same-name
rpm --root "$root" --initdb
rpm --root "$root" -i "$(other lfpd 0.0.1 /usr/sbin/lfpd /usr/sbin/lfpd-ctl)" || exit 1
refused "a package of our name" /usr/sbin/lfpd
check "rpm still has theirs" test "$(rpm --root "$root" -q lfpd)" = lfpd-0.0.1-1.noarch

new_root other-place
rpm --root "$root" --initdb
rpm --root "$root" -i "$(other vselfpd 3 /opt/ibm/vselfpd/bin/lfpd)" || exit 1
refused "another name and place" /opt/ibm/vselfpd
rpm --root "$root" --test -i "$main" 2>/mnt/said
check "rpm tells of the conflict, too" says "vselfpd conflicts with lfpd-" /mnt/said

new_root by-hand
rpm --root "$root" --initdb
echo other >"$root/usr/bin/lfpd-admin"
refused "no package at all" /usr/bin/lfpd-admin
rm "$root/usr/bin/lfpd-admin"
mkdir -p "$root/etc/opt/ibm/vselfpd/confs-available"
echo "# of the other" >"$root$available"
check "once it is gone, ours is installed" rpm --root "$root" --nodeps -U --replacepkgs "$main" "$library"
check "a configuration file of the other one stays" grep -q '^# of the other' "$root$available"
check "our sample of the file is elsewhere" grep -q '^VSE_HOSTID' "$root/usr/share/vselfpd/samples/lfpd-LINR02.conf"
finish
