#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A mixed load of programs, which with the shim run under valgrind
exec "$(dirname "$0")/mixed-load.sh" valgrind
