#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EZASOKET: every function on a real instance, in both byte orders, over IPv4 and IPv6
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-vse.sh"

# eza PROGRAM ARG...: with no network but LFP's
eza() { vse_program LFP_SETPARM="${LFP_SETPARM-LFP\$ID=01}" "${O_SAN:-$O}/tests/eza/$1" "${@:2}"; }
for family in "${families[@]}"; do
	for mode in binary comp5 c; do
		good "IPv$family, numbers $mode: each function of EZASOKET" eza calls "$mode" "$family"
		good "IPv$family, numbers $mode: errors that IBM documents" eza errors "$mode" "$family"
		good "IPv$family, numbers $mode: those that wait, and the helper routines" eza waiting "$mode" "$family"
	done
done
for mode in binary comp5 c; do
	good "every option by its number, numbers $mode" eza options "$mode" "${families[-1]}" "$top/tests/data/options.tsv"
	good "results in constants, numbers $mode: an error, and no signal" eza readonly "$mode"
	good "10000 random argument lists, numbers $mode, touch nothing else" eza random "$mode" 1 10000
done
good "a process gives to another" eza places give
good "CICS-style tasks need EZATRUE, and have descriptors of their own" eza places tasks

LFP_SETPARM='LFP$ID=01,LFP$CIC=SHARE' good "but not with LFP\$CIC=SHARE" eza places share

# first TCPNAME [SETPARM]: result of INITAPI
first() { LFP_SETPARM=${2-} eza places first "$1"; }
check_eq "$(first SOCKET01)" "0 01" "TCPNAME names the instance"
check_eq "$(first SOCKET77 'LFP$ID=01')" "0 01" "SETPARM LFP\$ID comes before it"
check_eq "$(first SOCKET77)" 1117 "an instance that is not there: ENETDOWN"
check_eq "$(first TCPIP 'LFP$ID=XX')" 83 "an invalid system id: ELOAD"
check_eq "$(first SOCKET01 'EZA$PHA=IJBLFPEZ')" "0 01" "EZA\$PHA=IJBLFPEZ is this phase"
check_eq "$(first SOCKET01 'EZA$PHA=EZASOH99')" 83 "any other phase cannot be loaded: ELOAD"
# -i of lfp-run does not count for EZASOKET: without an answer a line on standard error tells why
places=${O_SAN:-$O}/tests/eza/places
by_run() { # STANDARD-ERROR COMMAND...: RETCODE or ERRNO, then the lines of VLFB820W
	local error=$1
	shift
	"$@" timeout 100 "$bin/lfp-run" -i 01 "$places" first "${name:-TCPIP}" 2>"$error"
	grep -c VLFB820W "$error"
}
check_eq "$(by_run "$work/err" env -u SYSPARM)" "1117
1" "lfp-run -i 01 without SYSPARM: ENETDOWN, with one line"
check "names both instances, and the remedy" grep -q 'VLFB820W places: LFP instance 00 does not answer\. .*instance 01 .*SYSPARM=01 ' "$work/err"
check_eq "$(by_run "$work/err" env SYSPARM=01)" "0 01
0" "which works, and says nothing"
check_eq "$(name=SOCKET77 by_run "$work/err" env SYSPARM=01)" "1117
1" "a name in INITAPI that does not answer"
check_eq "$(LFP_ID=00 timeout 100 "${empty_net[@]}" "$places" first TCPIP 2>"$work/err")" 1117 "the instance that its user has named does not answer"
check "one line says so" grep -qx 'VLFB821W places: LFP instance 00 does not answer[.] ijblfpop LIST .*' "$work/err"
check_eq "$(wc -l <"$work/err")" 1 "and nothing else is written"
into "$work/plain" python3 -c 'import socket, subprocess, sys
ours, theirs = socket.socketpair()
subprocess.run(sys.argv[1:], stderr=theirs)
theirs.close()
print(ours.recv(1000))' "$bin/lfp-run" -i 01 "$places" first TCPIP
check_eq "$(cat "$work/plain")" "1117
b''" "no line where standard error is a socket"

check "nothing is left" wait_for 30 no_sockets
finish
