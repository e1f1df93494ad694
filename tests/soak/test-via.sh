#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 1800 s
# The appliance: twenty power cuts at random moments of its boot and its work, and a scan of all its ports
top=$(cd "$(dirname "$0")/../.." && pwd)
VIA_CUTS=20 VIA_PORTS=65535 exec "$top/tests/via/test-via.sh"
