#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A mixed load of programs, on daemons as installed: no process grows
exec "$(dirname "$0")/mixed-load.sh" plain
