#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A mixed load of programs, on daemons as they are installed: nothing grows
exec "$(dirname "$0")/mixed-load.sh" plain
