#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd-ctl reload: changeable keys change, others are named, a wrong file changes nothing, connections stay
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

policy=("$(python3 -c 'import sys; print(sys.executable)')" "$here/policy.py")
ctl() { "$bin/lfpd-ctl" "$@" >"$work/out" 2>&1; }
says() { grep -Eq -- "$1" "$work/out" || { cat "$work/out"; return 1; }; }
log=$work/lfpd-LINR02.log
logged() { grep -Eq -- "$1" "$log"; }
# held_by NUMBER: once lfpd has no sockets but the first program's
one_socket() { [ "$(lfpd_sockets)" = 1 ]; }
held_by() { wait_for 30 one_socket && into "$work/held" timeout 100 "${lfp_prefix[@]}" "${policy[@]}" hold "$1" </dev/null && cat "$work/held"; }

check_exit 7 "reload of a stopped instance" ctl reload LINR02
check "reports it" says "VLFD840E LINR02 is not running"
check_exit 7 "reload of all instances, none enabled" ctl reload

lfp_up MAX_SOCKETS=5
background sink "${policy[@]}" sink 10.0.0.1 7100
wait_listen 7101 || die "no sink"
coproc old { "${lfp_prefix[@]}" "${policy[@]}" source 10.0.0.1 7100; }
pids+=("$old_PID")
read -r -t 30 -u "${old[0]}" line
check_eq "${line:-}" "old 10.0.0.1" "a program has a connection"

check_exit 0 "nothing has changed" ctl reload LINR02
check "reports it" says "VLFD843I LINR02 has reloaded its configuration: nothing has changed"
check "so does lfpd" logged VLFD135I

check_eq "$(held_by 10)" "$(($(share 5) - 1)) sockets, then ENFILE" "MAX_SOCKETS is 5"
lfpd_conf LINR02 MAX_SOCKETS=8 MAX_VSE_TASKS=9
check_exit 0 "limits change" ctl reload LINR02
check "says which" says "VLFD842I LINR02 uses new values of MAX_SOCKETS, MAX_VSE_TASKS"
check "so does lfpd" logged "VLFD131I Instance LINR02 uses new values of MAX_SOCKETS, MAX_VSE_TASKS"
check_eq "$(held_by 10)" "$(($(share 8) - 1)) sockets, then ENFILE" "MAX_SOCKETS is 8"
check_eq "$(status LINR02 MAX_SOCKETS) $(status LINR02 MAX_VSE_TASKS)" "8 9" "the status shows them"

lfpd_conf LINR02 MAX_SOCKETS=6 MAX_VSE_TASKS=9 MTU_SIZE=4096 WINDOW_SIZE=8192 VSE_CODEPAGE=IBM037
check_exit 0 "some change, some cannot" ctl reload
check "says which change" says "VLFD842I LINR02 uses new values of MAX_SOCKETS\."
check "and which do not" says "VLFD844W LINR02 keeps its values of MTU_SIZE, WINDOW_SIZE, VSE_CODEPAGE until .*lfpd-ctl restart LINR02"
check "so does lfpd" logged "VLFD132W Instance LINR02 keeps its values of MTU_SIZE, WINDOW_SIZE, VSE_CODEPAGE"
check_eq "$(status LINR02 MAX_SOCKETS) $(status LINR02 MTU_SIZE) $(status LINR02 WINDOW_SIZE)" "6 8192 65536" "and so it is"
lfpd_conf LINR02 MAX_SOCKETS=6 MAX_VSE_TASKS=9 CONNECTION_LOG=memory
check_exit 0 "only what cannot change" ctl reload LINR02
check_eq "$(cat "$work/out")" "VLFD844W LINR02 keeps its values of CONNECTION_LOG until its next start. Run lfpd-ctl restart LINR02." "it says that alone"
lfpd_conf LINR02 MAX_SOCKETS=100 IUCV_MSGLIMIT=0
check_exit 6 "a wrong file" ctl reload LINR02
check "says where and why" says 'VLFD841E LINR02 keeps its configuration, because .*lfpd-LINR02.conf:[0-9]+: IUCV_MSGLIMIT: 0 is not within'
check "so does lfpd" logged 'VLFD130E Instance LINR02 keeps its configuration, because .*IUCV_MSGLIMIT'
check_eq "$(status LINR02 MAX_SOCKETS)" 6 "nothing of it holds"
mv "$conf" "$work/aside"
check_exit 6 "no file" ctl reload LINR02
check "reports it" says 'cannot be opened: No such file'
lfpd_conf LINR02 RESTRICT_TO_HOSTID=yes VSE_HOSTID=10.9.9.9
check_exit 6 "an address that the host lacks" ctl reload LINR02
check "reports it" says 'VSE_HOSTID = 10.9.9.9 is not an address of this host'

ip addr add 10.0.0.2/32 dev lo || die "no second address"
lfpd_conf LINR02 MAX_SOCKETS=6 MAX_VSE_TASKS=9 RESTRICT_TO_HOSTID=yes VSE_HOSTID=10.0.0.2
check_exit 0 "another address" ctl reload LINR02
check "reports it" says "new values of VSE_HOSTID, RESTRICT_TO_HOSTID\."
echo >&"${old[1]}"
read -r -t 30 -u "${old[0]}" line
check_eq "${line:-}" "new 10.0.0.2" "new sockets have it"
check_eq "$(status LINR02 'Applied host id')" 10.0.0.2 "the status shows it"

lfpd_conf LINR02 LOG_INFO_MSG=no
check_exit 0 "no information" ctl reload LINR02
before=$(grep -c I "$log")
check_exit 0 "what follows" ctl reload LINR02
check_eq "$(grep -c I "$log")" "$before" "is not logged"
lfpd_conf LINR02 LOG_LEVEL=error MTU_SIZE=4096
check_exit 0 "only errors" ctl reload LINR02
check_eq "$(grep -c VLFD132W "$log")" 2 "a warning is not logged"
echo "MTU_SIZE = x" >>"$conf"
check_exit 6 "an error" ctl reload LINR02
check_eq "$(grep -c VLFD130E "$log")" 4 "is"
lfpd_conf LINR02 LOG_LEVEL=debug
check_exit 0 "everything" ctl reload LINR02
check "is logged again" logged 'VLFD131I .*LOG_LEVEL'

lfpd_conf LINR02 MAX_SOCKETS=77
kill -HUP "$lfpd"
is_77() { [ "$(status LINR02 MAX_SOCKETS)" = 77 ]; }
check "SIGHUP does the same" wait_for 30 is_77

admin=$LFP_ROOT/run/vselfpd/LINR02/admin
if [ "$(id -u)" = 0 ]; then
	lfpd_conf LINR02 ADMIN_GROUP=54321
	check_exit 0 "another group" ctl reload LINR02
	check_eq "$(stat -c '%g %a' "$admin")" "54321 660" "has the admin socket"
	lfpd_conf LINR02
	check_exit 0 "none" ctl reload LINR02
	check_eq "$(stat -c '%g' "$admin")" "$(id -g)" "gives it back"
else
	skip_part "an admin socket of another group needs root"
fi
lfpd_conf LINR02 PEER_IUCV_APPNAME=OTHER
check_exit 0 "other peers" ctl reload LINR02
check "a connected peer stays, with a message" logged "VLFD133W TESTV of VSER05 stays connected"
check "and so it is" instance_up 01

eval "exec ${old[1]}>&-"
read -r -t 30 -u "${old[0]}" line
check_eq "${line:-}" "old 10.0.0.1 works" "the connection from the beginning has lived through all of it"
stop_pid "$instance"
check_exit 69 "the next LFP instance is not admitted" env LFP_VMID=VSER05 "$bin/ijblfpop" START "$work/start-01" >"$work/out" 2>&1
finish
