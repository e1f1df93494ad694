#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HISTORY: interval records in a ring file; sums that equal the counters and the kernel's, across kill and restart; reports of them
# Time limit: 400 s
. "$(dirname "$0")/lib.sh"
needs python3 ss

history=$work/history
ask() { "$bin/lfpd-admin" "$@"; }
restarts() { lfpd_start LINR02; [ "$transport" = local ] || wait_for 60 instance_up 01 || die "instance 01 does not come back"; }
intervals() { ask --json "$@" report FCX222 "$history" 2>/dev/null | grep -o '"begin"' | wc -l; }

# sums KEY...: the sums of the intervals of $history, which the report's totals have to equal
cat >"$work/sums.py" <<'END'
import json, sys
report = json.load(sys.stdin)
intervals = report["intervals"]
for key in report["totals"]:
    if abs(sum(i["values"][key] for i in intervals) - report["totals"][key]) > 1e-3:
        sys.exit(f"{key}: the intervals do not add up to the total")
if any(a["end"] > b["end"] for a, b in zip(intervals, intervals[1:])):
    sys.exit("the intervals are not in order")
print(*(report["totals"][k] for k in sys.argv[1:]))
END
sums() { ask --json report FCX222 "$history" | python3 "$work/sums.py" "$@"; }
# counters KEY...: the same from the running lfpd
counters() {
	ask -i LINR02 --json --interval 0 statistics |
		python3 -c 'import json, sys; s = json.load(sys.stdin)["statistics"]; print(*(s[k]["value"] for k in sys.argv[1:]))' "$@"
}
keys=(stream_bytes_to_host stream_bytes_to_vse datagrams_to_host datagrams_to_vse datagram_bytes_to_host datagram_bytes_to_vse
	connects_made connects_failed accepts sockets_made sockets_failed tasks_begun resets)
before=${keys[*]/*/0} # the counters of the lfpd that have ended
# with_now: $before and the counters of the lfpd that runs
with_now() {
	python3 -c 'import sys; a, b = (s.split() for s in sys.argv[1:]); print(*(int(x) + int(y) for x, y in zip(a, b, strict=True)))' \
		"$before" "$(counters "${keys[@]}")"
}
settled() { [ "$(sums "${keys[@]}")" = "$(with_now)" ]; }

# A peer on the host, and a program on LFP that sends and receives known numbers of bytes, and waits while its
# connection is looked at
cat >"$work/peer.py" <<'END'
import socket
s = socket.create_server(("10.0.0.1", 7000))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("10.0.0.1", 7001))
while True:
    c = s.accept()[0]
    left = 300000
    while left:
        left -= len(c.recv(min(left, 65536)))
    c.sendall(b"y" * 123456)
    data, who = u.recvfrom(2000)
    u.sendto(data + data, who)
    c.recv(1)
    c.close()
END
cat >"$work/act.py" <<'END'
import os, select, socket, sys
c = socket.create_connection(("10.0.0.1", 7000))
c.sendall(b"x" * 300000)
left = 123456
while left:
    left -= len(c.recv(min(left, 65536)))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.sendto(b"z" * 100, ("10.0.0.1", 7001))
assert len(u.recvfrom(2000)[0]) == 200
try:
    socket.create_connection(("10.0.0.1", 7999))
except OSError:
    pass
with open(sys.argv[1] + ".new", "w") as f:
    print(c.getsockname()[1], file=f)
os.rename(sys.argv[1] + ".new", sys.argv[1])
while not os.path.exists(sys.argv[1] + ".go"):
    select.select([], [], [], 0.02)
END
# traffic NAME [COMMAND]: run the program, and the command while its connection is there
traffic() {
	local name=$1 act
	shift
	background_on_lfp "act-$name" timeout 100 python3 "$work/act.py" "$work/$name"
	act=$!
	wait_for 60 test -s "$work/$name" || die "the program does not run: $(cat "$work/act-$name.log")"
	[ $# = 0 ] || "$@"
	: >"$work/$name.go"
	wait "$act" || fail "the program of $name ends with $?"
	wait_for 30 no_sockets
}
lfp_up HISTORY="$history" HISTORY_INTERVAL=1 CONNECTION_LOG=memory
background peer python3 "$work/peer.py"
wait_listen 7000

# The kernel's numbers of the connection, and those of the history
# The kernel counts what it sends again on a busy machine as sent, too.
of_kernel() {
	[ "$(ss -tinH "sport = :$(cat "$work/one") and dport = :7000" | tr ' ' '\n' |
		awk -F : '$1 == "bytes_sent" { sent = $2 } $1 == "bytes_retrans" { sent -= $2 } $1 == "bytes_received" { got = $2 } END { print sent, got }')" = "$1" ]
}
in_history() { [ "$(sums stream_bytes_to_host stream_bytes_to_vse datagram_bytes_to_host datagram_bytes_to_vse)" = "300000 123456 100 200" ]; }
same_gauge() {
	[ "$(ask --json report FCX222 | python3 -c 'import json, sys; print(json.load(sys.stdin)["intervals"][-1]["values"]["sockets"])')" = "$(counters sockets)" ]
}
kernel() {
	check "the kernel has sent and received what the program has" wait_for 30 of_kernel "300000 123456"
	check "the history has the same bytes, and those of datagrams" wait_for 30 in_history
	check "a gauge has its value at the end of the interval" wait_for 30 same_gauge
}
traffic one kernel
check "the sums of the intervals equal lfpd's counters" wait_for 30 settled
check_eq "$(sums stream_bytes_to_host connects_made connects_failed datagrams_to_vse)" "300000 1 1 1" "which are those of the program"

# kill -9, a stop, a restart in place
before=$(with_now)
stop_pid "$lfpd" KILL
restarts
traffic two
check "after kill -9 the sums equal the counters of both" wait_for 30 settled
check_eq "$(sums stream_bytes_to_host)" 600000 "all bytes"
traffic three
before=$(with_now)
stop_pid "$lfpd" TERM
check_eq "$(sums "${keys[@]}")" "$before" "the end of lfpd ends the last interval"
restarts
starts=3
if [ "$transport" = local ]; then
	skip_part "an lfpd that hosts the instance does not restart in place"
else
	traffic four
	before=$(with_now)
	kill -USR2 "$lfpd"
	again() { [ "$(grep -c VLFD001I "$work/lfpd-LINR02.log")" = 2 ] && lfpd_answers LINR02; }
	check "a restart in place" wait_for 60 again
	wait_for 60 instance_up 01
	starts=4
fi
traffic five
check "goes on in the file" wait_for 30 settled
runs=$(ask --json report FCX222 | python3 -c 'import json, sys; print(len({i["started"] for i in json.load(sys.stdin)["intervals"]}))')
check_eq "$runs" $starts "each start is told apart"
check "each interval but the last of a run goes on to the next second" eval 'ask --json report FCX222 | python3 -c "
import json, sys
i = json.load(sys.stdin)[\"intervals\"]
sys.exit(any(a[\"started\"] == b[\"started\"] and a[\"begin\"][:19] == a[\"end\"][:19] for a, b in zip(i, i[1:])))"'
check "and marked" eval '[ "$(ask report FCX222 | grep -c "^[0-9-]* [0-9:]*\* ")" = $((starts - 1)) ]'

# Reports
ask report FCX222 >"$work/222"
check_eq "$(head -n 1 "$work/222")" "FCX222 TCP/IP I/O Activity Log" "FCX222 has its title"
check_eq "$(awk 'length > 80' "$work/222")" "" "at most 80 columns"
ask report fcx112 >"$work/112"
check "FCX112 has a row for each instance" grep -Eq '^LINR02 +[0-9.]+ +[0-9.]+ +[0-9.]+ ' "$work/112"
check_eq "$(awk 'length > 80' "$work/112")" "" "at most 80 columns, too"
cat >"$work/cpu.py" <<'END'
import json, sys
user, totals = json.load(open(sys.argv[1]))["users"][0], json.load(open(sys.argv[2]))["totals"]
mb = user["cpu_msec_per_mb"]
moved = totals["stream_bytes_to_host"] + totals["stream_bytes_to_vse"]
assert user["userid"] == "LINR02" and user["bytes"] == moved
assert abs(user["tcpu"] - totals["cpu"]) < 1e-5 and abs(user["vcpu"] - totals["cpu_user"]) < 1e-5
assert 0 < user["tcpu"] and user["vcpu"] <= user["tcpu"] + 1e-9
assert abs(mb["emul"] + mb["cp"] - mb["total"]) < 1e-4
assert abs(mb["total"] - totals["cpu"] * 1e9 / moved) < 1e-3
END
cp "$history" "$work/copy"
ask --json report FCX112 "$work/copy" >"$work/112"
ask --json report FCX222 "$work/copy" >"$work/222"
check "its CPU time is that of the intervals, Total = Emul + CP" python3 "$work/cpu.py" "$work/112" "$work/222"
check "and no more than the kernel's" python3 -c 'import json, os, sys
intervals = json.load(open(sys.argv[1]))["intervals"]
mine = sum(i["values"]["cpu"] for i in intervals if i["started"] == intervals[-1]["started"])
sys.exit(mine > (int(sys.argv[2]) + 2) / os.sysconf("SC_CLK_TCK"))' \
	"$work/222" "$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$lfpd/stat")"
check "FCX207 has the sessions" eval 'ask report FCX207 | grep -q "^  Sent 300000 bytes, received 123456 bytes"'

# Times
at=$(python3 -c 'import json, sys; i = json.load(sys.stdin)["intervals"]; print(i[len(i) // 2]["end"][:19])' <"$work/222")
stop_pid "$lfpd" TERM
check_eq $(($(intervals --to "$at") + $(intervals --from "$at"))) "$(intervals)" "--from and --to choose intervals: none is missing or in both"
check "some are before, some after" test "$(intervals --to "$at")" -gt 0 -a "$(intervals --from "$at")" -gt 0
for bad in 2026-02-30 25:00 12:60 yesterday 2026-1-1 '' 12:00x; do
	check_exit 64 "--from '$bad' is no time" into "$work/said" "$bin/lfpd-admin" --from "$bad" report FCX222 "$history"
done
check_exit 64 "--from after --to" into "$work/said" "$bin/lfpd-admin" --from 2026-02-02 --to 2026-02-01 report FCX222 "$history"
check_exit 1 "a range without intervals" into "$work/said" "$bin/lfpd-admin" --to 1999-01-01 report FCX222 "$history"
check "says from when to when the history goes" grep -q "VLFD925E .*no interval at that time. It goes from 2" "$work/said"
check_exit 64 "an unknown report" into "$work/said" "$bin/lfpd-admin" report FCX999
check "lists the known ones" grep -q "FCX222, FCX112 and FCX207" "$work/said"
check_exit 64 "no report" into "$work/said" "$bin/lfpd-admin" report
check_exit 64 "--from belongs to report" into "$work/said" "$bin/lfpd-admin" --from 12:00 tasks
check_exit 64 "--watch does not" into "$work/said" "$bin/lfpd-admin" -w report FCX222 "$history"
to_full() { "$bin/lfpd-admin" "$@" report FCX222 "$history" 2>"$work/said" >/dev/full; }
for format in "" --json; do
	check_exit 1 "a report that has no room${format:+, as JSON}" to_full $format
	check "- says so" grep -q "^VLFD905E Cannot write the output: No space left on device\.$" "$work/said"
done
check_exit 1 "a file that is not there" into "$work/said" "$bin/lfpd-admin" report FCX222 "$work/none"

# The file, and files that lfpd does not take. told TEXT WHAT: lfpd OTHER says so, and runs
check_eq "$(stat -c %a "$history")" 640 "the file's mode"
check_le "$(stat -c %s "$history")" $((4 << 20)) "the file's size"
other() { lfpd_conf OTHER HISTORY="$1" HISTORY_INTERVAL=1 TRANSPORT=unix LOCAL_INSTANCE= "${@:2}"; }
other_start() { transport=unix lfpd_start OTHER; }
told() {
	other_start
	check "$2" wait_for 30 grep -q "VLFD183W .*$1" "$work/lfpd-OTHER.log"
	stop_pid "$lfpd" TERM
}
restarts
kept=$lfpd
other "$history"
told "another process writes it" "a file that another process writes"
check_exit 1 "sessions of no time" into "$work/said" "$bin/lfpd-admin" -i LINR02 --to 1999-01-01 report FCX207
stop_pid "$kept" TERM
sum=$(sums "${keys[@]}")
told "it is the history of another instance" "the file of another instance"
check_eq "$(sums "${keys[@]}")" "$sum" "stays as it was"
other "$work/hostile"
ln -s "$history" "$work/hostile"
told "it is a symbolic link" "a symbolic link"
rm "$work/hostile" && mkfifo "$work/hostile"
told "it is not a regular file" "a FIFO"
rm "$work/hostile" && mkdir "$work/hostile"
told "it is not a regular file" "a directory"
rmdir "$work/hostile" && head -c 100000 /dev/urandom >"$work/hostile" && cp "$work/hostile" "$work/copy"
[ -z "${LFP_USER:-}" ] || chown "$LFP_USER" "$work/hostile"
told "it is not a history of lfpd" "any other file"
check "stays as it was, too" cmp "$work/hostile" "$work/copy"
check_exit 1 "and is not read" into "$work/said" "$bin/lfpd-admin" report FCX222 "$work/hostile"

# A torn record: that record is missing, and no other. Another size of the file
cat >"$work/tear.py" <<'END'
import struct, sys
with open(sys.argv[1], "r+b") as f:
    data = f.read()
    columns, slots = struct.unpack(">II", data[8:16])
    size, first = 32 + columns * 8 + 8, 32 + columns * 48
    slot = next(i for i in range(slots) if any(data[first + i * size:][:8]))
    at = first + slot * size + size // 2
    f.seek(at)
    f.write(bytes(b ^ 255 for b in data[at:at + 8]))
END
whole=$(intervals)
python3 "$work/tear.py" "$history"
ask --json report FCX222 "$history" >"$work/report" 2>"$work/said"
check_eq "$(intervals)" $((whole - 1)) "a torn record is left out"
check "and told" grep -q "VLFD924W 1 records" "$work/said"
lfpd_conf LINR02 HISTORY="$history" HISTORY_INTERVAL=1 HISTORY_SIZE=512K
restarts
check "lfpd tells it" wait_for 30 grep -q "VLFD186W .*has lost 1 damaged records" "$work/lfpd-LINR02.log"
check_le "$(stat -c %s "$history")" 524288 "and makes the file as small as HISTORY_SIZE"
check_le $((whole - 1)) "$(intervals)" "with the other records"
stop_pid "$lfpd" TERM

# A disk that is full when the file is made, and one that becomes full later
mkdir "$work/small"
if mount -t tmpfs -o size=1m tmpfs "$work/small" 2>/dev/null; then
	chmod 777 "$work/small"
	other "$work/small/history"
	told "No space left on device" "no room for the file"
	check_eq "$(ls "$work/small")" "" "nothing is left of it"
	other "$work/small/history" HISTORY_SIZE=64K
	other_start
	head -c 2000000 /dev/zero >"$work/small/fill" 2>/dev/null
	history=$work/small/history
	now=$(intervals)
	grown() { [ "$(intervals)" -ge $((now + 2)) ]; }
	check "a disk that is full later takes no interval away" wait_for 30 grown
	check_eq "$(grep -c VLFD184W "$work/lfpd-OTHER.log")" 0 "as the file has its blocks"
	stop_pid "$lfpd" TERM
	umount "$work/small"
else
	skip_part "no file system can be mounted here"
fi
finish
