#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd has its threads from the start: a later limit of processes has no effect, an earlier one is reported
# Time limit: 120 s
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "root makes lfpd another user, whose processes are counted"
needs setpriv
getent passwd nobody >/dev/null || skip "there is no user nobody"
log=$work/lfpd-LINR02.log

# An LFP instance in lfpd's process is of the same user.
peer=root
[ "$transport" = local ] && peer=nobody
lfpd_conf LINR02 USER=nobody VSE_HOSTID= PEER_USER=$peer
statements 01
lfpd_start LINR02
instance_start 01
check "lfpd is an ordinary user's" test "$(stat -c %U "/proc/$lfpd")" = nobody
setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups prlimit --pid "$lfpd" --nproc=1:1 || die "no limit"
check "a look-up after the limit" on_lfp "$programs/names" host
on_lfp "$programs/names" lookups >"$work/lookups" 2>&1
check "more of them" grep -q . "$work/lookups"
check "lfpd is still there" lfpd_answers LINR02
stop_pid "$instance"
stop_pid "$lfpd"

# An LFP instance in lfpd's process needs a further process, the maker of near ends, before there are threads.
[ "$transport" != local ] || { finish; exit; }
check_exit 69 "with the limit before, lfpd does not start" \
	timeout 60 env LFP_VMID=LINLFP prlimit --nproc=1:1 "$daemons/lfpd" -d -f \
	"$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf" 2>"$work/few"
check "and says why" grep -q "VLFD046E Instance LINR02 cannot start its threads: Resource temporarily unavailable" "$work/few"
check "nothing of it is left" test ! -e "$LFP_ROOT/run/vselfpd/LINR02/pid"
finish
