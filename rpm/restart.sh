#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# After the package was unpacked (%posttrans of the RPM, postinst of the .deb): instances that run go on
# in the new program, with their connections. At a first installation none does.
set -e

#DEBHELPER#

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart 'lfpd@*.service'
else
	lfpd-ctl list | while read -r name _ state _; do
		[ "$state" != running ] || lfpd-ctl restart "$name"
	done
fi >/dev/null 2>&1 </dev/null || true
