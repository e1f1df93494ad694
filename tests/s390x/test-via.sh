#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 2400 s
# The appliance on a real kernel for s390x, under QEMU: its files beside two z/VSEs in a guest, over both transports of
# AF_IUCV (tests/s390x/guest/via), then its image as a machine of its own.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
passed=0 failed=0
image=$O/via/s390x work=$O/s390x/via

"$top/tests/s390x/initrd" >"$O/s390x-initrd.log" 2>&1
rc=$?
[ $rc = 0 ] || { tail -n 3 "$O/s390x-initrd.log"; exit $rc; }
"$top/scripts/via-image" s390x "$image" >"$O/s390x-via.log" 2>&1
rc=$?
tail -n 1 "$O/s390x-via.log"
[ $rc = 0 ] || exit $rc
ok() { # TEXT COMMAND...
	local text=$1
	shift
	if "$@"; then
		passed=$((passed + 1)) && echo "ok: $text"
	else
		failed=$((failed + 1)) && echo "FAILED: $text: $*"
	fi
}
again() { "$top/scripts/via-image" s390x "$work-again" >/dev/null 2>&1 && diff -r "$image" "$work-again"; }
ok "an image that is made twice is the same" again

# The files of the OCI image, behind those that all guests have.
chmod -R u+w "$work" 2>/dev/null
rm -rf "$work" && mkdir -p "$work/root/via" || exit 1
tar -C "$work/root/via" -xf "$(find "$image/oci/blobs/sha256" -type f -size +1M)" || exit 1
chmod u+w "$work/root/via"
(cd "$work/root" && find via | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) | gzip -1 | cat "$O/s390x/initrd.gz" - >"$work/initrd.gz"
for kind in hsi vm; do
	echo "== $kind"
	log=$O/s390x-via-$kind.log
	"$top/tests/s390x/boot" $kind via -initrd "$work/initrd.gz" >"$log"
	rc=$?
	cat "$log"
	read -r p _ f _ < <(grep -aE '^[0-9]+ passed, ' "$log" | tail -n 1)
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
	[ $rc = 0 ] || [ "${f:-1}" != 0 ] || failed=$((failed + 1))
	p='' f=''
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
