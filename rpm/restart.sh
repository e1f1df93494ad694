#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs after the package was unpacked (%posttrans of the RPM, postinst of the .deb). Restarts running
# instances with the new program; they keep their connections. A first installation has none.
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
