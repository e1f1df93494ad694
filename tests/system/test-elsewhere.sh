#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A user whose own instance does not answer hears of the system's instance of the same name
# Time limit: 100 s
[ -n "${LFP_TEST_MOUNTS:-}" ] || [ -z "${LFP_TEST_NET:-}" ] || {
	export LFP_TEST_MOUNTS=1
	exec unshare --mount -- "$0" "$@"
}
. "$(dirname "$0")/lib.sh"
needs setpriv

lfp_up
mount --bind "$LFP_ROOT/run" /run 2>/dev/null || skip "no mounts here"
# A user without LFP_ROOT: root becomes another one
user=() id=$(id -u)
if [ "$id" = 0 ]; then
	id=65534
	user=(setpriv --reuid $id --regid $id --clear-groups)
fi
own=$work/own
install -d -m 700 "$own"
chown "$id" "$own"
chmod 755 "$work"
as_user() { timeout 100 env -u LFP_ROOT XDG_RUNTIME_DIR="$own" "${user[@]}" "$@"; }
hint="The system has an instance of this name: LFP_ROOT=/ chooses it."
said() { cat "$work/said"; }

check_exit 69 "lfp-run" into "$work/said" as_user "$bin/lfp-run" -i 01 true
check_eq "$(said)" "VLFB702E LFP instance 01 is not started: no answer at $own/vselfp/01/ctl. $hint" "tells of the system's instance"
check_exit 0 "which is there" into "$work/said" as_user env LFP_ROOT=/ "$bin/lfp-run" -i 01 true
check_exit 69 "lfp-run of another instance" into "$work/said" as_user "$bin/lfp-run" -i 02 true
check_eq "$(said)" "VLFB702E LFP instance 02 is not started: no answer at $own/vselfp/02/ctl." "tells of none"
check_exit 69 "ijblfpop" into "$work/said" as_user "$bin/ijblfpop" INFO 01
check "tells of it" grep -qF "VLFB020E Instance 01 is not up. $hint" "$work/said"

# lfpd-admin asks the system's where the user has none; one that was killed leaves its socket
mkdir -p "$own/vselfpd/LINR02"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$own/vselfpd/LINR02/admin"
chown -R "$id" "$own"
check_exit 69 "lfpd-admin" into "$work/said" as_user "$bin/lfpd-admin" -i LINR02 -s
check_eq "$(said)" "VLFD902E Instance LINR02 of lfpd is not running. $hint" "tells of it"

stop_pid "$instance"
check_exit 69 "lfp-run" into "$work/said" as_user "$bin/lfp-run" -i 01 true
check_eq "$(said)" "VLFB702E LFP instance 01 is not started: no answer at $own/vselfp/01/ctl." "tells of no instance that has ended"
check_exit 69 "and to root" into "$work/said" "$bin/lfp-run" -i 01 true
check_eq "$(grep -c LFP_ROOT "$work/said")" 0 "of none"
finish
