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

# With systemd, an lfpd that somebody has started by hand is left alone: a restart would end its connections.
by_systemd=
if [ -d /run/systemd/system ]; then
	by_systemd=yes
	systemctl daemon-reload >/dev/null 2>&1 </dev/null || true
fi
is_ours() {
	[ -z "$by_systemd" ] || systemctl -q is-active "$(systemd-escape --template=lfpd@.service "$1")"
}
# lfpd-ctl checks the configuration with the new program first, and leaves the old one running if it is wrong. What it
# says goes to a file: a daemon that it starts would keep a pipe open.
said=$(mktemp) || said=/dev/null
lfpd-ctl list 2>/dev/null </dev/null | while read -r name _ state pid; do
	if [ "$state" != running ] || ! is_ours "$name" || lfpd-ctl restart "$name" >"$said" 2>&1 </dev/null; then
		continue
	fi
	now=$(lfpd-ctl list 2>/dev/null </dev/null | while read -r other _ _ is; do [ "$other" != "$name" ] || echo "$is"; done)
	if [ -n "$pid" ] && [ "$now" = "$pid" ]; then
		echo "lfpd: $name goes on with the old program:"
	else
		echo "lfpd: $name is not restarted:"
	fi
	cat "$said"
done >&2 || true
[ "$said" = /dev/null ] || rm -f "$said"
