#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command lines of all pages, also those that compile
# Time limit: 1800 s
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make the layers" && exit 77; }
WALK_SLOW=1 exec "$(dirname "$0")/../walk/walk"
