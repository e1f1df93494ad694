#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd-admin policy learn: the rules that it prints load as they are, and allow what was seen and nothing else
# Time limit: 60 s
. "$(dirname "$0")/lib.sh"
needs python3

printf '203.0.113.%d %s.example.org\n' 5 a 6 b 7 c 8 other >"$work/hosts"
# What is a word of rules is no name there.
echo 203.0.113.9 any >>"$work/hosts"
hosts_file
for last in 5 6 7 8 9; do ip addr add 203.0.113.$last/32 dev lo; done
cat >"$work/do.py" <<'END'
import socket, sys
for word in sys.argv[1:]:
    try:
        if word.startswith(":"):
            socket.create_server(("", int(word[1:]))).close()
        else:
            host, port = word.split(":")
            socket.create_connection((host, int(port)), 20).close()
    except OSError as e:
        print(word, type(e).__name__, flush=True)
END
cat >"$work/servers.py" <<'END'
import select, socket
servers = [socket.create_server((f"203.0.113.{n}", 443)) for n in (5, 6, 7, 8, 9)] + [socket.create_server(("127.0.0.1", 7000))]
print("listening", flush=True)
while True:
    for s in select.select(servers, [], [])[0]: s.accept()[0].close()
END
background servers python3 "$work/servers.py"
wait_for 60 grep -q listening "$work/servers.log" || die "no servers"
seen=(a.example.org:443 b.example.org:443 c.example.org:443 127.0.0.1:7000 :7010 any:443)
# Names are lfpd's to find.
lfpd_conf LINR02 CONNECTION_LOG=memory
statements 01
lfpd_start LINR02 "${on_host[@]}"
instance_start 01
check_eq "$(on_lfp timeout 60 python3 "$work/do.py" "${seen[@]}")" "" "a program does what it likes"
check "policy learn" into "$work/rules" "$bin/lfpd-admin" policy learn LINR02
check_eq "$(grep -v '^#' "$work/rules" | paste -sd ';')" \
	"allow connect tcp *.example.org:443;allow connect tcp 203.0.113.9:443;allow connect tcp localhost:7000;allow listen tcp :7010;default deny" "prints the rules" || cat "$work/rules"
check "they load as they are" "$daemons/lfpd" -n --rules "$work/rules"
sed -i "\$aPOLICY_FILE = $work/rules" "$conf"
check "reload" into "$work/said" "$bin/lfpd-ctl" reload LINR02
check_eq "$(on_lfp timeout 60 python3 "$work/do.py" "${seen[@]/any:443/203.0.113.9:443}")" "" "they allow what was seen"
check_eq "$(on_lfp timeout 60 python3 "$work/do.py" a.example.org:444 203.0.113.8:443 127.0.0.1:7001 :7011 | cut -d ' ' -f 1 | paste -sd ' ')" \
	"a.example.org:444 203.0.113.8:443 127.0.0.1:7001 :7011" "and nothing else"
for wrong in policy "policy forget" "policy learn LINR02 more" "--json policy learn LINR02"; do
	# shellcheck disable=SC2086 # words
	check_exit 64 "wrong: $wrong" into "$work/said" "$bin/lfpd-admin" $wrong
done
sed -i '/^CONNECTION_LOG/d' "$conf"
check "restart" into "$work/said" "$bin/lfpd-ctl" restart LINR02
check_exit 69 "without a log" into "$work/said" "$bin/lfpd-admin" policy learn LINR02
check "the reason is given" grep -q "VLFD915E .*journalctl -u lfpd@LINR02" "$work/said"
finish
