#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# After the package was removed (%postun of the RPM, postrm of the .deb): what its programs have made goes,
# too, but no file that somebody has written.
set -e

case ${1-} in
0 | remove | purge)
	confs=/etc/opt/ibm/vselfpd
	# lfpd-ctl enable made them; what they led to is gone.
	for link in "$confs"/confs-enabled/* /etc/systemd/system/*.wants/lfpd@*.service \
		/etc/systemd/system/*.wants/lfpd.target; do
		if [ -L "$link" ] && [ ! -e "$link" ]; then rm -f "$link"; fi
	done
	rmdir "$confs/confs-enabled" "$confs/confs-available" "$confs" /etc/opt/ibm /etc/vselfp \
		/etc/systemd/system/lfpd.target.wants 2>/dev/null || true
	# Instances that were killed leave theirs. One that could not be ended still needs its own, and at a
	# purge, long after the programs have gone, what is there is of others, built from source perhaps.
	[ "$1" = purge ] || for dir in /run/vselfpd/* /run/vselfp/*; do
		pid=none
		if [ -f "$dir/pid" ]; then read -r pid <"$dir/pid" || true; fi
		[ -d "/proc/${pid:-none}" ] || rm -rf "$dir"
	done
	rmdir /run/vselfpd /run/vselfp 2>/dev/null || true
	if [ -d /run/systemd/system ]; then systemctl daemon-reload >/dev/null 2>&1 || true; fi
	;;
esac

#DEBHELPER#
