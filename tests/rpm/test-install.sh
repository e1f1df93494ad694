#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The RPMs that "make packages" made: installed into a fresh root, where their programs work, and erased.
# Time limit: 900 s
# shellcheck source=tests/packages/root.sh
. "$(dirname "$0")/../packages/root.sh"

arch=$(uname -m)
main=$(echo "$packages/$arch"/lfpd-[0-9]*.rpm) library=$(echo "$packages/$arch"/libvsesock-[0-9]*.rpm)
devel=$(echo "$packages/$arch"/libvsesock-devel-[0-9]*.rpm)
devices=$(echo "$packages/$arch"/zdev-[0-9]*.rpm)
debuginfo=$(echo "$packages/$arch"/lfpd-debuginfo-*.rpm)
need "$main" "$library" "$devel" "$devices" "$debuginfo"
new_root rpm
rpm --root "$root" --initdb
snapshot

# Debian's rpm knows of no package of this system.
check "rpm installs them" rpm --root "$root" --nodeps -i "$main" "$library" "$devel" "$devices"
check "the installed files are as packed" rpm --root "$root" --nodeps -V lfpd libvsesock libvsesock-devel zdev
check "debuginfo is there" grep -q 'lfpd.*\.debug$' <(rpm -qlp "$debuginfo")
check "its manual pages are there" test -n "$(ls "$root"/usr/share/man/man8/lfpd.8*)"
check "the description says whose it is" grep -q 'no product of IBM' <(rpm -qip "$main")
if command -v systemd-analyze >/dev/null; then
	cp "$root/usr/lib/systemd/system/lfpd@.service" "$root/tmp/lfpd@LINR02.service"
	check "systemd finds nothing to say about the unit" test -z \
		"$(in_root systemd-analyze verify --man=no /tmp/lfpd@LINR02.service 2>&1)"
	rm -r "$root/tmp/lfpd@LINR02.service" "$root/run/systemd"
fi

what_an_operator_does
check "lfpd-ctl stop" in_root lfpd-ctl stop LINR02
check "lfpd-ctl status after that" gives 3 in_root lfpd-ctl status LINR02
check "lfpd-ctl start again" in_root lfpd-ctl start LINR02
pid=$(pid_of LINR02)

echo "# edited" >>"$root$available"
check "rpm erases them" rpm --root "$root" --nodeps -e lfpd libvsesock-devel libvsesock zdev
check "it has stopped the running programs, and has waited" not test -e "$root/run/vselfpd/LINR02/pid"
check "it has ended the running programs" wait_for not test -e "/proc/$pid"
check "no daemon runs" wait_for not daemons_run
check "an edited copy of a sample is kept" grep -q '^# edited' "$root$available"
check "nothing else is left" nothing_left \
	'etc/opt/ibm|etc/opt/ibm/vselfpd|etc/opt/ibm/vselfpd/confs-available|etc/opt/ibm/vselfpd/confs-(available|enabled)/lfpd-LINR02.conf.*|etc/opt/ibm/vselfpd/confs-enabled'

check "rpm installs them again" rpm --root "$root" --nodeps -i "$main" "$library"
check "the edited file counts" grep -q '^# edited' "$root$enabled"
rm "$root$available" "$root$enabled"
check "enabled without an edit" in_root lfpd-ctl enable LINR02
check "rpm erases them again" rpm --root "$root" --nodeps -e lfpd libvsesock
check "nothing is left" nothing_left
finish
