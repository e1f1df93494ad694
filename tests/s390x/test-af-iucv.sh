#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 2400 s
# lfpd and the emulated z/VSE side over the AF_IUCV of a real kernel for s390x, under QEMU: over its
# HiperSockets transport and over z/VM IUCV. tests/s390x/guest/session runs in the guests.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"

"$top/tests/s390x/initrd" >"$O/s390x-initrd.log" 2>&1
rc=$?
[ $rc = 0 ] || { tail -n 3 "$O/s390x-initrd.log"; exit $rc; }
for kind in hsi vm; do
	echo "== $kind"
	log=$O/s390x-$kind.log
	"$top/tests/s390x/boot" $kind session >"$log"
	rc=$?
	cat "$log"
	add_counts $rc "$log"
done
counts
