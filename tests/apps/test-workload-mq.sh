#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-workload mq: IBM's paper with two queue managers over the routes, and with two mosquitto; HiperSockets as a network device
# and its counters; channels by tshark; broken segments; Ctrl-C
# Time limit: 300 s
. "$(dirname "$0")/lib-workload.sh"
needs python3 tc
routes=(osa hipersockets unix native)
hsi=
[ "$(id -u)" != 0 ] || [ ! -c /dev/net/tun ] || hsi=hsi
[ -z "$hsi" ] || routes=(hsi "${routes[@]}")

json=$work/all.json
: >"$work/begin"
timeout 150 "$workload" mq --quick --json --verdicts "$work/verdicts.tsv" "${routes[@]/#/--route=}" >"$json" 2>"$work/progress"
check_eq "$?" 0 "the table is made" || { cat "$work/progress"; tail -n 5 "$json"; }
asked "all cells of the routes are measured" 'r["complete"] and not r["skipped"] and [len(of) for of in c.values()] == [10] * '"${#routes[@]}"' and
	all("rate" in x for of in c.values() for x in of.values())'
asked "rate times time is the number of jobs" 'all(abs(x["rate"] * x["ms"] / 1000 - x["jobs"]) <= 0.03 * x["jobs"] for of in c.values() for x in of.values())'
asked "the messages of a cell" 'all(x["messages"] == {1000: 60, 4000: 60, 10000: 60, 32000: 60, 100000: 40, 1000000: 30 if x["jobs"] == 10 else 4}[x["size"]]
	for of in c.values() for x in of.values())'
asked "a verdict of each published row" 'sorted(v[0].split()[0] for v in r["verdicts"]) == sorted(["MQ-30%d" % n for n in range(10)] + ["MQ-%d0%d%s" % (s, n, w)
	for s, most in ((1, 6), (2, 4)) for n in range(1, most + 1) for w in "HO"])'
asked "the damaged cell is the only one" '[v[0] for v in r["verdicts"] if v[5].startswith("damaged")] == ["MQ-201O"]'

if [ "$hsi" ]; then
	asked "the network device stands beside the paper's HiperSockets" 'r["compared"]["HiperSockets"] == "hsi"'
	asked "NETSTAT, ifconfig, zdev and ip -s link have the same bytes and packets" 'all(len(of["same"]) >= 4 and all(of["same"].values())
		for of in (r["shown"]["hsi"], r["shown"]["hsi"]["first"]))'
	asked "and the queue manager's own bytes make them, header by header" 'r["shown"]["hsi"]["first"]["sent_again"] or
		"the queue manager\x27s own bytes, with headers" in r["shown"]["hsi"]["first"]["same"]'
	asked "each message has crossed the network" 'min(r["shown"]["hsi"]["carried"].values()) > sum(x["size"] * x["messages"] for x in c["hsi"].values())'
	asked "the displays are those of the paper's definitions" '[[v[5] for v in r["verdicts"] if v[0].startswith(row)] for row in
		("MQ-302", "MQ-307", "MQ-308")] == [["the same"]] * 3'
	check_exit 0 "zdev check takes what was measured" into "$work/said" "$bin/zdev" check -q --measured="$work/verdicts.tsv" MQ
	check "settings are passed by this run" eval '[ "$(grep -cE "^MQ-30[78] .* run +passed$" "$work/said")" = 2 ]'
	check "contradictions stay" eval '[ "$(grep -cE "^MQ-(201O|303|304|309) .* contradiction +cannot hold$" "$work/said")" = 4 ]'
	asked "its contradictions are told" 'sum(" GE1, and " in w or "mask 255.255.255.240" in w or "9.20.39.97" in w for w in r["shown"]["hsi"]["warnings"]) == 4'
	asked "the client of NETSTAT -a -E has a mapped IPv4 address" 'any(line.startswith("  Foreign Socket: ::ffff:10.1.2.2..") for line in r["shown"]["hsi"]["sockets"])'

	# Ctrl-C in the middle of a cell over HiperSockets: what is there, marked, and nothing that runs.
	json=$work/partial.json
	timeout --foreground 100 "$workload" mq --messages 200000 --json --route hsi >"$json" 2>"$work/progress" &
	runner=$!
	inside() { read -r run <"/proc/$runner/task/$runner/children"; [ "$run" ]; }
	wait_for 60 inside
	carried() { # packets of this run's network
		local of
		of=$(pgrep -P "${run%% *}" -x zdev) && [ "$(awk '$1 == "hsi0:" { print $3 }' "/proc/${of%% *}/net/dev")" -gt 1000 ]
	}
	wait_for 60 carried
	zdev=$(pgrep -P "${run%% *}" -x zdev)
	check "zdev hsi runs" test "$zdev"
	kill -INT "${run%% *}"
	wait $runner
	check_eq "$?" 130 "Ctrl-C in the middle of a cell"
	asked "the results are marked partial" 'not r["complete"] and r["cells_done"] == 0 and r["cells_all"] == 10'
	check "nothing of it is left" test ! -e "/proc/$zdev"
	check "nor an interface of it here" eval '! ip link show hsi0 2>/dev/null'

	# A machine without /dev/net/tun lacks the route, and has the others.
	json=$work/lacking.json
	unshare --mount sh -c 'mount -t tmpfs none /dev/net && exec timeout 60 "$0" mq --quick --messages 10 --json --route hsi --route native' "$workload" \
		>"$json" 2>"$work/progress"
	check_eq "$?" 0 "without /dev/net/tun"
	asked "the route is skipped with the reason" 'r["skipped"] == {"hsi": "/dev/net/tun may not be opened"} and len(c["native"]) == 10'
	# Broken definitions: the line and the column are named, and the other route is measured.
	json=$work/broken.json
	sed -E 's/^(DEVICE IUTIQDE1.*)MPCIPA/\1MPCIPX/' "$top/zdev/examples/mq-profile.tcpip" >"$work/broken.tcpip"
	line=$(grep -n MPCIPX "$work/broken.tcpip" | cut -d: -f1)
	unshare --mount sh -c 'mount --bind "$1" "$2" && exec timeout 60 "$3" mq --quick --messages 10 --json --route hsi --route native' sh \
		"$work/broken.tcpip" "$top/zdev/examples/mq-profile.tcpip" "$workload" >"$json" 2>"$work/progress"
	check_eq "$?" 0 "with broken definitions"
	asked "the line and the column are named" 'len(c["native"]) == 10 and "mq-profile.tcpip:'"$line"':" in r["skipped"]["hsi"] and "MPCIPX" in r["skipped"]["hsi"]'
else
	skip_part "no root, or no /dev/net/tun"
fi

cat >"$work/parts.py" <<'END'
import sys
sys.path.insert(0, sys.argv[1] + "/workload")
sys.dont_write_bytecode = True
import mq_frames, published_mq, table_mq
from mq_frames import Assembler, FrameError
# The published values are those of the rows.
rows = {line.split("\t")[0]: line for line in open(sys.argv[1] + "/zdev/devices.tsv", encoding="utf-8")}
for name, _, _, size, _, rate, ms, _ in published_mq.rows():
    assert f", {size} B" in rows[name] and (f"{rate} / {ms}" in rows[name] or name == "MQ-201O" and f"{rate} (" in rows[name]), rows[name]
# A cell whose clocks disagree is an error.
results = {"cells": {"unix": {"1-1000": {"rate": 5, "jobs": 1, "product": 1.031}, "1-4000": {"rate": 5, "jobs": 1, "product": 0.971}}}}
table_mq.measured(results)
assert "rate" not in results["cells"]["unix"]["1-1000"] and "rate" in results["cells"]["unix"]["1-4000"]

def segments(data):
    while data:
        length, kind, flags = mq_frames.take(data[:mq_frames.TSH.size])
        yield flags, data[mq_frames.TSH.size:mq_frames.TSH.size + length]
        data = data[mq_frames.TSH.size + length:]

correlation = b"c" * 24
for size in (0, 1, 32766 - 48 - 428, 32766 - 48 - 427, 100000):
    of, got = Assembler(), None
    for flags, body in segments(mq_frames.message(1, "Q", "QM", correlation, b"x" * size, False)):
        assert got is None
        got = of.add(flags, body)
    assert got == ("Q", correlation, b"x" * size), size

whole = list(segments(mq_frames.message(1, "Q", "QM", correlation, b"x" * 40000, False)))
assert len(whole) == 2

def refused(parts):
    of = Assembler()
    try:
        for flags, body in parts:
            of.add(flags, body)
    except FrameError:
        return True
    return False

first, last = whole
for parts in ([last], [first, first], [(first[0] | mq_frames.LAST, first[1])], [first, (0, last[1])], [(first[0], first[1][:10])],
              [(first[0], b"NOPE" + first[1][4:])], [(first[0], first[1][:-1])],
              [(first[0], first[1][:4] + b"\0\0\0\2" + first[1][8:])], [(first[0], first[1][:16] + b"\xff" * 4 + first[1][20:])],
              [(0x30, first[1][:8] + b"\0\0\0\4\0\0\0\0\0\0\0\4XQH ")]):
    assert refused(parts), parts
for head in (b"TSHX" + bytes(24), b"TSH " + b"\0\0\0\1" + b"\1" + bytes(19), b"TSH " + b"\x7f\0\0\0" + b"\1" + bytes(19), b"TSH \0\0\0\x1c\2" + bytes(19)):
    try:
        mq_frames.take(head)
    except FrameError:
        continue
    raise AssertionError(head)
END
check "the parts" python3 "$work/parts.py" "$top"

# A peer that is no queue manager ends the run of this one with a reason.
background manager python3 "$top/workload/queue_manager.py" CSQ1 2424 QML1 10.0.0.1 1414
manager=$!
wait_listen 2424
python3 -c 'import socket
s = socket.create_connection(("10.0.0.1", 2424))
s.sendall(b"GET / HTTP/1.0\r\nHost: 10.0.0.1\r\n\r\n")
s.recv(1)'
wait_for 30 ended "$manager"
check "what is no TSH is told" grep -qx "CSQ1: no TSH: b'GET '" "$work/manager.log"

# tshark reads both channels without a malformed frame.
if command -v tshark >/dev/null && [ "$(id -u)" = 0 ]; then
	timeout 60 tshark -q -i lo -w "$work/mq.pcap" -f 'tcp port 1414 or tcp port 2424' 2>"$work/tshark.log" &
	tshark=$!
	wait_for 30 grep -qi 'capturing on' "$work/tshark.log"
	mkfifo "$work/end"
	sleep 60 >"$work/end" &
	holder=$!
	python3 "$top/workload/queue_manager.py" QML1 1414 CSQ1 10.0.0.1 2424 <"$work/end" >"$work/linux.out" 2>&1 &
	linux=$!
	(echo '{"jobs": 1, "messages": 60, "size": 1000}' && echo '{"jobs": 10, "messages": 20, "size": 100000}') |
		timeout 50 python3 "$top/workload/queue_manager.py" CSQ1 2424 QML1 10.0.0.1 1414 >"$work/vse.out" 2>"$work/vse.err"
	check_eq "$?$(grep -c '"rate"' "$work/vse.out")" 02 "two queue managers"
	check_eq "$(timeout 50 python3 "$top/workload/mq_client.py" 10.0.0.1 1414 5 3000 2>&1)" "30000 BYTES EQUAL" "a client of one of them"
	kill "$holder"
	wait "$linux"
	# dumpcap still has packets in its buffer
	count() { tshark -r "$work/mq.pcap" -d tcp.port==1414,mq -d tcp.port==2424,mq -Y "$1" 2>/dev/null | wc -l; }
	closed() { [ "$(count 'tcp.flags.fin==1')" -ge 5 ]; }
	wait_for 30 closed
	kill -INT "$tshark"
	wait "$tshark"
	check "tshark knows the messages" test "$(count 'mq.xqh.remoteq contains "BACK"')" -ge 60
	for call in MQCONN MQOPEN MQPUT MQGET MQCLOSE MQDISC; do
		check "tshark knows $call and its answer" test "$(tshark -r "$work/mq.pcap" -d tcp.port==1414,mq -Y mq 2>/dev/null | grep -cE "\b${call}(_REPLY)?\b")" -ge 2
	done
	check_eq "$(count '_ws.malformed or _ws.expert.severity == error')" 0 "and nothing is malformed"
	check_eq "$(count 'mq.id.qm contains "CSQ1"') $(count 'mq.id.qm contains "QML1"')" "2 3" "both say who they are, on two channels and one of a client"
else
	skip_part "no tshark, or not root"
fi

# Two brokers of others carry the same jobs.
if command -v mosquitto >/dev/null || [ -x /usr/sbin/mosquitto ]; then
	json=$work/mosquitto.json
	foreign=($hsi hipersockets)
	timeout 150 "$workload" mq --quick --json --managers mosquitto "${foreign[@]/#/--route=}" >"$json" 2>"$work/progress"
	check_eq "$?" 0 "two mosquitto with bridges" || { cat "$work/progress"; tail -n 5 "$json"; }
	asked "carry each message, and the right bytes" 'r["complete"] and [sum("rate" in x for x in of.values()) for of in c.values()] == [10] * '"${#foreign[@]}"
else
	skip_part "no mosquitto"
fi

check "no program of it has written beside the sources" test -z "$(find "$O/workload" "$top/workload" -name '*.pyc' -newer "$work/begin")"

# Wrong words
said() { # RC PATTERN WORD...
	HOME=$work timeout 60 "$workload" "${@:3}" >"$work/out" 2>"$work/said"
	check_eq "$?$(grep -cE -- "$2" "$work/said")$(wc -l <"$work/said")" "${1}11" "lfp-workload ${*:3}" || cat "$work/said"
}
said 64 'argument --messages: .*0' mq --messages 0
said 64 'argument --repeat: 0: not a number from 1 to 256' mq --repeat 0
said 64 'invalid choice: .ibm.' mq --managers ibm
said 64 'invalid choice: .osb.' mq --route osb
timeout 60 "$workload" mq --quick --route native >/dev/full 2>"$work/said"
check_eq "$? $(tail -n 1 "$work/said")" "74 lfp-workload: cannot write the results: No space left on device" "a full disk"

HOME=$work timeout 100 "$workload" mq --messages 20 --repeat 3 --route native >"$work/text" 2>/dev/null
check_eq "$?" 0 "as text"
check "the variation between runs is told" grep -qE '^here each cell is the median of 3 runs, and they differ by [0-9]+ % in the median cell, [0-9]+ % at most$' "$work/text"
check "the damaged number is marked" grep -qE '^1,000 +1400 +118 \(damaged\) +7.1 +8.5$' "$work/text"
finish
