# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dpkg.sh - dpkg for a root of root.sh, in which dpkg sees this machine's packages

debs=("$packages"/lfpd_*.deb "$packages"/libvsesock1_*.deb "$packages"/libvsesock-dev_*.deb)
devices=$(echo "$packages"/zdev_*.deb) # needs none of the others
workload=$(echo "$packages"/lfp-workload_*.deb)
need "${debs[@]}" "$devices"
version=$(dpkg-deb -f "${debs[0]}" Version)

new_dpkg() {
	mkdir -p "$root/var/lib/dpkg" "$root.dpkg"/{upper,work}
	mount -t overlay overlay -o "lowerdir=/var/lib/dpkg,upperdir=$root.dpkg/upper,workdir=$root.dpkg/work" \
		"$root/var/lib/dpkg" || exit 1
	rm -f "$root"/var/lib/dpkg/lock*
	# Without them dpkg would see that a libvsesock1 of this machine is upgraded.
	! grep -qE '^Package: (lfpd|libvsesock|zdev)' /var/lib/dpkg/status || skip "this machine has lfpd itself"
}

# Without triggers of other packages.
dpkg_root() { env DEBIAN_FRONTEND=noninteractive LC_ALL=C dpkg --root="$root" --no-triggers "$@" </dev/null; }

state() { dpkg-query --admindir="$root/var/lib/dpkg" -W -f "\${$1}" "$2"; }
installed() { # PACKAGE...
	local name
	for name in "$@"; do
		[ "$(state db:Status-Status "$name")" = installed ] || { echo "$name: $(state Status "$name")"; return 1; }
	done
}

# newer DEB: the same with a higher version and other defaults, in /mnt/newer
newer() {
	local dir=/mnt/newer/tree file
	rm -rf "$dir" && mkdir -p "$dir" && dpkg-deb -R "$1" "$dir" || exit 1
	sed -i -E "s/^Version: .*/&.1/; s/\(= ${version//+/[+]}\)/(= $version.1)/" "$dir/DEBIAN/control"
	for file in lfpd-LINR02.conf lfp-01.conf; do
		[ ! -e "$dir/usr/share/vselfpd/samples/$file" ] || echo "# a new default" >>"$dir/usr/share/vselfpd/samples/$file"
	done
	dpkg-deb -b --root-owner-group "$dir" /mnt/newer >/dev/null || exit 1
	rm -rf "$dir"
}
