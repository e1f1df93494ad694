#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Malformed frames and control messages for ten minutes
# Time limit: 3600 s
MALFORMED_SECONDS=600 exec "$(dirname "$0")/../system/test-malformed.sh"
