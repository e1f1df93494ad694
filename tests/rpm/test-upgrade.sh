#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The RPM that "make packages" made is replaced by a newer one with other defaults, while an instance runs.
# Time limit: 900 s
# shellcheck source=tests/packages/root.sh
. "$(dirname "$0")/../packages/root.sh"

arch=$(uname -m)
main=$(echo "$packages/$arch"/lfpd-[0-9]*.rpm) library=$(echo "$packages/$arch"/libvsesock-[0-9]*.rpm)
need "$main" "$library"
version=$(rpm -qp --qf '%{VERSION}' "$main")

# The newer one is of the same objects. It is made where the first was, under an overlay.
tree=$packages/vselfpd-$version
mkdir -p /mnt/tree/{upper,work} /mnt/newer
mount -t overlay overlay -o "lowerdir=$tree,upperdir=/mnt/tree/upper,workdir=/mnt/tree/work" "$tree" ||
	skip "no overlay file system here"
for file in lfpd-LINR02.conf lfp-01.conf; do
	echo "# a new default" >>"$tree/samples/$file"
done
(cd "$tree" && env -i PATH="$PATH" HOME="$HOME" rpmbuild --build-in-place -bb --quiet --define "_topdir /mnt/newer" --define "vselfpd_version $version.1" \
	--define 'debug_package %{nil}' --define '__os_install_post %{nil}' rpm/lfpd.spec) >/mnt/newer.log 2>&1 ||
	{ cat /mnt/newer.log; exit 1; }
umount "$tree"

new_root rpm
rpm --root "$root" --initdb
check "rpm installs the older one" rpm --root "$root" --nodeps -i "$main" "$library"
what_an_operator_does
sed -i 's/^MAX_SOCKETS.*/MAX_SOCKETS = 77/' "$root$available"
check "a connection" start_conversation
check "rpm installs the newer one" rpm --root "$root" --nodeps -U /mnt/newer/RPMS/"$arch"/lfpd-[0-9]*.rpm \
	/mnt/newer/RPMS/"$arch"/libvsesock-[0-9]*.rpm
check "it is the newer one" test "$(rpm --root "$root" -q --qf '%{VERSION}' lfpd)" = "$version.1"
check "an edited configuration file stays as it was edited" grep -q '^MAX_SOCKETS = 77' "$root$available"
check "without the new default" not grep -q '^# a new default' "$root$available"
check "which its sample has" grep -q '^# a new default' "$root/usr/share/vselfpd/samples/lfpd-LINR02.conf"
check "an unedited copy of a sample has the new default" grep -q '^# a new default' "$root/etc/vselfp/lfp-01.conf"
check "it is enabled as before" test -L "$root$enabled"
check "the instance goes on, in the new program" runs_installed LINR02
check "and the connection, too" conversation_goes_on
check "and answers" grep -q LINR02 <(in_root lfpd-admin -i LINR02 -s)
finish
