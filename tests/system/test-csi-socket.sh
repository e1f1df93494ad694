#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The SOCKET macro: every function on a real instance, with and without an ECB, over IPv4 and IPv6
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-vse.sh"

# csi PROGRAM ARG...: with no network but LFP's
csi() { vse_program SYSPARM="${SYSPARM-01}" "${build:-$O}/tests/csi/$1" "${@:2}"; }
for family in "${families[@]}"; do
	good "IPv$family: each function of the SOCKET macro" csi calls "$family"
	good "IPv$family: with ECBs" csi ecbs "$family"
done
good "results in constants: an error, and no signal" csi readonly
good "CICS-style tasks have descriptors of their own" csi ecbs tasks
LFP_SETPARM='LFP$CIC=SHARE' good "also with LFP\$CIC=SHARE" csi ecbs tasks
# also under the address sanitizer, where there is such a build
for build in "$O" "$O/san-address"; do
	[ ! -x "$build/tests/csi/random" ] || good "10000 random requests touch nothing else (${build##*/})" csi random 1 10000
done
build=

# first [ID]: results of OPEN,CONTROL and OPEN,UDP, and the instance
first() { SYSPARM=${SYSPARM-} csi calls first "$@"; }
check_eq "$(first 01)" "0 0 01" "ID names the instance"
check_eq "$(SYSPARM=77 first 01)" "0 0 01" "before SYSPARM"
check_eq "$(SYSPARM=01 first)" "0 0 01" "which does without ID"
check_eq "$(first)" "0 1117" "without both it is 00, which is not there: ENETDOWN"
check_eq "$(LFP_SETPARM='LFP$ID=01' LFP_ID=01 SYSID=01 first)" "0 1117" "no other source counts"
check_eq "$(first XX)" 83 "an invalid ID: ELOAD"
check "nothing is left" wait_for 30 no_sockets
finish
