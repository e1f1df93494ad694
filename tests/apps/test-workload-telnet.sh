#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-workload telnet: IBM's report with telnetd and its users over every route; wrong addresses, wrong words, missing programs, a full disk, Ctrl-C
# Time limit: 300 s
. "$(dirname "$0")/lib-workload.sh"
needs telnetd python3

json=$work/all.json
timeout 150 "$workload" telnet --quick --json >"$json" 2>"$work/progress"
check_eq "$?" 0 "the table is made" || { cat "$work/progress"; tail -n 5 "$json"; }
asked "the routes" 'r["routes"] == ["iucv", "hipersockets", "unix", "shm", "local", "native"] and set(r["skipped"]) <= {"iucv"}'
measured='[(n, k, x) for n in c if n not in r["skipped"] for k, x in c[n].items()]'
asked "all cells are measured" "r['complete'] and len($measured) == 6 * (6 - len(r['skipped'])) and all('rate' in x for n, k, x in $measured)"
asked "the same users move the same text" "len({x['bytes'] // 1000 for n, k, x in $measured if k.endswith('-10')}) <= 2"
asked "each rate is its bytes and seconds" "all(abs(x['rate'] * x['seconds'] - x['bytes']) < 1 for n, k, x in $measured)"
asked "total is the program and what carries it" "all(abs(x['ms_per_mb']['emul'] + x['ms_per_mb']['cp'] - x['ms_per_mb']['total']) < 1e-6 for n, k, x in $measured)"
asked "who spends CPU time" "all(x['emul'] > 0 and (x['cp'] > 0) == (n != 'native') for n, k, x in $measured)"
asked "a verdict of each published row" 'sorted(v[0].split()[0] for v in r["verdicts"]) == sorted(["TN-%s-%d" % (run, n) for run in ("53v4", "54v4", "54v6")
	for n in (10, 50, 100, 200)] + ["TN-d%d" % i for i in range(1, 8)])'
asked "the contradiction is told" '[v[0] for v in r["verdicts"] if "contradiction" in v[3]] == ["TN-d7 CPU utilization"]'

cat >"$work/parts.py" <<'END'
import json, sys
sys.path.insert(0, sys.argv[1] + "/workload")
sys.dont_write_bytecode = True
import ipaddress
import published_telnet, table_telnet, telnet, telnet_users
# The published values are those of the rows.
rows = {line.split("\t")[0]: line.split("\t") for line in open(sys.argv[1] + "/zdev/devices.tsv", encoding="utf-8")}
for ids, values, base in published_telnet.RUNS.values():
    for nr, users in enumerate(published_telnet.CONNECTIONS):
        row = rows[f"{base}-{users}"]
        want = f"{values[0][nr]} / " + " / ".join(f"{of[nr]:.3f}" for of in values[1:])
        assert any(want in field for field in row), (base, users, want)
assert [text for text, _, _, verdict in published_telnet.recomputed() if verdict not in ("rounded", "exact")] == [
    "Table 1, 200: Total CPU per MB trans (msec)", "Summary, 5.3 IPv4 to 5.4 IPv6: lowest of CPU utilization",
    "Summary, 5.3 IPv4 to 5.4 IPv4: highest of CPU utilization"]
# Addresses that a server may see
for address, kind, good in (("::ffff:10.9.0.1", None, True), ("10.9.0.1", None, False), ("fd09::1", None, False),
                            ("10.9.0.1", ipaddress.IPv4Address, True), ("::ffff:10.9.0.1", ipaddress.IPv6Address, False),
                            ("fd09::1", ipaddress.IPv6Address, True), ("fd09::1%lo", ipaddress.IPv6Address, True)):
    assert telnet.is_as_wanted(address, kind) == good, (address, kind)
# A user's text that differs is an error of its cell.
cells = {"native": {"a": {"rate": 1, "texts": ["x", "y"]}}, "unix": {"a": {"rate": 1, "texts": ["x", "z"]}, "b": {"rate": 1, "texts": ["x"]}}}
table_telnet.compare_texts(cells)
assert "user 2" in cells["unix"]["a"]["error"] and "rate" not in cells["unix"]["a"] and "rate" in cells["unix"]["b"]
# The protocol, whole and byte by byte
data = b"a\xff\xfb\x01\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0b\xff\xffc\xff\xf1d"
for step in (1, len(data)):
    of, text, answer = telnet_users.Protocol(), b"", b""
    for at in range(0, len(data), step):
        more, said = of.take(data[at:at + step])
        text, answer = text + more, answer + said
    assert (text, answer) == (b"ab\xffcd", b"\xff\xfd\x01\xff\xfc\x18"), (step, text, answer)
END
check "the parts" python3 "$work/parts.py" "$top"

HOME=$work timeout 100 "$workload" telnet --connections 3 --commands 1 --think 0 --route unix >"$work/text" 2>/dev/null
check_eq "$?" 0 "as text"
check "IBM's tables as printed" eval 'grep -qE "^Run ID +i43w0102 +i43w0502 +i43w1002 +i43w2002 +-$" "$work/text" &&
	grep -qE "^Total Bytes/Sec +13% +23% +15% +12% +-$" "$work/text" && grep -qE "^Emul CPU per MB trans \(msec\) +.071 +.069 +.069 +.069 +-$" "$work/text"'
check "a number of users that IBM has not" grep -qE '^Number of connections +10 +50 +100 +200 +3$' "$work/text"

said() { # RC PATTERN WORD...
	HOME=$work timeout 60 "$workload" "${@:3}" >"$work/out" 2>"$work/said"
	check_eq "$?$(grep -cE -- "$2" "$work/said")$(wc -l <"$work/said")" "${1}11" "lfp-workload ${*:3}" || cat "$work/said"
}
said 64 '0: not numbers of connections from 1 to 400' telnet --connections 0
said 64 '10,,50: not numbers of connections' telnet --connections 10,,50
said 64 'invalid choice: .stack.' telnet --route stack
said 64 '0: not a number from 1 to 256' telnet --commands 0
space=(unshare --mount)
[ "$(id -u)" = 0 ] || space=(unshare --user --map-current-user --keep-caps --mount)
PATH=$PATH:/usr/sbin "${space[@]}" sh -c ': >"$1"; mount --bind "$1" "$(command -v telnetd)" && exec timeout 60 "$2" telnet --quick' sh "$work/hidden" "$workload" \
	2>"$work/said" >&2
check_eq "$? $(cat "$work/said")" "69 lfp-workload: telnetd is not installed (Debian's package inetutils-telnetd)" "without telnetd"
timeout 60 "$workload" telnet --quick --connections 2 --route native >/dev/full 2>"$work/said"
check_eq "$? $(tail -n 1 "$work/said")" "74 lfp-workload: cannot write the results: No space left on device" "a full disk"

# Ctrl-C while users are logged on: what is there, marked, and nothing that runs.
json=$work/partial.json
timeout --foreground 100 "$workload" telnet --connections 1,30 --commands 100 --think 0.02 --json --verdicts "$work/partial.tsv" --route unix >"$json" 2>"$work/progress" &
runner=$!
wait_for 90 grep -q '^\[1/6\]' "$work/progress"
read -r run <"/proc/$runner/task/$runner/children"
run=${run%% *}
of_run() { # its processes by name: those below it, and its daemons
	local pid
	for pid in $(pgrep -x "$1"); do
		[ "$(readlink "/proc/$pid/ns/mnt")" = "$space" ] && echo "$pid"
	done
}
space=$(readlink "/proc/$run/ns/mnt")
logged_on() { [ "$(of_run telnetd | wc -l)" -ge 10 ]; }
check "users are logged on" wait_for 60 logged_on
kill -INT "$run"
wait "$runner"
check_eq "$?" 130 "Ctrl-C in the middle of a cell"
asked "the results are marked partial" 'not r["complete"] and r["cells_done"] == 1 and r["cells_all"] == 6'
check "what was measured is marked, too" grep -qx '# PARTIAL: interrupted after 1 of 6 cells' "$work/partial.tsv"
check "and says so" grep -qx 'lfp-workload: interrupted after 1 of 6 cells' "$work/progress"
check_eq "$(of_run telnetd)$(of_run lfpd)$(of_run sh)$(of_run python3)" "" "nothing of it is left"
finish
