#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 1,000 sockets at once with the presentation's own files; one more than MAX_SOCKETS is ENFILE
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
[ "$transport" = unix ] || skip "the presentation's own files are for TRANSPORT = unix"

lfpd_conf LINR02
cp "$top/tests/data/lfpd-LINR02.conf" "$conf" # unchanged, and obeyed
# An ordinary user has three quarters unless told otherwise.
[ "$(id -u)" = 0 ] || echo "MAX_SOCKETS_USER = 1024" >>"$conf"
cp "$top/tests/data/start-01" "$work/start-01"
lfpd_start LINR02
instance_start 01
background echo "$programs/echo" 10.0.0.1 7000
wait_listen 7000

before=$(steady_fds "$lfpd" "$instance")
timeout 100 "${lfp_prefix[@]}" "$programs/many" 10.0.0.1 7000 1000 1024 >"$work/many" 2>&1
check_eq $? 0 "the program ends well" || cat "$work/many"
want="1000 sockets carry data
socket 1025: ENFILE
socket 1025: ENFILE
socket 1025: ENFILE
1000 sockets carry data
after a close: made
999 sockets carry data"
check_eq "$(cat "$work/many")" "$want" "1,000 carry data, 1,024 are there, 1,025 is ENFILE, a close makes room"
check "all are gone" wait_for 30 no_sockets
check "their descriptors, too" wait_for 30 fds_back "$before" || echo "$before, now $(fds "$lfpd"):$(fds "$instance")"
finish
