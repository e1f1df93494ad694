#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rpm/restart.sh, which runs after an upgrade: each copy of a sample that it wants to make, and what is in its place
. "$(dirname "$0")/lib.sh"

etc=$work/etc confs=$work/etc/opt/ibm/vselfpd samples=$work/samples
available=$confs/confs-available/lfpd-LINR02.conf start=$etc/vselfp/lfp-01.conf
mkdir -p "$samples" "$confs/confs-available" "$confs/confs-enabled" "$etc/vselfp" "$work/fake"
sed -e "s|/usr/share/vselfpd/samples|$samples|; s|/etc/|$etc/|g" "$top/rpm/restart.sh" >"$work/restart.sh"
for program in lfpd-ctl systemctl; do # this machine's own are left alone
	printf '#!/bin/sh\n' >"$work/fake/$program" && chmod +x "$work/fake/$program"
done
restart() { into "$work/said" env PATH="$work/fake:$PATH" sh "$work/restart.sh"; }

echo sample >"$samples/lfpd-LINR02.conf"
echo sample >"$samples/lfp-01.conf"
check "an upgrade where no instance is enabled" restart
check_eq "$(cat "$available" "$start" 2>/dev/null)" "" "makes no copy"
ln -s ../confs-available/lfpd-LINR02.conf "$confs/confs-enabled/"
echo edited >"$start.rpmsave"
check "an upgrade where LINR02 is" restart
check_eq "$(cat "$available" "$start")" $'sample\nedited' "makes the copy, and takes what rpm has moved"
check "an upgrade where both are there" restart
check_eq "$(cat "$available" "$start")" $'sample\nedited' "changes none"
ln -sf nothing "$start"
check "an upgrade where one is a link to nothing" restart
check_eq "$(readlink "$start") $(ls "$etc/vselfp")" "nothing lfp-01.conf" "leaves the link"
rm "$start" "$samples/lfp-01.conf"
check "an upgrade that cannot make a copy does not fail" restart
check "and tells it" grep -q "there is no $start: copy it from $samples" "$work/said"
finish
