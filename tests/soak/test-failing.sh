#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each system call fails with each of its errors, for every n of a short program
# Time limit: 7200 s
FAILING_IN="lfpd instance shim supervisor" FAILING_PART=1 exec "$(dirname "$0")/../campaign/test-failing.sh"
