#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Unplanned ends, 500 of each kind
# Time limit: 3600 s
FAULTS=500 exec "$(dirname "$0")/../system/test-faults.sh"
