#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The operator's course where the programs are installed and systemd is PID 1: all exercises, both ways
# Time limit: 600 s
. "$(dirname "$0")/lib.sh"
needs python3 setpriv

install_tree || exit 1
cp "$top/docs/operator-course.md" "$top/tests/system/course.sh" "$work/out/"
run_inside inside-course 400
