#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 2700 s
# The appliance: twenty power cuts at random moments, each with a boot behind it, and a scan of all its ports. CUTS=N: other
# than twenty
top=$(cd "$(dirname "$0")/../.." && pwd)
VIA_CUTS=${CUTS:-20} VIA_PORTS=65535 exec "$top/tests/via/test-via.sh"
