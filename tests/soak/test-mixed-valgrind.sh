#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A mixed load of programs, run with the shim under valgrind
exec "$(dirname "$0")/mixed-load.sh" valgrind
