#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs before the package is unpacked (%pre of the RPM, preinst of the .deb). Fails if another lfpd is
# installed, because its programs and its configuration have the same names as ours. In an upgrade, copies of
# samples that nobody has edited make room for the new ones.
#
# IBM has not published where its package installs its programs. So this script looks in all places
# of such programs. If lfp-run exists, the programs are ours: IBM's LFP has no lfp-run.
set -e

if [ ! -e /usr/bin/lfp-run ]; then
	for found in /usr/sbin/lfpd /usr/sbin/lfpd-ctl /usr/sbin/lfpd-admin \
		/usr/bin/lfpd /usr/bin/lfpd-ctl /usr/bin/lfpd-admin \
		/sbin/lfpd /sbin/lfpd-ctl /bin/lfpd /bin/lfpd-ctl \
		/opt/ibm/vselfpd /opt/ibm/lfpd /opt/IBM/vselfpd /opt/IBM/lfpd; do
		[ -e "$found" ] || continue
		cat >&2 <<-END
			lfpd (vselfpd, no IBM product) is not installed: there is $found already, which is not
			of this package. IBM's lfpd and this one have the same names of programs, of
			configuration files and of services, and cannot be on one system together. Remove IBM's
			lfpd first; its files in /etc/opt/ibm/vselfpd can stay where they are. The two also speak
			different protocols: a z/VSE system with IBM's LFP needs IBM's lfpd.
		END
		exit 1
	done
fi

# The link in confs-enabled stays: by it, restart.sh knows that the copies are wanted.
samples=/usr/share/vselfpd/samples confs=/etc/opt/ibm/vselfpd
if [ -L "$confs/confs-enabled/lfpd-LINR02.conf" ]; then
	for copy in "$confs/confs-available/lfpd-LINR02.conf" /etc/vselfp/lfp-01.conf; do
		! cmp -s "$samples/${copy##*/}" "$copy" || rm -f "$copy"
	done
fi

#DEBHELPER#
