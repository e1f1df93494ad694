#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 7200 s
# The appliance on a kernel for s390x: twenty power cuts at random moments, each with a boot behind it. CUTS=N: other than twenty
top=$(cd "$(dirname "$0")/../.." && pwd)
VIA_CUTS=${CUTS:-20} exec "$top/tests/s390x/test-via-machine.sh"
