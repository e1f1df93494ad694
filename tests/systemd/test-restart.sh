#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A real systemd restarts lfpd again and again, also from another version: no connection notices
# Time limit: 1200 s
. "$(dirname "$0")/lib.sh"

install_tree || exit 1
cp "$O/tests/system/restart" "$work/out/"
run_inside inside-restart 900
