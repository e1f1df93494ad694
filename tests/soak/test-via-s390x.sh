#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 7200 s
# The appliance on a kernel for s390x: twenty power cuts at random moments, each with a boot behind it. CUTS=N: other than twenty
top=$(cd "$(dirname "$0")/../.." && pwd)
# The test itself has a network of its own, where nothing can be fetched.
O=$(cd "$top" && cd "${O:-build}" && pwd) "$top/tests/s390x/initrd" >/dev/null 2>&1
VIA_CUTS=${CUTS:-20} exec "$top/tests/s390x/test-via-machine.sh"
