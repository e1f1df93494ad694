#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# VIA_DEBS: the image has the programs of a package, and is otherwise the same
# Time limit: 600 s
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
needs dpkg-deb
image=$O/via/x86_64
why=$("$top/scripts/via-image" x86_64 "$image" 2>&1) || skip "no image: $(tail -n 1 <<<"$why")"

# package VERSION LFPD: a package with that program
package() {
	local dir=$work/package-$1
	mkdir -p "$dir/DEBIAN" "$dir/usr/sbin" "$work/debs"
	printf '%s\n' "Package: lfpd" "Version: $1" "Architecture: amd64" "Maintainer: nobody <nobody@example.org>" "Description: test" >"$dir/DEBIAN/control"
	cp "$2" "$dir/usr/sbin/lfpd" && cp "$bin/lfpd-admin" "$dir/usr/sbin/" || return
	dpkg-deb --root-owner-group --build "$dir" "$work/debs/lfpd_$1_amd64.deb"
}
made() { VIA_DEBS=$work/debs "$top/scripts/via-image" x86_64 "$work/image" >"$work/image.log" 2>&1; }
sum_of() { sed -n "s|^\([0-9a-f]*\)  \./$1\$|\1|p" "$2/contents"; }

mkdir -p "$work/debs"
check "without a package there is no image" eval '! made'
check "- and none is left half made" eval '[ -z "$(ls "$work/image" 2>/dev/null)" ]'
check "a package" into "$work/package.log" package 1.9 "$bin/lfpd"
check "a later one with another program" into "$work/package.log" package 1.10 "$bin/lfpd-ctl"
cp "$work/debs/lfpd_1.9_amd64.deb" "$work/debs/lfpd_1.11_s390x.deb" # of another machine
check "make an image" made || cat "$work/image.log"
strip -o "$work/other" "$bin/lfpd-ctl"
check_eq "$(sum_of usr/sbin/lfpd "$work/image")" "$(sha256sum <"$work/other" | cut -d ' ' -f 1)" "- with the later one's program"
check_eq "$(sum_of usr/sbin/lfpd-admin "$work/image")" "$(sum_of usr/sbin/lfpd-admin "$image")" "- and the same lfpd-admin"
check "- its name is another one" eval '[ "$(sum_of etc/via-build "$work/image")" != "$(sum_of etc/via-build "$image")" ]'
check_eq "$(grep -vE ' \./(usr/sbin/lfpd|etc/via-build|usr/lib/.*\.so.*)$' "$work/image/contents" | sha256sum)" \
	"$(grep -vE ' \./(usr/sbin/lfpd|etc/via-build|usr/lib/.*\.so.*)$' "$image/contents" | sha256sum)" "- and all but libraries is the same"
finish
