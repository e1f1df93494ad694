#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 3600 s
# The errors of an operator of the appliance, as docs/via.md has them, with the image for s390x
LFP_TRANSPORT=hipersockets
. "$(dirname "$0")/../system/lib.sh"
# shellcheck source=tests/s390x/lib-machine.sh
. "$top/tests/s390x/lib-machine.sh"
# shellcheck source=tests/via/lib-errors.sh
. "$top/tests/via/lib-errors.sh"
ask() { operator "$@"; }
# Its device has no name without via.conf, so nothing answers.
nobody_may_ask() { ! OPERATOR_SECONDS=20 operator QUERY; }

appliance_start
appliance_up
check "two instances serve" wait_for 120 both
user_errors
echo "  | $boots boots"
finish
