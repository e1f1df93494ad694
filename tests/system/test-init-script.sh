#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The start script for hosts without systemd: the requirements of the Linux Standard Base
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

script=$work/lfpd.init
sed "s|=/usr/sbin/|=$bin/|; s|/etc/default/|$work/default/|; s|/etc/sysconfig/|$work/sysconfig/|" \
	"$top/rpm/lfpd.init" >"$script"
chmod 755 "$script"
init() { "$script" "$@" >"$work/out" 2>&1; }
told() { grep -q -- "$1" "$work/out"; }
pid_of() { cat "$LFP_ROOT/run/vselfpd/$1/pid"; }

header() { sed -n '/^### BEGIN INIT INFO$/,/^### END INIT INFO$/p' "$top/rpm/lfpd.init"; }
for key in Provides Required-Start Required-Stop Default-Start Default-Stop Short-Description Description; do
	check "header: $key" grep -Eq "^# $key: +[^ ]" <(header)
done
check_eq "$(header | grep -vc '^# [A-Z][A-Za-z-]*: ')" 3 "and nothing else but its ends, and a line that goes on"

check_exit 2 "no argument" init
check "prints the usage" told '^usage: .*start|stop|restart|try-restart|reload|force-reload|status$'
check_exit 2 "an unknown action" init begin
check_exit 2 "an argument too many" init start LINR02

check_exit 6 "start: nothing is enabled" init start
check_exit 0 "stop" init stop
check_exit 3 "status" init status
check_exit 7 "reload" init reload
check_exit 7 "force-reload" init force-reload
check_exit 0 "try-restart" init try-restart

lfpd_conf LINR02 TRANSPORT=unix LOCAL_INSTANCE=
lfpd_conf LINR03 TRANSPORT=unix LOCAL_INSTANCE=
mkdir -p "$work/default"
echo 'LFP_VMID=FROMFILE' >"$work/default/lfpd"
check_exit 3 "status: enabled, and not running" init status
check_exit 0 "start" init start
check_exit 0 "status" init status
check "of both" eval 'told "LINR02 is running" && told "LINR03 is running"'
check_eq "$("$bin/lfpd-admin" -i LINR02 --json status | python3 -c 'import json, sys; print(json.load(sys.stdin)["vmid"])')" \
	FROMFILE "they have the environment of /etc/default/lfpd"
first=$(pid_of LINR02) second=$(pid_of LINR03)
check_exit 0 "start of those that run" init start
check_eq "$(pid_of LINR02) $(pid_of LINR03)" "$first $second" "changes nothing"
check_exit 0 "reload" init reload
check_exit 0 "force-reload" init force-reload
check_eq "$(pid_of LINR02) $(pid_of LINR03)" "$first $second" "they are the same processes"
"$bin/lfpd-ctl" stop LINR03
check_exit 0 "force-reload of a running instance" init force-reload
check_exit 0 "try-restart" init try-restart
check_exit 0 "the one that ran runs" "$bin/lfpd-ctl" status LINR02
check_exit 3 "the other one does not" "$bin/lfpd-ctl" status LINR03
check_exit 0 "restart" init restart
check_exit 0 "runs both" init status
check_exit 0 "stop" init stop
check_exit 3 "status" init status
check_exit 0 "stop once more" init stop

check_exit 0 "start" init start
first=$(pid_of LINR02)
kill -KILL "$first"
wait_for 30 ended "$first"
check_exit 1 "status: it is dead, and its pid file is there" init status
check_exit 0 "start" init start
check_exit 0 "status" init status

check_exit 0 "stop" init stop
lfpd_conf LINR02 MTU_SIZE=12
check_exit 6 "start with a wrong file" init start
check "says which" told 'LINR02.conf:[0-9]*: MTU_SIZE: '
check_exit 0 "the other one runs all the same" "$bin/lfpd-ctl" status LINR03
check_exit 0 "stop" init stop
sed -i "s|$bin/|$work/nowhere/|" "$script"
check_exit 5 "start: it is not installed" init start
check_exit 0 "stop: nothing installed, nothing running" init stop
check_exit 4 "status: not known" init status
finish
