#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs before the package is removed (%preun of the RPM, prerm of the .deb). Ends its running programs, and removes
# copies of its samples that nobody has edited. An upgrade calls this script, too.
set -e

# Process ids of this system's daemons, whoever started them; containers have a root of their own.
sbin=/usr/sbin
daemons() {
	for dir in /proc/[0-9]*; do
		case $(readlink "$dir/exe") in
		"$sbin/lfpd" | "$sbin/lfpd "* | "$sbin/ijblfpop" | "$sbin/ijblfpop "*)
			[ ! "$dir/root" -ef / ] || [ ! "$dir/ns/mnt" -ef /proc/self/ns/mnt ] || echo "${dir#/proc/}"
			;;
		esac
	done
}

if [ "${1-}" = 0 ] || [ "${1-}" = remove ]; then
	{
		[ ! -d /run/systemd/system ] || systemctl stop 'lfp@*.service' lfp.target 'lfpd@*.service' lfpd.target
		lfpd-ctl list | while read -r name _ state _; do
			[ "$state" != running ] || lfpd-ctl stop "$name"
		done
		for pid in /run/vselfp/[0-9][0-9]/pid; do
			nn=${pid%/pid}
			[ ! -e "$pid" ] || ijblfpop STOP "${nn##*/}" IMMEDIATE
		done
		# Instances of users, and those that do not answer.
		for signal in TERM KILL; do
			for pid in $(daemons); do kill -$signal "$pid"; done
			tries=50
			while [ -n "$(daemons)" ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
		done
		for copy in /etc/opt/ibm/vselfpd/confs-available/lfpd-LINR02.conf /etc/vselfp/lfp-01.conf; do
			! cmp -s "/usr/share/vselfpd/samples/${copy##*/}" "$copy" || rm -f "$copy"
		done
	} >/dev/null 2>&1 </dev/null || true
fi

#DEBHELPER#
