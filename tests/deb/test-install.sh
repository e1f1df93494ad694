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
check "dpkg installs them" installed lfpd libvsesock1 libvsesock-dev
check "the installed files are as packed" test -z "$(dpkg_root -V lfpd libvsesock1 libvsesock-dev)"
check "symbols for debuggers are there" test -n "$(dpkg-deb -c "$packages"/lfpd-dbgsym_*.deb | grep '/usr/lib/debug/.*\.debug$')"
check "its manual pages are there" test -e "$root/usr/share/man/man8/lfpd.8.gz"
dpkg-deb -f "${debs[0]}" Description >/mnt/said
check "the description says whose it is" says "This is no product of IBM" /mnt/said
check "the shell completes its commands" grep -q complete "$root/usr/share/bash-completion/completions/lfpd-ctl"

check "it has no configuration file" test -z "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Conffiles}' lfpd)"
what_an_operator_does

# A newer one of the same programs, with other defaults
for deb in "${debs[@]}"; do newer "$deb"; done
sed -i 's/^MAX_SOCKETS.*/MAX_SOCKETS = 77/' "$root$available"
check "a connection" start_conversation
check "dpkg installs newer ones, without a terminal" dpkg_root -i /mnt/newer/*.deb
check "they are the newer ones" test "$(state Version lfpd)" = "$version.1"
check "an edited configuration file stays as it was edited" grep -q '^MAX_SOCKETS = 77' "$root$available"
check "without the new default" not grep -q '^# a new default' "$root$available"
check "which its sample has" grep -q '^# a new default' "$root/usr/share/vselfpd/samples/lfpd-LINR02.conf"
check "an unedited copy of a sample has the new default" grep -q '^# a new default' "$root/etc/vselfp/lfp-01.conf"
check "it is enabled as before" test -L "$root$enabled"
check "the instance goes on, in the new program" runs_installed LINR02
check "and the connection, too" conversation_goes_on
check "and answers" grep -q LINR02 <(in_root lfpd-admin -i LINR02 -s)
pid=$(pid_of LINR02)
rm "$root"/tmp/{go-on,heard,heard.err}
mkdir -p "$root/tmp/own/etc/opt/ibm/vselfpd/confs-enabled"
check "the sample is copied into a tree of a user's own" in_root LFP_ROOT=/tmp/own lfpd-ctl enable LINR02
check "and its instance starts" in_root LFP_ROOT=/tmp/own lfpd-ctl start LINR02
rm -r "$root/tmp/own"

check "dpkg removes them" dpkg_root -r lfpd libvsesock-dev libvsesock1
check "it has stopped the running programs, and has waited" not test -e "$root/run/vselfpd/LINR02/pid"
check "it has ended the running programs" wait_for not test -e "/proc/$pid"
check "its programs are gone" not test -e "$root/usr/sbin/lfpd"
check "nor does a daemon run that the package does not know" wait_for not daemons_run
check "an unedited copy of a sample is gone" not test -e "$root/etc/vselfp/lfp-01.conf"
check "an edited one stays" grep -q '^MAX_SOCKETS = 77' "$root$available"
check "and is enabled" test -e "$root$enabled"
check "nothing else is left" nothing_left \
	'etc/opt/ibm|etc/opt/ibm/vselfpd|etc/opt/ibm/vselfpd/confs-.*|etc/vselfp|var/lib/systemd.*'
check "dpkg installs them again, without a terminal" dpkg_root -i /mnt/newer/*.deb
check "the edited file counts" grep -q '^MAX_SOCKETS = 77' "$root$enabled"
check "and the unedited one is there again" cmp "$root/etc/vselfp/lfp-01.conf" "$root/usr/share/vselfpd/samples/lfp-01.conf"
check "it starts as before" in_root LFP_VMID=LINLFP lfpd-ctl start LINR02
check "dpkg purges them at once" dpkg_root -P lfpd libvsesock-dev libvsesock1
check "no daemon runs" wait_for not daemons_run
check "nothing is left but what a person has written" nothing_left \
	'etc/opt/ibm|etc/opt/ibm/vselfpd|etc/opt/ibm/vselfpd/confs-available|etc/opt/ibm/vselfpd/confs-(available|enabled)/lfpd-LINR02.conf.*|etc/opt/ibm/vselfpd/confs-enabled|var/lib/systemd.*'
check "and it is as it was written" grep -q '^MAX_SOCKETS = 77' "$root$available"
rm "$root$available"
check "installed and enabled, not edited" eval 'dpkg_root -i /mnt/newer/*.deb && in_root lfpd-ctl enable LINR02'
check "and purged" dpkg_root -P lfpd libvsesock-dev libvsesock1
check "nothing is left" nothing_left
finish
