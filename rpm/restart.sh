#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs after the package was unpacked (%posttrans of the RPM, postinst of the .deb). Restarts running
# instances with the new program; they keep their connections. A first installation has none. Copies the samples
# again where an instance is enabled and its file has gone: refuse-foreign.sh and stop.sh remove copies that nobody
# has edited, and rpm moves an edited file that a former package had as its own. A link stays, even one to nothing.
set -e

#DEBHELPER#

samples=/usr/share/vselfpd/samples confs=/etc/opt/ibm/vselfpd
if [ -L "$confs/confs-enabled/lfpd-LINR02.conf" ]; then
	for copy in "$confs/confs-available/lfpd-LINR02.conf" /etc/vselfp/lfp-01.conf; do
		if [ -e "$copy" ] || [ -L "$copy" ]; then
			continue
		elif [ -e "$copy.rpmsave" ]; then
			mv "$copy.rpmsave" "$copy"
		else
			cp "$samples/${copy##*/}" "$copy"
		fi || echo "lfpd: there is no $copy: copy it from $samples" >&2
	done
fi

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart 'lfpd@*.service'
else
	lfpd-ctl list | while read -r name _ state _; do
		[ "$state" != running ] || lfpd-ctl restart "$name"
	done
fi >/dev/null 2>&1 </dev/null || true
