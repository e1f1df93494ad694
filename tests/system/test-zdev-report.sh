#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# zdev report, display and plot: their output in each form, and their errors for bad input
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

zdev() { "$daemons/zdev" "$@" >"$work/out" 2>"$work/err"; }
says() { grep -qF -- "$1" "$work/out"; }
complains() { grep -qF -- "$1" "$work/err"; }
scenarios=$top/zdev/scenarios
# A second is enough here: the unit tests compare a longer run with published values.
sed 's/^time .*/time 1s/' "$scenarios/rmf-zhyperlink.zdev" >"$work/sync.zdev"
sed 's/^time .*/time 1s/' "$scenarios/rmf-channels.zdev" >"$work/channels.zdev"

check_exit 0 "all reports" zdev report "$work/sync.zdev"
check "the channel report" says "C H A N N E L   P A T H   A C T I V I T Y"
check "the device report" says "D I R E C T   A C C E S S   D E V I C E   A C T I V I T Y"
check "the synchronous I/O report" says "S Y N C H R O N O U S   I / O   D E V I C E   A C T I V I T Y"
check "the time is the simulated one" says "SYSTEM ID AP34            START 05/31/2022-09.17.58  INTERVAL 000.00.01"
check "RMF's head has the end and the cycle" says "RPT VERSION V2R4 RMF      END   05/31/2022-09.17.59  CYCLE 1.000 SECONDS"
check "and the configuration" says "IODF = 00   CR-DATE: 05/31/2022   CR-TIME: 09.17.58   ACT: POR   MODE: LPAR   CPMF: EXTENDED MODE   CSSID: 0"
cp "$work/out" "$work/first"
check_exit 0 "the same again" zdev report "$work/sync.zdev"
check "is the same to the letter" cmp -s "$work/first" "$work/out"
check_exit 0 "one report" zdev report "$work/channels.zdev" channel
check "is one" test "$(grep -c PAGE "$work/out")" = 1
check "with seven channels" test "$(grep -Ec '^ [0-9A-F]{2} FC_S' "$work/out")" = 7

json() { # EXPRESSION: true of the JSON in $work/out, which it knows as d
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2]))' "$work/out" "$1"
}
check_exit 0 "as JSON" zdev report --format=json "$work/sync.zdev" sync device
check "it is JSON, in the order of reports" json '[r["name"] for r in d["reports"]] == ["device", "sync"]'
check "with eight devices" json 'sum(r["level"] == "device" for r in d["reports"][1]["rows"]) == 8'
check "all of whose requests are told" json 'all(abs(r["success_percent"] + r["link_busy_percent"] +
	r["cache_miss_percent"] + r["read_rejects_percent"] + r["write_rejects_percent"] - 100) < 1e-3
	for r in d["reports"][1]["rows"])'
check "and where it comes from" json 'd["from"] == "simulated events" and d["interval_seconds"] == 1'
check_exit 0 "as CSV" zdev report --format=csv "$work/sync.zdev" device
check "it is CSV" python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 16 and None not in rows[0] and None not in rows[0].values()
assert rows[0]["device"] == "07800" and rows[0]["synchronous"] == "S" and float(rows[0]["rate"]) > 3000
for r in rows:
    parts = sum(float(r[k]) for k in ("iosq_ms", "pend_ms", "disc_ms", "conn_ms"))
    assert abs(float(r["resp_ms"]) - parts) < 5e-6' "$work/out"
check_exit 0 "-V is the version, as of the other commands" zdev -V
check "it is" grep -qx "zdev [0-9.]*" "$work/out"
check_exit 64 "no scenario" zdev report
check_exit 64 "an unknown report" zdev report "$work/sync.zdev" tape
check "is named" complains "unknown report 'tape': there are channel, device and sync"
check_exit 64 "an unknown form" zdev report --format=xml "$work/sync.zdev"
check "is named" complains "'xml' is not text, json or csv"
check_exit 69 "no such scenario" zdev report "$work/none.zdev"
check "is named" complains "VLFZ001E Cannot open scenario $work/none.zdev"
check_exit 1 "no room for the report" eval "'$daemons/zdev' report -q '$work/sync.zdev' >/dev/full 2>'$work/err'"
check "with a message" complains "VLFZ006E Cannot write the report of $work/sync.zdev"

# A long run says on a terminal how far it is; that is enough, and it is ended.
sed 's/^time .*/time 1000s/' "$top/bench/scenarios/zhpf-4k.zdev" >"$work/long.zdev"
check "a long run has a progress line" python3 -c 'import os, pty, re, signal, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "run", sys.argv[2]])
said = b""
while not re.search(rb"\r +\d+ % of 1000\.010 s, \d+ I/Os", said):
    said += os.read(terminal, 4096)
os.kill(pid, signal.SIGTERM)
os.waitpid(pid, 0)' "$daemons/zdev" "$work/long.zdev"

check_exit 0 "display of the scenario's own commands" zdev display "$scenarios/display-device.zdev"
check "a device" says "CONNECTION SECURITY   Encr Encr Encr Encr Encr Encr Encr Encr"
check "a channel" says "CHPID 50:  TYPE=1B, DESC=FICON SWITCHED, ONLINE"
check "its paths" says "7800  00  6628  662C  Y            Encr"
check "the switch" says "HIGH PERFORMANCE FICON FACILITY IS ENABLED"
check_exit 0 "display of one command" zdev display 'D M=CPU' "$scenarios/display-processors.zdev"
check "processors" says "CPC SI = 2094.730.IBM.02.0000000000029B8E"
cat >"$work/fails.zdev" <<'END'
system A clock=10.00.00
time 10s
control-unit 7800
channel 50
channel 51
path 50 7800
path 51 7800
device 7800 cu=7800
load a devices=7800 rate=10
fail 4s channel=50
setios 6s zhpf=yes
display 7s D M=DEV(7800)
display 3s D M=DEV(7800)
END
check_exit 0 "commands at their times" zdev display "$work/fails.zdev"
check_eq "$(grep -E 'IEE174I|PATH OPERATIONAL|FUNCTIONS' "$work/out")" "IEE174I 10.00.03 DISPLAY M 001
PATH OPERATIONAL      Y    Y
FUNCTIONS ENABLED = MIDAW
IEE174I 10.00.07 DISPLAY M 002
PATH OPERATIONAL      N    Y
FUNCTIONS ENABLED = MIDAW, ZHPF" "in the order of time, with what has happened until then"
check_exit 0 "one command at its time" zdev display -t 5s 'd ios,zhpf' "$work/fails.zdev"
check "before the switch is set" says "IS DISABLED"
check_exit 0 "one command at the end" zdev display 'd ios,zhpf' "$work/fails.zdev"
check "after it" says "IS ENABLED"
check_exit 64 "a device that is not there" zdev display 'D M=DEV(7801)' "$work/fails.zdev"
check "is named" complains "VLFZ007E $work/fails.zdev: 'D M=DEV(7801)': device 07801 does not exist."
check_exit 64 "an unknown command" zdev display 'HELLO' "$work/fails.zdev"
check "is named" complains "the command is neither D (DISPLAY), SETIOS nor NETSTAT"
check_exit 64 "no command at all" zdev display "$work/channels.zdev"
check "with a message" complains "VLFZ008E"
check_exit 64 "no time" zdev display -t 5 'D M=CPU' "$work/fails.zdev"

sed '/^setios/d; /^fail/d' "$work/fails.zdev" >"$work/member.zdev"
echo "iecios IECIOS00" >>"$work/member.zdev"
check_exit 69 "a member that is not there" zdev display 'D IOS,ZHPF' "$work/member.zdev"
check "is named" complains "VLFZ011E Cannot open member IECIOS00 of scenario $work/member.zdev"
echo "MIH TIME=00:15  ZHPF=YES   /* FASTER */" >"$work/IECIOS00"
check_exit 0 "a member beside the scenario" zdev display 'D IOS,ZHPF' "$work/member.zdev"
check "sets the switch" says "IS ENABLED"
echo " ZHPF=ON" >"$work/IECIOS00"
check_exit 78 "a member that is wrong" zdev run "$work/member.zdev"
check "is named" complains "VLFZ002E $work/IECIOS00:1: ZHPF: 'ON' is neither YES nor NO"

for figure in iops mbs mix response distance; do
	check_exit 0 "plot $figure" zdev plot "$figure" -o "$work/$figure.svg"
	check "is well-formed" python3 -c 'import sys, xml.dom.minidom as m
d = m.parse(sys.argv[1]).documentElement
assert d.tagName == "svg" and len(d.getElementsByTagName("text")) > 10
assert len(d.getElementsByTagName("circle")) + len(d.getElementsByTagName("rect")) > 12' "$work/$figure.svg"
done
check_exit 64 "an unknown figure" zdev plot nothing
check "is named, with those that are known" complains "unknown figure 'nothing'"
check "all of them" test "$(grep -c '^  ' "$work/err")" = 5
check_exit 1 "a picture without a place" zdev plot mix -o "$work/none/mix.svg"
check "with a message" complains "VLFZ010E Cannot write figure mix to $work/none/mix.svg"
check_exit 1 "no room for a picture" zdev plot mix -o /dev/full
finish
