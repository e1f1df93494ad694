#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SIGUSR2: lfpd restarts in its process; a wrong file has no effect
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

log=$work/lfpd-LINR02.log
starts() { [ "$(grep -c VLFD001I "$log")" -ge "$1" ]; }
logged() { grep -Eq -- "$1" "$log"; }
connected() { [ "$(grep -c VLFD123I "$log")" -ge "$1" ]; }

lfp_up
if [ "$transport" = local ]; then
	pid=$lfpd
	kill -USR2 "$pid"
	check "with the LFP instance in its process lfpd does not restart" wait_for 30 logged "VLFD028W .*the same process"
	check "and goes on" "$bin/lfpd-admin" -i LINR02 -s
	check "with the instance" instance_up 01
	finish
fi
pid=$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")
wait_for 30 connected 1 || die "no path"

kill -USR2 "$pid"
check "lfpd is ready again" wait_for 30 starts 2
check_eq "$(<"$LFP_ROOT/run/vselfpd/LINR02/pid")" "$pid" "in the same process"
check "the LFP instance has its path again" wait_for 30 connected 2
check "lfpd-admin asks it" "$bin/lfpd-admin" -i LINR02 -s

lfpd_conf LINR02 IUCV_MSGLIMIT=0
kill -USR2 "$pid"
check "a wrong file is named" wait_for 30 logged "VLFD029E .*IUCV_MSGLIMIT"
check "and changes nothing" "$bin/lfpd-admin" -i LINR02 -s

lfpd_conf LINR02 TRANSPORT=local LOCAL_INSTANCE=01
kill -USR2 "$pid"
check "a file by which it would host the LFP instance is not taken" wait_for 30 logged "VLFD028W .*the same process"
check "and changes nothing" "$bin/lfpd-admin" -i LINR02 -s
check_eq "$(grep -c VLFD123I "$log")" 2 "the path is the same"

lfpd_conf LINR02 MTU_SIZE=4096
kill -USR2 "$pid"
check "a good one is taken" wait_for 30 starts 3
check "with its new values" wait_for 30 connected 3
check_eq "$(status LINR02 MTU_SIZE)" 4096 "of a key that cannot change while lfpd runs"

check_eq "$(grep -c VLFD153I "$log")" 2 "each time the session goes on"
lfpd_conf LINR02 LOG_INFO_MSG=no
kill -USR2 "$pid"
goes_on() { [ "$(grep -c '^VLFD153I The session of .* goes on with ' "$log")" = "$1" ]; }
check "which is logged also without information" wait_for 30 goes_on 3
check_eq "$(grep -c VLFD001I "$log")" 3 "unlike the start"

lfpd_conf LINR03
there() { [ "$(<"$LFP_ROOT/run/vselfpd/LINR03/pid")" = "$pid" ]; } 2>/dev/null
check "a second instance starts in the background" "$bin/lfpd-ctl" start LINR03
pid=$(<"$LFP_ROOT/run/vselfpd/LINR03/pid")
log=$LFP_ROOT/run/vselfpd/LINR03/log
kill -USR2 "$pid"
check "it is ready again" wait_for 30 starts 2
check "in the same process" wait_for 30 there
check "and ends as it is told" "$bin/lfpd-ctl" stop LINR03

finish
