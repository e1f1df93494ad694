#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Transfers cut at 500 random bytes
# Time limit: 3600 s
CUTS=500 exec "$(dirname "$0")/../system/test-cut.sh"
