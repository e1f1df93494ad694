#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EZASMI: every type on a real instance, with and without an ECB, over IPv4 and IPv6
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-vse.sh"

# smi PROGRAM ARG...: with no network but LFP's
smi() { vse_program LFP_SETPARM="${LFP_SETPARM-LFP\$ID=01}" "${build:-$O}/tests/ezasmi/$1" "${@:2}"; }
for family in "${families[@]}"; do
	good "IPv$family: each type of EZASMI" smi calls "$family"
	good "IPv$family: the same with ECBs" smi ecbs "$family"
done
good "every option by its name and its number" smi options "${families[-1]}" "$top/tests/data/options.tsv"
good "results in constants: an error, and no signal" smi readonly
good "CICS-style tasks need EZATRUE, and have descriptors of their own" smi calls tasks
# also under the address sanitizer, where there is such a build
for build in "$O" "$O/san-address"; do
	[ ! -x "$build/tests/ezasmi/random" ] || good "10000 random calls touch nothing else (${build##*/})" smi random 1 10000
done
build=

# first TCPNAME [SETPARM]: result of INITAPI
first() { LFP_SETPARM=${2-} smi calls first "$1"; }
check_eq "$(first SOCKET01)" "0 01" "TCPNAME names the instance"
check_eq "$(first SOCKET77 'LFP$ID=01')" "0 01" "SETPARM LFP\$ID comes before it"
check_eq "$(first SOCKET77)" 1117 "an instance that is not there: ENETDOWN"
check_eq "$(first TCPIP 'LFP$ID=XX')" 83 "an invalid system id: ELOAD, and the exit of ERROR="
check_eq "$(first SOCKET01 'EZA$PHA=EZASOH99')" 83 "so a phase that is not IJBLFPEZ"

# A COBOL run-time system unloads called libraries at its end; the library's thread may still exist then.
check "the library is not unloaded" grep -q NODELETE <(readelf -dW "$O/lib/libvsesock.so.1")
check "nothing is left" wait_for 30 no_sockets
finish
