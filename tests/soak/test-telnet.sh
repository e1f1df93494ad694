#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole table telnet; then 200 users, a storm of connections that end at once, and an idle hour: nothing is left
# Time limit: 1800 s
#
# TELNET_ROUTES: of the table, by default unix and native; none for the second part alone. The hour is one minute: libfaketime runs the daemons' clocks 60
# times as fast, from before the users.
. "$(dirname "$0")/../system/lib.sh"
needs telnetd python3
faketime=/usr/lib/$(uname -m)-linux-gnu/faketime/libfaketime.so.1
[ -e "$faketime" ] || skip "libfaketime is not installed"
programs=$top/workload/programs

routes=()
for route in ${TELNET_ROUTES-unix native}; do routes+=(--route "$route"); done
if [ ${#routes[@]} -gt 0 ]; then
	timeout 1200 "$bin/lfp-workload" telnet "${routes[@]}" --json >"$work/table.json" 2>"$work/progress"
	check_eq $? 0 "the table with 10, 50, 100 and 200 users" || cat "$work/progress"
	check "all of its cells are measured" python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not all("rate" in cell for cells in r["cells"].values() for cell in cells.values()))' "$work/table.json"
	cp "$work/table.json" "$O/test-logs/telnet.json"
fi

fast=(env "LD_PRELOAD=$faketime" FAKETIME=+0x60)
lfpd_conf LINR02
statements 01
lfpd_start LINR02 "${fast[@]}"
instance_start 01 "${fast[@]}"
background_on_lfp listener python3 "$programs/telnet-listener.py" inet6 2323 "$work/peers" "$(PATH=$PATH:/usr/sbin command -v telnetd)" \
	-h -E "/bin/sh $programs/logon"
listener=$!
wait_listen 2323

crowd() { # USERS COMMANDS: how many of them fail
	timeout 300 python3 "$top/workload/telnet_users.py" 10.0.0.1 2323 "$1" "$2" 0.2 |
		python3 -c 'import json, sys; print(sum(user["error"] is not None for user in json.load(sys.stdin)["users"]))'
}
descriptors() { find "/proc/$1/fd" | wc -l; }
resident() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"; }
one_listener() { [ "$(lfpd_sockets)" = 1 ] && ! pgrep -P "$listener" >/dev/null; }
# The instance's stock of near ends is one batch or two (docs/near-ends.md).
batch=16
at_rest() { one_listener && [ "$(descriptors "$lfpd")" -le "$lfpd_had" ] && [ "$(descriptors "$instance")" -le $((instance_had + batch)) ]; }

# Pools and caches grow with the first crowd.
check_eq "$(crowd 200 2)" 0 "200 users"
check "all but the listener is gone" wait_for 60 one_listener
settled() { # nothing comes or goes between two looks
	local before
	before="$(descriptors "$lfpd") $(descriptors "$instance")"
	sleep 0.5
	[ "$(descriptors "$lfpd") $(descriptors "$instance")" = "$before" ]
}
wait_for 30 settled
lfpd_had=$(descriptors "$lfpd") instance_had=$(descriptors "$instance")
lfpd_kb=$(resident "$lfpd") instance_kb=$(resident "$instance")
for round in 1 2 3; do
	check_eq "$(crowd 200 1)" 0 "200 users, round $round"
	check "a storm of 300 connections, round $round" timeout 100 python3 -c '
import random, socket, struct
chance = random.Random(1)
for _ in range(300):
    s = socket.create_connection(("10.0.0.1", 2323), 30)
    if chance.random() < 0.5:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()'
done
check "all but the listener is gone" wait_for 100 one_listener
sleep 60 # the idle hour: it must pass, and nothing shows its end
check "no descriptor is left" wait_for 30 at_rest
check_le "$(resident "$lfpd")" $((lfpd_kb + lfpd_kb / 4 + 1024)) "lfpd has the memory of the first crowd, in kB"
check_le "$(resident "$instance")" $((instance_kb + instance_kb / 4 + 1024)) "the instance, too"
check_eq "$(crowd 5 2)" 0 "users after the hour"
check "the server sees them as IPv4 in IPv6" eval 'test -s "$work/peers" && ! grep -qv "^::ffff:10\.0\.0\.1$" "$work/peers"'
kill "$listener"
check "all sockets are gone" wait_for 60 no_sockets
finish
