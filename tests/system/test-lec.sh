#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# LE/C programs: every function, tasks, giving and taking, on a real instance, over IPv4 and IPv6
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-vse.sh"

# lec PROGRAM ARG...: with no network but LFP's
lec() { vse_program LFP_ID="${LFP_ID:-01}" "$O/tests/lec/$1" "${@:2}"; }
for family in "${families[@]}"; do
	good "IPv$family: each function of LE/C" lec calls "$family"
	good "IPv$family: those that wait, too" lec waiting "$family"
	good "IPv$family: tasks and what they give each other" lec tasks isolation "$family"
	good "IPv$family: a process gives to another" lec tasks give "$family"
done
good "every option by its level and number" lec options "${families[-1]}" "$top/tests/data/options.tsv"
good "results in constants: an error, and no signal" lec readonly
good "10000 random argument lists touch nothing else" lec random 1 10000

# The variable LFP$ID does not count for EZA.
LFP_SETPARM='LFP$ID=01' good "EZATRUE is started and stopped" lec tasks true

check_eq "$(LFP_ID=77 lec tasks errno)" 1117 "an instance that is not there: ENETDOWN"
check_eq "$(LFP_ID=XX lec tasks errno)" 83 "an invalid system id: ELOAD"

# One task opens, another uses, as the DB2 requestor does.
into "$work/share" lec tasks share
check "without LFP\$CIC=SHARE a task cannot use another's socket" \
	grep -q 'FAILED: .*: send(s, "shared", 6, 0) == 6 (errno 113)' "$work/share"
LFP_SETPARM='LFP$CIC=SHARE' good "with SETPARM LFP\$CIC=SHARE it can" lec tasks share
mkdir -p "$LFP_ROOT/run/vselfp"
echo 'LFP$CIC=SHARE' >"$LFP_ROOT/run/vselfp/setparm"
good "with SETPARM SYSTEM LFP\$CIC=SHARE it can" lec tasks share
rm "$LFP_ROOT/run/vselfp/setparm"

# left_over: how many sockets of ended tasks INFO shows
left_over() { "$bin/ijblfpop" INFO 01 LOGALL | value_of 'SOCKETS OF ENDED TASKS'; }
left_over_is() { [ "$(left_over)" = "$1" ]; }
check "no socket is an ended task's" wait_for 30 left_over_is 0
coproc left { LFP_SETPARM='LFP$CIC=SHARE' lec tasks left; }
left_pid=$left_PID # bash forgets it when the process has ended
read -r -t 30 line <&"${left[0]}"
check_eq "$line" left "a task has ended, and left a socket"
check "which operators see" wait_for 30 left_over_is 1
echo >&"${left[1]}"
wait "$left_pid" 2>/dev/null
check "until the program has ended" wait_for 30 left_over_is 0
check "nothing is left" wait_for 30 no_sockets
finish
