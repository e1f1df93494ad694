#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-workload applications: the twelve applications of IBM's list with lfpd restarted in the middle; missing programs, a full disk, Ctrl-C
# Time limit: 300 s
. "$(dirname "$0")/lib-workload.sh"
needs java javac nginx cobc slapd ldapadd vsftpd lftp psql python3
route=(--transport "$transport")
applications=(connector cws soap listener db2 mq redirector vtape ldap script pnet tools)

json=$work/all.json
timeout 150 "$workload" applications --quick --json "${route[@]}" >"$json" 2>"$work/progress"
check_eq "$?" 0 "the table is made" || { cat "$work/progress"; tail -n 5 "$json"; }
asked "each application is measured" "r['complete'] and not r['skipped'] and list(c['$transport']) == '${applications[*]}'.split()"
for application in "${applications[@]}"; do
	asked "$application: all bytes are equal" "c['$transport']['$application']['bytes'] >= 800000"
	asked "$application: lfpd restarts with connections" "c['$transport']['$application']['connections_kept'] >= (1 if '$transport' != 'local' else 0)"
done
where=$([ "$transport" = local ] && echo "between two runs" || echo "in the middle")
asked "the verdicts" "{v[2] for v in r['verdicts']} == {'equal, restart $where'} and len(r['verdicts']) == ${#applications[@]}"

cat >"$work/parts.py" <<'END'
import sys
sys.path.insert(0, sys.argv[1] + "/workload")
sys.dont_write_bytecode = True
from apps import base
from errors import CellError
import table_applications
def wrong(got, want):
    try:
        base.compare(got, want, "x")
    except CellError as error:
        return str(error)
assert base.compare(b"abc", b"abc", "x") == 3
assert wrong(b"abd", b"abc") == "x: wrong data behind byte 2 of 3, and 3 bytes came"
assert wrong(b"ab", b"abc") == "x: wrong data behind byte 2 of 3, and 2 bytes came"
assert wrong(b"abcd", b"abc") == "x: wrong data behind byte 3 of 3, and 4 bytes came"
assert len(base.letters(1000, 1)) == 1000 and base.letters(1000, 1).isascii() and base.letters(1000, 1) != base.letters(1000, 2)
# Cards have 71 columns and a mark of continuation; what their texts are together does not change.
words = "x" * 50 + " " + "y" * 60
cards = base.exec_cards("/usr/bin/python3", words)
assert len(cards) > 1 and all(len(card) == 72 and card[71] == "X" for card in cards[:-1]) and len(cards[-1]) < 72
assert "".join(card.split("PARM='")[1].split("'")[0] for card in cards) == "/" + words
assert [table_applications.kept(number) for number in (0, 1, 2)] == ["", " with 1 connection", " with 2 connections"]
# A new process may have the number of one that has ended.
from processes import Processes
of = Processes()
of.ended = dict.fromkeys(range(int(open("/proc/sys/kernel/pid_max").read()) + 1), (-15, 0.0))
sleeper = of.start(["sleep", "60"], "/dev/null")
assert not of.is_over(sleeper) and sleeper.pid in of.started
assert of.stop(sleeper, "sleep")[0] == -15 and sleeper.pid not in of.started
# A middle needs a connection, and lfpd's restart.
class Route:
    keeps_sockets, there, restarts = True, 0, 0
    def connected(self):
        return self.there
    def restart(self):
        self.restarts += 1
route = Route()
try:
    table_applications.Middle(route)()
    raise SystemExit("a middle without a connection")
except CellError:
    assert route.restarts == 0
route.there = 2
middle = table_applications.Middle(route)
middle()
assert (route.restarts, middle.calls, middle.kept) == (1, 1, 2)
END
check "the parts" python3 "$work/parts.py" "$top"

# Missing programs are skipped by name.
lacking() { # PROGRAM WORD...: runs the table without a program
	local space=(unshare --mount)
	[ "$(id -u)" = 0 ] || space=(unshare --user --map-current-user --keep-caps --mount)
	"${space[@]}" sh -c 'h=$1 f=$2; shift 2; : >"$h"; mount --bind "$h" "$f" || exit 77; exec "$@"' sh "$work/hidden" \
		"$(PATH=$PATH:/usr/sbin:/sbin command -v "$1")" timeout 100 "$workload" applications --quick "${route[@]}" "${@:2}"
}
json=$work/lacking.json
lacking slapd --json --application ldap --application vtape >"$json" 2>"$work/progress"
check_eq "$?" 0 "without slapd" || cat "$work/progress"
asked "slapd is named, and the other application is measured" "c['$transport']['ldap'] == {'skipped': 'slapd is not installed (Debian\'s package slapd)'} and
	'rate' in c['$transport']['vtape'] and [v[2] for v in r['verdicts']] == ['equal, restart $where', 'skipped'] and not r['skipped']"
lacking slapd --application ldap >"$work/text" 2>"$work/progress"
check_eq "$? $(grep -A 2 '^SKIPPED$' "$work/text" | tail -n 1)" "69 $transport: ldap: slapd is not installed (Debian's package slapd)" "where nothing can be measured"

# A full disk, Ctrl-C in the middle, wrong words.
timeout 100 "$workload" applications --quick --application vtape "${route[@]}" >/dev/full 2>"$work/said"
check_eq "$? $(tail -n 1 "$work/said")" "74 lfp-workload: cannot write the results: No space left on device" "a full disk"
left() { grep -lszE '^LFP_ROOT=/tmp/lfpw\.' /proc/[0-9]*/environ | wc -l; }
before=$(left)
json=$work/partial.json
mkfifo "$work/reports"
: >"$work/progress"
timeout --foreground 100 "$workload" applications --application vtape --application script --application tools --bytes 40M --json "${route[@]}" >"$json" 2>"$work/reports" &
runner=$!
while IFS= read -r line; do # at once: on a busy machine the other two may be done soon
	printf '%s\n' "$line" >>"$work/progress"
	[[ $line == "[1/"* ]] || continue
	read -r run <"/proc/$runner/task/$runner/children" # no line end: read fails
	kill -INT "$run"
done <"$work/reports"
wait "$runner"
check_eq "$?" 130 "interrupted"
asked "the results are marked partial" "not r['complete'] and 1 <= r['cells_done'] < 3 and 'rate' in c['$transport']['vtape']"
check "and say so" grep -qE '^lfp-workload: interrupted after [12] of 3 cells$' "$work/progress"
check "nothing of it is left" wait_for 30 eval '[ "$(left)" -le "$before" ]'
said() { # RC PATTERN WORD...
	timeout 60 "$workload" applications "${@:3}" >"$work/out" 2>"$work/said"
	check_eq "$?$(grep -cE -- "$2" "$work/said")$(wc -l <"$work/said")" "${1}11" "lfp-workload applications ${*:3}" || cat "$work/said"
}
said 64 'invalid choice: .native.' --transport native
said 64 'an application needs at least 500 kB, to have a middle' --bytes 499999
said 64 "invalid choice: 'cics'" --application cics
said 64 'a transfer of no bytes has no rate' --bytes 0
said 69 'the table needs [0-9]+ MiB of memory, and [0-9]+ MiB are available: see --bytes' --bytes 1000G
finish
