#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-via config: generations on a configuration disk, and what is on other disks, which it leaves alone
. "$(dirname "$0")/lib.sh"
via() { "$bin/lfp-via" "$@" >"$work/said" 2>&1; }
mkdir "$work/via.d"
echo "CONTROLLER = user 0" >"$work/via.d/via.conf"

check "a file that is not there is made" via config "$work/via.d" "$work/disk"
check "- as generation 1" grep -q ": generation 1, 1 files" "$work/said"
check "the next one" via config "$work/via.d" "$work/disk"
check "- is generation 2, in the other half" grep -q ": generation 2, 1 files" "$work/said"
via show "$work/disk"
check "- and counts" grep -qx "half 2: whole, generation 2, the one that counts" "$work/said"
# A power cut in the middle of a write: the head of one half is gone, or wrong.
printf 'LFPVIA1\nwrong' | dd of="$work/disk" conv=notrunc status=none
check "a damaged half is written again" via config "$work/via.d" "$work/disk"
check "- as generation 3" grep -q ": generation 3, " "$work/said"
head -c 512 /dev/zero | dd of="$work/disk" conv=notrunc status=none
check "and an empty one" via config "$work/via.d" "$work/disk"

# Another disk by mistake: its first bytes, and others of the part that would be written
foreign() { # AT WHAT
	head -c 1048576 /dev/zero >"$work/foreign"
	printf 'data' | dd of="$work/foreign" bs=1 seek="$1" conv=notrunc status=none
	cp "$work/foreign" "$work/copy"
	check_exit 1 "$2 is refused" via config "$work/via.d" "$work/foreign"
	check "- with the reason" grep -q "VLFD567E .*/foreign has other data than a configuration" "$work/said"
	check "- and stays" cmp "$work/foreign" "$work/copy"
}
foreign 0 "a disk with other data"
foreign 510 "a partition table"
foreign 1080 "a file system"
finish
