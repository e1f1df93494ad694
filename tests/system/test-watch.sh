#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd-admin: tasks, sockets, statistics, JSON, exit codes, the live screen; lfpd with clients that are slow
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

admin=("$bin/lfpd-admin" -i LINR02)
# json COMMAND EXPRESSION: of the object d
json() { "${admin[@]}" --json --interval 0 $1 | python3 -c 'import json, sys; d = json.load(sys.stdin); print('"$2"')'; }

check_exit 69 "no instance at all" into "$work/none" "$bin/lfpd-admin" instances
check_eq "$("$bin/lfpd-admin" --json)" '{"instances": []}' "none as JSON"
lfpd_conf LINR02
lfpd_start LINR02
check_exit 3 "--quiet: not connected is exit code 3" "${admin[@]}" -q status
check_exit 0 "tasks without z/VSE" into "$work/none" "${admin[@]}" tasks
check_eq "$(wc -l <"$work/none")" 1 "only a line of titles"
statements 01
instance_start 01
check_exit 0 "--quiet: connected is exit code 0" "${admin[@]}" -q -s
check_exit 69 "--quiet: a stopped instance is exit code 69" "$bin/lfpd-admin" -i NONE -q status

cat >"$work/program.py" <<-'END'
	import socket, sys
	listener = socket.create_server(("10.0.0.1", 7001))
	udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	udp.bind(("127.0.0.1", 7002))
	conn, _ = listener.accept()
	while data := conn.recv(4096):
	    conn.sendall(data * 2)
	sys.stdin.read()
END
# The name is that of the program that the process has executed last.
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$work/renamed"
for mode in preload seccomp; do
	background renamed "${empty_net[@]}" "$bin/lfp-run" --mode=$mode -i 01 python3 -c '
import os, socket, sys
s = socket.socket()
os.execv(sys.argv[1], [sys.argv[1], "-c", "import socket, time; s = socket.socket(); s.bind((\"\", 0)); time.sleep(100)"])' "$work/renamed"
	renamed=$!
	names() { json tasks '[t["program"] for t in d["tasks"]]'; }
	check "$mode: after exec a task has its new name" wait_for 30 eval '[ "$(names)" = "['"'renamed'"']" ]' || names
	stop_pid $renamed
	wait_for 30 eval '[ "$(names)" = "[]" ]'
done

mkfifo "$work/in" && exec {in}<>"$work/in"
"${lfp_prefix[@]}" python3 "$work/program.py" <&$in >"$work/program.log" 2>&1 &
program=$!
pids+=($program)
wait_listen 7001 || die "the program does not listen"
exec {peer}<>/dev/tcp/10.0.0.1/7001
printf 'x%.0s' {1..1000} >&$peer
wait_for 30 eval '[ "$(json sockets "[s[\"to_vse\"] for s in d[\"sockets\"] if s[\"state\"] == \"established\"]")" = "[1000]" ]'
"${admin[@]}" sockets >"$work/sockets"
check "sockets shows the listener" grep -Eq "^tcp +listening +10\.0\.0\.1:7001 +- +[0-9A-F]{2} " "$work/sockets"
check "sockets shows the connection" grep -Eq "^tcp +established +10\.0\.0\.1:7001 +10\.0\.0\.1:[0-9]+ +[0-9A-F]{2} " "$work/sockets"
check "sockets shows the datagram socket" grep -Eq "^udp +open +127\.0\.0\.1:7002 +- " "$work/sockets"
check_eq "$(json sockets 'd["instance"], len(d["sockets"])')" "LINR02 3" "the same as JSON"
check_eq "$(json sockets '{(s["to_host_window"], s["to_vse_window"]) for s in d["sockets"]}')" "{(65536, 65535)}" "windows"
check_eq "$(json sockets '{s["pid"] for s in d["sockets"]}')" "{$program}" "the process of the sockets"
check_eq "$(json tasks '[(t["pid"], t["sockets"], len(t["task"])) for t in d["tasks"] if t["sockets"]]')" "[($program, 3, 2)]" "tasks"
check_eq "$(json tasks 'd["tasks"][0]["task"]')" "$("$bin/ijblfpop" INFO 01 SHOWTASKS | sed -n 's/^TASK ID.*: \(..\) .*/\1/p' | head -n 1)" "the task's id is that of INFO"

check_eq "$(json statistics '[d["statistics"][n]["value"] for n in ("connected", "sockets", "accepts", "stream_bytes_to_vse", "paths_admitted")]')" \
	"[1, 3, 1, 1000, 1]" "statistics"
"${admin[@]}" --interval 0.2 statistics >"$work/statistics"
check "statistics with rates" grep -Eq '^stream_bytes_to_vse +1000 +0\.0$' "$work/statistics"
check_eq "$(grep -Ec '^connected +1 +-$' "$work/statistics")" 1 "only counters have a rate"

check_eq "$("${admin[@]}" --sort state sockets | awk '{ print $2 }' | tr '\n' ' ')" "STATE established listening open " "sorted by a column"
check_eq "$("${admin[@]}" --sort -TO-VSE --filter 7001 sockets | awk '{ print $2 }' | tr '\n' ' ')" "STATE established listening " "sorted the other way round, with a filter"
check_eq "$(json "sockets --sort -local --filter UDP" '[s["local"] for s in d["sockets"]]')" "['127.0.0.1:7002']" "the same as JSON"
check_eq "$("${admin[@]}" --interval 0.1 sockets | awk 'NR == 1 || /establ/ { print $(NF - 1), $NF }')" "TO-HOST/S TO-VSE/S
0 0" "rates of sockets"
check_exit 64 "no such column" into "$work/wrong" "${admin[@]}" --sort colour tasks
check_eq "$(cat "$work/wrong")" "VLFD919E There is no column colour to sort by. The columns are task, partition, pid, uid, program, sockets." "says which there are"
check_eq "$(json status '(d["connected"], d["sockets"], d["configuration"]["MTU_SIZE"], d["trace"])')" "(True, 3, '8192', 'off')" "status as JSON"
check_eq "$(json 'trace status' 'd["trace"]')" off "trace status as JSON"

for wrong in "nonsense" "status tasks" "trace nonsense" "trace stop now" "trace start colour=red" "sockets -q" "instances" "--interval x statistics" "-w --interval 0 sockets" "-w --interval 0.0 trace" "-s tasks" "status --sort pid" "log --sort time" "policy --filter x learn" "trace show --sort pid" ""; do
	check_exit 64 "wrong: lfpd-admin $wrong" into "$work/wrong" "${admin[@]}" $wrong
done

pty() { /usr/bin/python3 "$here/pty-screen.py" "$@"; } # Debian's Python has pyte
check_exit 0 "--watch on 80x24" into "$work/screen" pty -u "Packets" "${admin[@]}" --watch --interval 0.2
check_eq "$(wc -l <"$work/screen")" 24 "a screen of 24 lines"
check "its head" grep -q '^lfpd LINR02, up 0 days, 00:..:..: TESTV of VSER05 is connected\.$' "$work/screen"
check "its limits" grep -q '^Tasks [0-9]* of 512, sockets 3 of 4096, I/O buffers 0 of 128 in use, trace off$' "$work/screen"
check "its sockets" grep -Eq '^ established +10\.0\.0\.1:7001' "$work/screen"
check "its last line" grep -q 'LINR02 overview  rows 1-3 of 3 .*q ends' "$work/screen"
check_eq "$(grep '^ STATE' "$work/screen" | tr -s ' ')" " STATE LOCAL PEER PROGRAM TO-HOST/S TO-VSE/S >" "80 columns have the important ones, and a mark"
check_eq "$(grep -c '^lfpd.*>$' "$work/screen")" 0 "no mark at a line that fits"
check_exit 0 "--watch, moved to the right" into "$work/screen" pty -u "STATE" -k 'lllllllllllllllllll' "${admin[@]}" -w sockets
check "shows the last columns" grep -Eq '^<.* UPSTREAM +JOINED *$' "$work/screen"
check_exit 0 "and back" into "$work/screen" pty -u "STATE" -k ll -k hh "${admin[@]}" -w sockets
check "shows the first" grep -q '^ STATE .*>$' "$work/screen"
check_eq "$("${admin[@]}" sockets | head -n 1 | awk '{ print $5, $6 }')" "TASK PARTITION" "other output keeps the order of lfpd"
check_exit 0 "--watch of a view, moved by keys" into "$work/screen" pty -u "Status:" -k ' ' -k '\x1bOA' "${admin[@]}" -w status
check "lines further down" grep -q '^LOCAL_IUCV_APPNAME = LINR02$' "$work/screen"
check_exit 0 "--watch of a stopped instance" into "$work/screen" pty -u "VLFD902E Instance NONE of lfpd is not running." "$bin/lfpd-admin" -i NONE -w
check "--watch without a terminal" eval '"${admin[@]}" -w --json --interval 0.1 tasks | head -n 3 | python3 -c "import json, sys; assert [json.loads(l)[\"instance\"] for l in sys.stdin] == [\"LINR02\"] * 3"'

cat >"$work/hostile.py" <<-'END'
	import os, random, socket, sys
	place, random_ = sys.argv[1], random.Random(1)
	sockets = []
	for i in range(200):
	    s = socket.socket(socket.AF_UNIX)
	    s.connect(place)
	    s.setblocking(False)
	    data = [b"", b"stat", b"sockets\n", random_.randbytes(3000), b"\n" * 50][i % 5]
	    try:
	        s.send(data)
	    except OSError:
	        pass
	    sockets.append(s)
	print("ready", flush=True)
	sys.stdin.read()
END
mkfifo "$work/hold" && exec {hold}<>"$work/hold"
python3 "$work/hostile.py" "$LFP_ROOT/run/vselfpd/LINR02/admin" <&$hold >"$work/hostile.log" 2>&1 &
pids+=($!)
wait_for 30 grep -q ready "$work/hostile.log" || die "no hostile clients: $(cat "$work/hostile.log")"
printf 'y%.0s' {1..500} >&$peer
check "data goes on" into "$work/data" timeout 100 head -c 3000 <&$peer
check_eq "$(wc -c <"$work/data")" 3000 "all of it"
check_exit 0 "questions are answered" into "$work/status" "${admin[@]}" -s
check "descriptors of clients are not kept" [ "$(fds "$lfpd")" -lt 60 ]

check_exit 0 "the only running instance needs no -i" into "$work/chosen" "$bin/lfpd-admin" tasks
check_eq "$(cat "$work/chosen")" "$("${admin[@]}" tasks)" "and is the one"
tasks_now() { json status 'd["tasks"]'; }
mkdir "$LFP_ROOT/run/vselfpd/LINR09" && ln -s ../LINR02/admin "$LFP_ROOT/run/vselfpd/LINR09/admin"
check_exit 69 "of two, one has to be chosen" "$bin/lfpd-admin" statistics 2>"$work/chosen"
check_eq "$(cat "$work/chosen")" "VLFD914E Several instances of lfpd are running: LINR02, LINR09. Choose one with -i NAME." "both are listed"
check_exit 69 "also for the screen of a table" "$bin/lfpd-admin" -w tasks 2>"$work/chosen"
check_exit 0 "a table without -i" into "$work/rows" "$bin/lfpd-admin" sockets
check_eq "$(head -n 1 "$work/rows" | awk '{ print $1, $2, $3, $4 }')" "INSTANCE Z-VSE KIND STATE" "begins with the instance and z/VSE"
check_eq "$(awk 'NR > 1 { print $1, $2, $3, $4, $5, $6 }' "$work/rows" | sort)" "LINR02 TESTV of VSER05 tcp established
LINR02 TESTV of VSER05 tcp listening
LINR02 TESTV of VSER05 udp open
LINR09 TESTV of VSER05 tcp established
LINR09 TESTV of VSER05 tcp listening
LINR09 TESTV of VSER05 udp open" "and has the rows of both"
check_eq "$("$bin/lfpd-admin" --filter linr09 --sort local --interval 0.1 sockets | awk '{ print $1, $NF }' | tr '\n' ' ')" \
	"INSTANCE TO-VSE/S LINR09 0 LINR09 0 LINR09 0 " "with a filter for the instance, and rates"
for column in zvse Z-VSE -instance; do
	check_eq "$("$bin/lfpd-admin" --json --sort $column --filter listening sockets | python3 -c 'import json, sys
print([(list(s)[:3], s["instance"], s["zvse"], s["local"]) for s in json.load(sys.stdin)["sockets"]][:: -1 if sys.argv[1] == "-instance" else 1])' $column)" \
		"[(['instance', 'zvse', 'kind'], 'LINR02', 'TESTV of VSER05', '10.0.0.1:7001'), (['instance', 'zvse', 'kind'], 'LINR09', 'TESTV of VSER05', '10.0.0.1:7001')]" "as JSON, by $column"
done
check_eq "$("$bin/lfpd-admin" --json tasks | python3 -c 'import json, sys
print(sorted({t["instance"] for t in json.load(sys.stdin)["tasks"]}))')" "['LINR02', 'LINR09']" "tasks of both"
check_exit 0 "limits of both" into "$work/rows" "$bin/lfpd-admin" limits
check_eq "$(wc -l <"$work/rows")" 1 "no rule has a limit"
check_exit 64 "no such column in several" into "$work/wrong" "$bin/lfpd-admin" --sort colour tasks
check_eq "$(cat "$work/wrong")" "VLFD919E There is no column colour to sort by. The columns are instance, z_vse, task, partition, pid, uid, program, sockets." "says which there are"
mkdir "$LFP_ROOT/run/vselfpd/LINR05"
background silent python3 -c 'import os, socket, sys
os.chdir(sys.argv[1])
s = socket.socket(socket.AF_UNIX)
s.bind("admin")
s.listen()
while True:
    s.accept()[0].close()' "$LFP_ROOT/run/vselfpd/LINR05"
silent=$!
wait_for 30 eval '"$bin/lfpd-admin" --interval 0 instances | grep -q "^LINR05 *no answer"' || die "no silent instance"
check_exit 0 "one that does not answer leaves the others" eval '"$bin/lfpd-admin" sockets >"$work/rows" 2>"$work/why"'
check_eq "$(awk '{ print $1 }' "$work/rows" | sort | uniq -c | tr -s ' \n' ' ')" " 1 INSTANCE 3 LINR02 3 LINR09 " "with their rows"
check_eq "$(sed 's/LINR05 of .*/LINR05/' "$work/why")" "VLFD903E Cannot ask instance LINR05" "and is named on standard error"
stop_pid $silent
rm -r "$LFP_ROOT/run/vselfpd/LINR05"
into "$work/instances" "$bin/lfpd-admin" --interval 0
check_eq "$(sed -E 's/, [0-9:]+$//' "$work/instances")" "INSTANCE  STATE      Z-VSE            TASKS     SOCKETS    UPTIME
LINR02    connected  TESTV of VSER05  $(tasks_now) of 512  3 of 4096  0 days
LINR09    connected  TESTV of VSER05  $(tasks_now) of 512  3 of 4096  0 days" "without a command, an overview has both"
into "$work/instances" "$bin/lfpd-admin" --interval 0.1 --sort -instance --filter tesTV instances
check_eq "$(sed -E 's/ +0 days, [0-9:]+$//' "$work/instances")" "INSTANCE  STATE      Z-VSE            TASKS     SOCKETS    TO-HOST/S  TO-VSE/S  UPTIME
LINR09    connected  TESTV of VSER05  $(tasks_now) of 512  3 of 4096          0         0
LINR02    connected  TESTV of VSER05  $(tasks_now) of 512  3 of 4096          0         0" "with rates, sorted"
check_eq "$("$bin/lfpd-admin" --json --interval 0 instances | python3 -c 'import json, sys
print([(i["instance"], i["connected"], i["sockets"], i["configuration"]["MTU_SIZE"]) for i in json.load(sys.stdin)["instances"]])')" \
	"[('LINR02', True, 3, '8192'), ('LINR09', True, 3, '8192')]" "as JSON, with all of the status"
check_exit 0 "--watch of the overview" into "$work/screen" pty -u LINR09 "$bin/lfpd-admin" -w instances
check "the bar says what it is" grep -q 'all instances  rows 1-2 of 2' "$work/screen"
rm -r "$LFP_ROOT/run/vselfpd/LINR09"
check_eq "$(stat -c %a "$LFP_ROOT/run/vselfpd/LINR02/admin")" 660 "the socket is for owner and group"
if [ "$(id -u)" = 0 ]; then
	chmod -R o+rX "$LFP_ROOT"
	check_exit 69 "another user may not ask" into "$work/other" setpriv --reuid 65534 --regid 65534 --clear-groups "${admin[@]}" -s
	into "$work/instances" setpriv --reuid 65534 --regid 65534 --clear-groups "$bin/lfpd-admin" --interval 0 instances
	check "and says that it does not answer" grep -q "^LINR02 *no answer" "$work/instances"
	ln -s LINR02 "$LFP_ROOT/run/vselfpd/LINR08"
	check_exit 69 "a table of which none answers" into "$work/none" setpriv --reuid 65534 --regid 65534 --clear-groups "$bin/lfpd-admin" tasks
	check_eq "$(sed 's/ of lfpd at .*//' "$work/none")" "VLFD903E Cannot ask instance LINR02
VLFD903E Cannot ask instance LINR08" "says why, for each"
	rm "$LFP_ROOT/run/vselfpd/LINR08"
	check "the overview has the instance, with the reason" grep -q "^VLFD903E Cannot ask instance LINR02 .*: Permission denied" "$work/instances"
	check "and is told why" grep -q "VLFD903E .*Permission denied. Its user and members of ADMIN_GROUP may" "$work/other"
	exec {peer}>&-
	stop_pid "$lfpd"
	lfpd_conf LINR02 ADMIN_GROUP=60
	lfpd_start LINR02
	member=(setpriv --reuid 65534 --regid 60 --clear-groups)
	check_exit 0 "a user of ADMIN_GROUP may" into "$work/other" "${member[@]}" "${admin[@]}" -s
	check_exit 0 "and trace" into "$work/other" "${member[@]}" "${admin[@]}" trace start
	check_exit 0 "and read the trace" into "$work/other" "${member[@]}" "${admin[@]}" trace show
	check_exit 1 "which others may not" into "$work/other" setpriv --reuid 65534 --regid 65534 --clear-groups "$bin/lfpd-admin" trace show "$LFP_ROOT/run/vselfpd/LINR02/trace"
else
	skip_part "ADMIN_GROUP needs root"
fi
finish
