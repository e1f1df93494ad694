#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# POLICY_FILE: a table of calls under sets of rules, with their results and records, in both tiers
# Time limit: 120 s
. "$(dirname "$0")/lib.sh"
needs python3

cat >"$work/hosts" <<'END'
127.0.0.1 localhost
203.0.113.5 www.example.org
2001:db8::5 www.example.org
203.0.113.6 evil.example.net
203.0.113.7 shared.example.com
2001:db8::7 shared.example.com
127.0.0.1 rebound.example.org
10.0.0.1 private.example.org
192.168.1.1 private.example.org
169.254.169.254 private.example.org
fd00::1 private.example.org
END
hosts_file
for last in 5 6 7; do
	ip addr add 203.0.113.$last/32 dev lo
	ip addr add 2001:db8::$last/128 dev lo nodad || skip "no IPv6"
done

ip addr add fe80::1/128 dev lo nodad || skip "no IPv6"

cat >"$work/servers.py" <<'END'
import select, socket
kinds = {80: (1,), 443: (1, 2), 8000: (2,), 8080: (1,)}
servers = []
for port in kinds:
    for kind in kinds[port]:
        for family, addr in (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::"):
            s = socket.socket(family, kind)
            if family == socket.AF_INET6: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind((addr, port))
            if kind == 1: s.listen(100)
            servers.append(s)
print("listening", flush=True)
while True:
    for s in select.select(servers, [], [])[0]:
        if s.type == socket.SOCK_STREAM: s.accept()[0].close()
        else: s.recv(10)
END
background servers python3 "$work/servers.py"
wait_for 60 grep -q listening "$work/servers.log" || die "the servers do not listen"

here=$(dirname "$0")
table() { python3 "$here/rules-table.py" "$@"; }
log=$work/connections.log
echo "default deny" >"$work/rules"
lfpd_conf LINR02 POLICY_FILE="$work/rules" CONNECTION_LOG="$log" CONNECTION_LOG_RATE=100000
statements 01
lfpd_start LINR02 "${on_host[@]}"
instance_start 01

# all_recorded TIER SET: the log has as many records as the calls make. Sets $agrees.
all_recorded() {
	table compare "$1" "$2" "$work/said" "$log" >"$work/differs"
	agrees=$?
	[ $agrees -ne 2 ]
}

calls=0
mkdir "$work/table"
sets=$(table write "$work/table")
for ((set = 0; set < sets; set++)); do
	cp "$work/table/$set.rules" "$work/rules"
	for tier in preload seccomp; do
		lfp_mode $tier
		# A new log, too
		: >"$log"
		"$bin/lfpd-ctl" reload LINR02 >"$work/said" 2>&1 || die "reload: $(cat "$work/said")"
		on_lfp timeout 60 python3 "$here/rules-acts.py" <"$work/table/$set.$tier" >"$work/said" 2>"$work/err"
		wait_for 60 all_recorded $tier $set
		check "$(cat "$work/table/$set.name"), $tier" [ $agrees -eq 0 ] || cat "$work/differs" "$work/err"
		calls=$((calls + $(awk 'END { print $1 }' "$work/differs")))
	done
done
check "at least 600 calls, not $calls" [ "$calls" -ge 600 ]
finish
