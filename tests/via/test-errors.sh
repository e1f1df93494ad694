#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The errors of an operator of the appliance, as docs/via.md has them
# Time limit: 600 s
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
# shellcheck source=tests/via/lib-via.sh
. "$top/tests/via/lib-via.sh"
# shellcheck source=tests/via/lib-errors.sh
. "$top/tests/via/lib-errors.sh"
ask() { via "$@"; }
answers() { # TEXT COMMAND...
	local text=$1
	shift
	via "$@" >"$work/answer" 2>&1 && grep -qE "$text" "$work/answer" || { cat "$work/answer"; return 1; }
}
nobody_may_ask() {
	via QUERY >"$work/answer" 2>&1
	[ $? = 69 ] && console_says 'VLFD533W Commands of CID 2, port [0-9]* are refused'
}

via_conf
vse_conf 1
vse_conf 2
write_disk || die "no disk: $(cat "$work/written.log")"
appliance_start
appliance_up
check "two instances serve" wait_for 60 both
user_errors
echo "  | $boots boots"
finish
