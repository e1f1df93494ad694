#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd as a service of a real systemd, which is PID 1 of a container of its own
# Time limit: 1200 s
. "$(dirname "$0")/lib.sh"
needs curl python3 setpriv

# current FILE...: are they there, and newer than what they were made from?
current() {
	local rooms=(Makefile rpm etc lfp json systemd transport devemu lfpd ijblfp lfpd-ctl lfpd-admin lfp-run libvsesock)
	[ -e "$1" ] && [ -e "$2" ] && [ -z "$(find "${rooms[@]/#/$top/}" -type f -newer "$1" -print -quit)" ]
}

# The packages, if "make deb" or "make rpm" has made them of this tree; else what "make install" makes.
debs=("$O"/package/lfpd_*.deb "$O"/package/libvsesock1_*.deb)
rpms=("$O/package/$(uname -m)"/lfpd-[0-9]*.rpm "$O/package/$(uname -m)"/libvsesock-[0-9]*.rpm)
mkdir -p "$work/root/var/tmp/packages"
if current "${debs[@]}"; then
	cp "${debs[@]}" "$work/root/var/tmp/packages/"
elif command -v rpm >/dev/null && current "${rpms[@]}"; then
	cp "${rpms[@]}" "$work/root/var/tmp/packages/"
else
	install_tree || exit 1
fi
cp "$top/rpm/restart.sh" "$work/out/"
run_inside inside 900
