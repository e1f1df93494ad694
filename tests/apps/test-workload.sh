#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-workload: IBM's slide with vsftpd, lftp and jobs in C and COBOL over every route; wrong bytes, wrong words, Ctrl-C
# Time limit: 300 s
. "$(dirname "$0")/lib-workload.sh" stack
needs vsftpd lftp cobc cc tc python3

# Everything once, by the real programs.
json=$work/all.json
start=$(now_ms)
timeout 200 "$workload" lfp --quick --json >"$json" 2>"$work/progress"
check_eq "$?" 0 "the table is made" || { cat "$work/progress"; tail -n 5 "$json"; }
echo "in $(($(now_ms) - start)) ms"
asked "all cells are done" 'r["complete"] and r["cells_done"] == r["cells_all"] == 6 * len(r["routes"])'
asked "the routes" 'r["routes"] == ["stack-osa", "stack", "iucv", "hipersockets", "unix", "shm", "local", "native"]'
asked "a route is skipped for a reason" 'all(name in ("iucv", "stack", "stack-osa") and why for name, why in r["skipped"].items())'
asked "which names what this machine lacks" 'r["skipped"].get("iucv", "this machine lacks AF_IUCV: ").startswith("this machine lacks AF_IUCV: ")'
asked "LFP and native are not" '{"hipersockets", "unix", "shm", "local", "native"}.isdisjoint(r["skipped"])'
measured='{n: [x for x in c[n].values() if "rate" in x] for n in c if n not in r["skipped"]}'
asked "six cells a route, four of native" "all(len(x) == (4 if n == 'native' else 6) for n, x in ($measured).items())"
asked "the bytes of each cell" "all(x['bytes'] == (2 * 10**6 if x['programs'] == 1 else 3 * 10**6) for v in ($measured).values() for x in v)"
asked "each rate is its bytes and seconds" "all(abs(x['rate'] * x['seconds'] * 1e6 - x['bytes']) < 1 for v in ($measured).values() for x in v)"
asked "FTP compares digests at both ends" "all(x['digest_bytes'] == 1000003 for v in ($measured).values() for x in v if x['programs'] == 1)"
spent="{n: set(k for x in v for k in x['cpu'] if x['cpu'][k] > 0) for n, v in ($measured).items()}"
asked "who spends CPU time" "all(s == ({'app', 'tcpip', 'link'} if n == 'stack-osa' else {'app', 'tcpip'} if n == 'stack' else {'app'} if n == 'native' else
	{'app', 'lfpd'} if n == 'local' else {'app', 'instance', 'lfpd'}) for n, s in ($spent).items())"
asked "z/VSE's side is the sum without lfpd and the link" "all(abs(sum(p for k, p in x['ms_per_mb'].items() if k not in ('zvse', 'lfpd', 'link')) - x['ms_per_mb']['zvse']) < 1e-9
	for v in ($measured).values() for x in v)"
asked "IBM's LFP stands beside unix" 'r["compared"]["lfp"] == "unix" and r["compared"]["tcpip"] == "stack-osa"'
asked "ratios are of the cells" 'all(x["measured_faster"] == (x["lfp"]["rate"] / x["tcpip"]["rate"] if x["tcpip"] else None) for x in r["compared"]["rows"])'
asked "the machine is described" 'r["machine"]["kernel"] and r["machine"]["cpus"] and {"lfpd", "vsftpd", "lftp", "cobc"} <= set(r["machine"]["versions"])'
if [ -x "$bin/lfp-stack" ] && [ -w /dev/net/tun ]; then
	asked "both stacks were measured" '{"stack", "stack-osa"} <= set(c) - set(r["skipped"])'
	asked "the adapter has a delay, and counters as its interfaces" '(lambda link: link["delay_ms"] == r["sizes"]["osa_delay"] == 0.25 and
		len(link["same"]) == 6 and all(link["same"].values()))(r["links"]["stack-osa"]) and "stack" not in r["links"]'
else
	skip_part "the stack in the partition: no lfp-stack, or no /dev/net/tun"
fi

asked "a verdict of each published row" 'sorted({v[0] for v in r["verdicts"]}) == ["LFP-%02d" % i for i in range(1, 27)]'
asked "settings are as shown" '[v[4] for v in r["verdicts"] if v[0] in ("LFP-19", "LFP-20", "LFP-21", "LFP-22", "LFP-23", "LFP-24", "LFP-26")] == ["as shown"] * 7'
asked "a quick run reaches nothing" 'not [v for v in r["verdicts"] if "reached" in v[4]]'
cat >"$work/verdicts.py" <<'END'
import copy, json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from verdicts import values_of, verdicts
r = {**json.load(open(sys.argv[2])), "quick": False}
both = copy.deepcopy(r["compared"])
def verdict(row, results=r):
    return [v[4] for v in verdicts(results, both) if v[0] == row]
for rate, want in ((3.7, "reached"), (3.69, "not reached"), (None, "not measured")):
    both["rows"][0]["measured_faster"] = rate
    assert verdict("LFP-03") == [want], (rate, verdict("LFP-03"))
for saved, want in ((35, "reached"), (34.9, "not reached"), (-5, "not reached")):
    both["rows"][1]["measured_less"] = saved
    assert verdict("LFP-12") == [want], saved
r["shown"]["info"]["MTU"] = "8193"
del r["shown"]["status"]["MAX_VSE_TASKS"]
assert verdict("LFP-19") == verdict("LFP-23") == ["different"]
assert verdict("LFP-20", {**r, "shown": {}}) == ["no route of LFP was started"]
assert values_of(["  WINDOW SIZE ..... : 65,535", "A = b = c", "", "-----"]) == {"WINDOW SIZE": "65535", "A": "b = c"}
END
check "verdicts of changed results" python3 "$work/verdicts.py" "$top/workload" "$json"

# As text, with a picture; IBM's own values are those of the published rows.
plot=()
if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then plot=(--plot "$work/lfp.png"); else skip_part "no matplotlib"; fi
HOME=$work timeout 100 "$workload" lfp --quick --route unix --verdicts "$work/verdicts.tsv" "${plot[@]}" >"$work/text" 2>/dev/null
check_eq "$?" 0 "as text"
[ ${#plot[@]} = 0 ] || check "the picture is a PNG" grep -q PNG "$work/lfp.png"
check "3.7 is cut from 3.79" grep -qE '^FTP z/VSE -> Linux: times faster +3\.7 +3\.789 +cut$' "$work/text"
check "published and measured stand apart" eval '[ "$(grep -c "^  published " "$work/text")" = 6 ] && [ "$(grep -c "^  measured here " "$work/text")" = 6 ]'
check "what was measured is written" eval '[ "$(grep -c "^LFP-" "$work/verdicts.tsv")" = 13 ] && grep -q "^# lfp-workload lfp: .* quick" "$work/verdicts.tsv"'
check_exit 0 "zdev check takes it" into "$work/said" "$bin/zdev" check -q --measured="$work/verdicts.tsv" LFP
check "settings are passed by this run" eval '[ "$(grep -cE "^LFP-(19|20|21|23|24|26) .* run +passed$" "$work/said")" = 6 ]'
check "a rate is shown" grep -qE '^ +measured here: FTP z/VSE -> Linux, LFP: [0-9.]+ MB/s \(published 72 MB/s\)' "$work/said"
check "a column without its route says so" grep -q 'not measured  ' "$work/text"
check "each missing program has a remedy, and Debian's package suggests it" env PYTHONDONTWRITEBYTECODE=1 python3 - "$top" <<'END'
import re, sys
sys.path.insert(0, sys.argv[1] + "/workload")
import product
assert "make stack install-stack" in str(product.missing("lfp-stack"))
control = open(sys.argv[1] + "/debian/control", encoding="utf-8").read().split("Package: lfp-workload\n")[1].split("Description:")[0]
lacking = set(product.PACKAGES.values()) - set(re.split(r"[\s,]+", control)) - {"postgresql-client"}  # comes with postgresql
assert not lacking, lacking
END
check "the slide's values are the published rows" env PYTHONDONTWRITEBYTECODE=1 python3 - "$top" <<'END'
import sys
sys.path.insert(0, sys.argv[1] + "/workload")
import published
rows = {line.split("\t")[0]: line.split("\t") for line in open(sys.argv[1] + "/zdev/devices.tsv", encoding="utf-8")}
for way in published.FTP.values():
    for cell in (way["tcpip"], way["lfp"]):
        assert any(field == f"{cell['rate']:.0f}" for field in rows[cell["id"]]), cell
assert [published.rounding(printed, value) for _, printed, value in published.recomputed()] == \
    ["cut", "exact", "rounded", "exact", "rounded", "rounded", "exact"]
END

# Wrong bytes are found at each end, in each language.
cat >"$work/wrong.py" <<'END'
"""wrong.py WORKLOAD PORT KIND: a peer that sends the stream with one wrong byte, or too short"""
import socket, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import stream
data = bytearray(stream.pattern(300000))
if sys.argv[3] == "short":
    del data[-1]
elif sys.argv[3] == "wrong":
    data[250000] ^= 1
elif sys.argv[3] == "moved":
    data[200000:] = data[199999:-1]
listener = socket.create_server(("10.0.0.1", int(sys.argv[2])))
conn = listener.accept()[0]
conn.sendall(b"G" + data)
conn.shutdown(socket.SHUT_WR)
try:
    conn.recv(1)
except ConnectionResetError:
    pass
END
lfp_up
check "the C program" cc -I "$top/include/lec" -o "$work/xferc" "$top/workload/programs/transfer.c" -L"$O/lib" -lvsesock -Wl,-rpath,"$O/lib"
check "the COBOL program" cobc -x -o "$work/xfercob" "$top/workload/programs/transfer.cbl"
export COB_LIBRARY_PATH=$O/lib LD_LIBRARY_PATH=$O/lib
port=7100
for program in xferc xfercob; do
	for kind in right:0 wrong:8 short:8 moved:8; do
		port=$((port + 1))
		background peer python3 "$work/wrong.py" "$top/workload" $port "${kind%:*}"
		wait_listen $port
		check_exit "${kind#*:}" "$program: a stream that is ${kind%:*}" into "$work/said" \
			env LFP_SETPARM='EZA$PHA=IJBLFPEZ' SYSPARM=01 timeout 60 "${lfp_prefix[@]}" "$work/$program" 10.0.0.1 $port IN 300000
	done
done
check "the place of the error is told" grep -qiE 'wrong data behind byte +[12][0-9]{5}$' "$work/said"
# Sent blocks begin at each multiple of four of the pattern, so its last bytes need some 67 MB.
for program in xferc xfercob; do
	background stream python3 "$top/workload/stream.py" 10.0.0.1 7190 1 OUT 67200000
	stream=$!
	wait_for 30 grep -q ready "$work/stream.log"
	check "$program sends the whole pattern" into "$work/said" env LFP_SETPARM='EZA$PHA=IJBLFPEZ' SYSPARM=01 timeout 120 \
		"${lfp_prefix[@]}" "$work/$program" 10.0.0.1 7190 OUT 67200000
	wait_for 30 ended $stream
	check "and Linux's side has it" grep -q '"bytes": 67200000, "error": null' "$work/stream.log"
done
cat >"$work/sender.py" <<'END'
import socket, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import stream
data = bytearray(stream.pattern(300000))
data[123456] ^= int(sys.argv[3])
s = socket.create_connection(("10.0.0.1", int(sys.argv[2])), 30)
s.recv(1)
s.sendall(data)
s.shutdown(socket.SHUT_WR)
s.recv(1)
END
for flip in 0 1; do
	background stream python3 "$top/workload/stream.py" 10.0.0.1 72$flip"0" 1 OUT 300000
	stream=$!
	wait_listen 72$flip"0"
	timeout 60 python3 "$work/sender.py" "$top/workload" 72$flip"0" $flip 2>/dev/null
	wait_for 30 ended $stream
	check "Linux's side: $flip wrong byte" grep -qE "\"error\": $([ $flip = 0 ] && echo null || echo '"wrong data behind byte')" "$work/stream.log"
done

# lfpd dies in the middle: its other cells fail with a reason, and the next route is measured.
json=$work/died.json
timeout 150 "$workload" lfp --quick --json --route shm --route native >"$json" 2>"$work/progress" &
runner=$!
wait_for 60 grep -q '^\[1/12\]' "$work/progress"
read -r run <"/proc/$runner/task/$runner/children"
for file in $(grep -lszE '^LFP_ROOT=/tmp/lfpw\.' /proc/[0-9]*/environ); do
	# The one of this run: other runs have other folders, which it cannot see.
	[ "$(readlink "${file%/environ}/ns/mnt")" = "$(readlink "/proc/${run%% *}/ns/mnt")" ] || continue
	! grep -qx lfpd "${file%/environ}/comm" || kill -KILL "$(basename "${file%/environ}")"
done
wait $runner
check_eq "$?" 1 "lfpd is killed"
asked "its cells fail with a reason" 'len(c["shm"]) == 6 and [k for k, x in c["shm"].items() if "error" in x] and "lfpd ended by signal 9" in c["shm"]["cobol-in"]["error"]'
asked "the next route is measured" 'r["complete"] and sum("rate" in x for x in c["native"].values()) == 4'

# Ctrl-C: what is there, marked, and nothing that runs.
# Other tests may run it at the same time: only the folders of these runs count.
folders=()
none_runs() { ! grep -qszE "^LFP_ROOT=(${folders[0]}|${folders[1]})/" /proc/[0-9]*/environ; }
for sign in INT TERM; do
	json=$work/partial.json
	timeout --foreground 100 "$workload" lfp --quick --json --route unix --route shm >"$json" 2>"$work/progress" &
	runner=$!
	wait_for 60 grep -q '^\[2/12\]' "$work/progress"
	read -r run <"/proc/$runner/task/$runner/children"
	folders+=("$(awk '$5 ~ "^/tmp/lfpw[.][^/]*$" { print $5 }' "/proc/$run/mountinfo")")
	check "its folder has its processes" grep -qszE "^LFP_ROOT=${folders[-1]}/" /proc/[0-9]*/environ
	kill -$sign "$run"
	wait $runner
	check_eq "$?" 130 "interrupted by SIG$sign"
	asked "the results are marked partial" 'not r["complete"] and 2 <= r["cells_done"] < 12 and len(c["unix"]) >= 2'
	check "and say so" grep -qE '^lfp-workload: interrupted after [0-9]+ of 12 cells$' "$work/progress"
done
check "nothing of it is left" wait_for 30 none_runs
check "nor a folder" eval '[ "${#folders[0]}" -gt 10 ] && [ ! -e "${folders[0]}" ] && [ ! -e "${folders[1]}" ]'

# Wrong words, and things that are missing.
said() { # RC PATTERN WORD...
	HOME=$work timeout 60 "$workload" "${@:3}" >"$work/out" 2>"$work/said"
	check_eq "$?$(grep -cE -- "$2" "$work/said")$(wc -l <"$work/said")" "${1}11" "lfp-workload ${*:3}" || cat "$work/said"
}
said 64 'a transfer of no bytes has no rate' lfp --ftp 0
said 64 'a transfer of no bytes has no rate' lfp --transfer 0M
said 64 '1X: not a size, such as' lfp --ftp 1X
said 64 'invalid choice: .ctc.' lfp --route ctc
said 64 'invalid choice: .speed.' speed
said 69 'FTP of 1000 GB needs [0-9]+ MiB of memory, and [0-9]+ MiB are available' lfp --ftp 1000G
[ ${#plot[@]} = 0 ] || said 64 'ends in none of' lfp --plot "$work/lfp.doc"
lacking() { # PROGRAM...: runs without them
	local hidden=() program
	for program in "$@"; do hidden+=("$(PATH=$PATH:/usr/sbin:/sbin command -v "$program")"); done
	local space=(unshare --mount)
	[ "$(id -u)" = 0 ] || space=(unshare --user --map-current-user --keep-caps --mount)
	"${space[@]}" sh -c 'w=$1 n=$2; shift 2; : >"$n"; for f; do mount --bind "$n" "$f" || exit 77; done; exec timeout 60 "$w" lfp --quick' sh "$workload" "$work/hidden" "${hidden[@]}"
}
lacking vsftpd 2>"$work/said" >&2
check_eq "$? $(cat "$work/said")" "69 lfp-workload: vsftpd is not installed (Debian's package vsftpd)" "without vsftpd"
timeout 60 "$workload" lfp --quick --route native >/dev/full 2>"$work/said"
check_eq "$? $(tail -n 1 "$work/said")" "74 lfp-workload: cannot write the results: No space left on device" "a full disk"
timeout 60 "$workload" lfp --quick --route native --verdicts /dev/full >/dev/null 2>"$work/said"
check_eq "$? $(tail -n 1 "$work/said")" "74 lfp-workload: cannot write /dev/full: No space left on device" "a full disk for --verdicts"
# At its full size this takes long: what cannot be written is known before the first cell.
said 74 "^lfp-workload: cannot write $work/none/a.tsv: No such file or directory\$" lfp --verdicts "$work/none/a.tsv"
said 74 "^lfp-workload: cannot write $work: Is a directory\$" lfp --verdicts "$work"
[ ${#plot[@]} = 0 ] || said 74 "cannot write $work/none/a.png: No such file or directory" lfp --plot "$work/none/a.png"
finish
