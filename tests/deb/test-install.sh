#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The .debs that "make packages" made: installed into a fresh root, where their programs work, upgraded, removed
# and purged.
# Time limit: 900 s
# shellcheck source=tests/packages/root.sh
. "$(dirname "$0")/../packages/root.sh"
# shellcheck source=tests/deb/dpkg.sh
. "$(dirname "$0")/dpkg.sh"

new_root deb
new_dpkg
snapshot
dpkg_root -i "${debs[@]}" || exit 1
ok "dpkg installs them" installed lfpd libvsesock1 libvsesock-dev
ok "the installed files are as packed" test -z "$(dpkg_root -V lfpd libvsesock1 libvsesock-dev)"
ok "symbols for debuggers are there" test -n "$(dpkg-deb -c "$packages"/lfpd-dbgsym_*.deb | grep '/usr/lib/debug/.*\.debug$')"
ok "its manual pages are there" test -e "$root/usr/share/man/man8/lfpd.8.gz"
dpkg-deb -f "${debs[0]}" Description >/mnt/said
ok "the description says whose it is" says "This is no product of IBM" /mnt/said
ok "the shell completes its commands" grep -q complete "$root/usr/share/bash-completion/completions/lfpd-ctl"

ok "it has no configuration file" test -z "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Conffiles}' lfpd)"
what_an_operator_does

# A newer one of the same programs, with other defaults
for deb in "${debs[@]}"; do newer "$deb"; done
sed -i 's/^MAX_SOCKETS.*/MAX_SOCKETS = 77/' "$root$available"
ok "a connection" start_conversation
ok "dpkg installs newer ones, without a terminal" dpkg_root -i /mnt/newer/*.deb
ok "they are the newer ones" test "$(state Version lfpd)" = "$version.1"
ok "an edited configuration file stays as it was edited" grep -q '^MAX_SOCKETS = 77' "$root$available"
ok "without the new default" not grep -q '^# a new default' "$root$available"
ok "which its sample has" grep -q '^# a new default' "$root/usr/share/vselfpd/samples/lfpd-LINR02.conf"
ok "an unedited copy of a sample has the new default" grep -q '^# a new default' "$root/etc/vselfp/lfp-01.conf"
ok "it is enabled as before" test -L "$root$enabled"
ok "the instance goes on, in the new program" runs_installed LINR02
ok "and the connection, too" conversation_goes_on
ok "and answers" grep -q LINR02 <(in_root lfpd-admin -i LINR02 -s)
pid=$(pid_of LINR02)
rm "$root"/tmp/{go-on,heard,heard.err}
mkdir -p "$root/tmp/own/etc/opt/ibm/vselfpd/confs-enabled"
ok "the sample is copied into a tree of a user's own" in_root LFP_ROOT=/tmp/own lfpd-ctl enable LINR02
ok "and its instance starts" in_root LFP_ROOT=/tmp/own lfpd-ctl start LINR02
rm -r "$root/tmp/own"

ok "dpkg removes them" dpkg_root -r lfpd libvsesock-dev libvsesock1
ok "it has stopped the running programs, and has waited" not test -e "$root/run/vselfpd/LINR02/pid"
ok "it has ended the running programs" wait_for not test -e "/proc/$pid"
ok "its programs are gone" not test -e "$root/usr/sbin/lfpd"
ok "nor does a daemon run that the package does not know" wait_for not daemons_run
ok "an unedited copy of a sample is gone" not test -e "$root/etc/vselfp/lfp-01.conf"
ok "an edited one stays" grep -q '^MAX_SOCKETS = 77' "$root$available"
ok "and is enabled" test -e "$root$enabled"
ok "nothing else is left" nothing_left \
	'etc/opt/ibm|etc/opt/ibm/vselfpd|etc/opt/ibm/vselfpd/confs-.*|etc/vselfp|var/lib/systemd.*'
ok "dpkg installs them again, without a terminal" dpkg_root -i /mnt/newer/*.deb
ok "the edited file counts" grep -q '^MAX_SOCKETS = 77' "$root$enabled"
ok "and the unedited one is there again" cmp "$root/etc/vselfp/lfp-01.conf" "$root/usr/share/vselfpd/samples/lfp-01.conf"
ok "it starts as before" in_root LFP_VMID=LINLFP lfpd-ctl start LINR02
ok "dpkg purges them at once" dpkg_root -P lfpd libvsesock-dev libvsesock1
ok "no daemon runs" wait_for not daemons_run
ok "nothing is left but what a person has written" nothing_left \
	'etc/opt/ibm|etc/opt/ibm/vselfpd|etc/opt/ibm/vselfpd/confs-available|etc/opt/ibm/vselfpd/confs-(available|enabled)/lfpd-LINR02.conf.*|etc/opt/ibm/vselfpd/confs-enabled|var/lib/systemd.*'
ok "and it is as it was written" grep -q '^MAX_SOCKETS = 77' "$root$available"
rm "$root$available"
ok "installed and enabled, not edited" eval 'dpkg_root -i /mnt/newer/*.deb && in_root lfpd-ctl enable LINR02'
ok "and purged" dpkg_root -P lfpd libvsesock-dev libvsesock1
ok "nothing is left" nothing_left
finish
