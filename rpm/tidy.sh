#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs after the package was removed (%postun of the RPM, postrm of the .deb). Removes files that its
# programs have made. Keeps all files that a person wrote.
set -e

case ${1-} in
0 | purge)
	confs=/etc/opt/ibm/vselfpd
	# Links of "lfpd-ctl enable" to files that no longer exist. A .deb that is removed and not purged keeps them: when
	# it is installed again, the samples are copied again, too.
	for link in "$confs"/confs-enabled/* /etc/systemd/system/*.wants/lfpd@*.service \
		/etc/systemd/system/*.wants/lfpd.target /etc/systemd/system/*.wants/lfp@*.service \
		/etc/systemd/system/*.wants/lfp.target; do
		if [ -L "$link" ] && [ ! -e "$link" ]; then rm -f "$link"; fi
	done
	# Drop-ins of "lfpd-ctl enable".
	rm -f /etc/systemd/system/lfpd@*.service.d/lfpd-host.conf
	rmdir /etc/systemd/system/lfpd@*.service.d 2>/dev/null || true
	rmdir "$confs/confs-enabled" "$confs/confs-available" "$confs" /etc/opt/ibm /etc/vselfp \
		/etc/systemd/system/lfpd.target.wants /etc/systemd/system/lfp.target.wants 2>/dev/null || true
	;;
esac

case ${1-} in
0 | remove | purge)
	# Killed instances leave their directories. A running instance still needs its own. A purge may come
	# long after the removal: the directories then belong to other programs, such as a build from source.
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
