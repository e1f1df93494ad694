#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 2400 s
# Unit tests big-endian on a real kernel: those that need more than qemu-user has ("make check-s390x-user"
# runs the others). tests/s390x/guest/units runs in the guest.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)

"$top/tests/s390x/initrd" >"$O/s390x-initrd.log" 2>&1
rc=$?
[ $rc = 0 ] || { tail -n 3 "$O/s390x-initrd.log"; exit $rc; }
exec "$top/tests/s390x/boot" units units
