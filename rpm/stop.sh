#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs before the package is removed (%preun of the RPM, prerm of the .deb). Ends its running programs.
# An upgrade calls this script, too.
set -e

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
	} >/dev/null 2>&1 </dev/null || true
fi

#DEBHELPER#
