#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands of both sides: exit codes, layouts of the presentation, values that follow events
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

ctl() { "$bin/lfpd-ctl" "$@" >"$work/out" 2>&1; }
says() { grep -q -- "$1" "$work/out"; }

check_conf() { "$bin/lfpd" -n -f "$conf" >"$work/out" 2>&1; }
bad_conf() { # TEXT KEY=VALUE...: exit 78, and the message names file, line, key
	local text=$1 key=${2%%=*}
	shift
	lfpd_conf LINR02 "$@"
	check_exit 78 "lfpd -n: $text" check_conf
	check "and says where" grep -Eq "lfpd-LINR02.conf:[0-9]+: .*$key" "$work/out" || cat "$work/out"
}
lfpd_conf LINR02
check "lfpd -n: a good file" check_conf
cp "$top/tests/data/lfpd-LINR02.conf" "$conf"
check "lfpd -n: the presentation's file" check_conf || cat "$work/out"
bad_conf "an unknown key" COLOUR=blue
bad_conf "a bad number" MTU_SIZE=8192x
bad_conf "a number out of range" IUCV_MSGLIMIT=65536
bad_conf "a bad address" VSE_HOSTID=10.0.0.256
bad_conf "neither yes nor no" RESTRICT_TO_HOSTID=maybe
bad_conf "an unknown code page" VSE_CODEPAGE=EBCDIC-NOWHERE
lfpd_conf LINR02 IUCV_SRC_APPNAME=LINR03
check_exit 78 "lfpd -n: a name that does not match the file" check_conf
lfpd_conf LINR02
echo "mtu_size = 4096" >>"$conf"
check_exit 78 "lfpd -n: a key that is there twice" check_conf
"$bin/lfpd" -n -f "$work/none/lfpd-NONE.conf" >"$work/out" 2>&1
check_exit 78 "lfpd -n: no file" "$bin/lfpd" -n -f "$work/none/lfpd-NONE.conf" 2>/dev/null
check_exit 64 "lfpd: an unknown option" "$bin/lfpd" --colour 2>/dev/null

export LFP_VMID=LINLFP # as the emulation's identity of the Linux side
lfpd_conf LINR02
cp "$top/tests/data/lfpd-LINR02.conf" "$conf"
check_exit 3 "status: not running" ctl status LINR02
check_exit 0 "start" ctl start LINR02 || cat "$work/out"
check_exit 0 "start: already running" ctl start LINR02
check_exit 0 "status: running" ctl status LINR02
pid=$(cat "$LFP_ROOT/run/vselfpd/LINR02/pid")
check "list" ctl list
check "names it, says that it is enabled, runs, and as which process" says "LINR02 *enabled *running *$pid"
confs=${conf%/*}
touch "$confs/lfpd-LINR08" "$confs/lfpd-linr09.conf" "$confs/lfpd-linr09.conf.bak" "$confs/notes"
check_exit 0 "list with files whose names are wrong" ctl list
check "a name without .conf, as IBM's note has it" says "VLFD837W confs-[a-z]*/lfpd-LINR08 is not used: it must be named lfpd-LINR08.conf"
check "a name in lower case" says "VLFD837W confs-[a-z]*/lfpd-linr09.conf is not used: it must be named lfpd-LINR09.conf"
check_eq "$(grep -c VLFD837W "$work/out")" 2 "others are not reported"
check_exit 0 "start of all" ctl start
check "reports them, too" says "VLFD837W .*lfpd-LINR08 is not used"
rm "$confs/lfpd-LINR08" "$confs/lfpd-linr09.conf" "$confs/lfpd-linr09.conf.bak" "$confs/notes"
check_exit 0 "restart" ctl restart LINR02
check_eq "$(cat "$LFP_ROOT/run/vselfpd/LINR02/pid")" "$pid" "in the same process"
sed -i 's/^VSE_HOSTID.*/VSE_HOSTID = 10.9.9.9/' "$conf"
check_exit 1 "restart with an address that the host lacks" ctl restart LINR02
check "says so" says 'VLFD868E LINR02 goes on as it is.*10.9.9.9'
check_eq "$(wc -l <"$work/out")" 1 "and nothing else"
check_eq "$(cat "$LFP_ROOT/run/vselfpd/LINR02/pid")" "$pid" "and has stopped nothing"
cp "$top/tests/data/lfpd-LINR02.conf" "$conf"
check_exit 0 "leave: without systemd there is nothing to do" ctl leave LINR02
check_exit 0 "which leaves it running" ctl status LINR02
check_exit 2 "leave: needs a name" ctl leave
check_exit 0 "stop" ctl stop LINR02
check_exit 3 "status: stopped" ctl status LINR02
check_exit 0 "stop: not running" ctl stop LINR02
check_exit 0 "start of all that are enabled" ctl start
check_exit 0 "status of all" ctl status
pid=$(cat "$LFP_ROOT/run/vselfpd/LINR02/pid")
kill -KILL "$pid"
wait_for 30 ended "$pid"
check_exit 1 "status: dead, but its pid file is there" ctl status LINR02
check_exit 0 "start after that" ctl start LINR02
check_exit 6 "start of an unconfigured instance" ctl start NONE
check_exit 2 "an unknown command" ctl colour
check_exit 2 "a bad name" ctl start linr02/..
lfpd_conf LINR03 VSE_HOSTID=10.9.9.9 RESTRICT_TO_HOSTID=yes
check "start with an address that the host lacks fails" eval '! ctl start LINR03'
check "and reports it" says 10.9.9.9
lfpd_conf LINR03 MTU_SIZE=1
check_exit 6 "start with a wrong configuration" ctl start LINR03

admin() { "$bin/lfpd-admin" -i LINR02 -s; }
admin >"$work/status" || fail "lfpd-admin -s: exit $?"
check "the long options are the same" diff <(grep -v ^Uptime "$work/status") <("$bin/lfpd-admin" --iucv_appname LINR02 --status | grep -v ^Uptime)
check_eq "$(grep -E '^(Status:|Trace Status:|Configuration:|-+)$' "$work/status" | sed 's/^--*$/-/' | tr '\n' ' ')" \
	"Status: - Trace Status: - Configuration: - - " "the blocks and their lines"
check "not connected: reports it" grep -qi 'z/VSE instance is not connected' "$work/status"
for line in 'LOCAL_IUCV_APPNAME = LINR02' 'PEER_IUCV_VMID = VSER05' 'PEER_IUCV_APPNAME = TESTV' 'MAX_VSE_TASKS = 512' \
	'MTU_SIZE = 8192' 'MAX_SOCKETS = 1024' 'INITIAL_IO_BUFS = 128' 'WINDOW_SIZE = 65536' 'WINDOW_THRESHOLD = 25% (16384 bytes)' \
	'No trace is running' 'Running in daemon mode'; do
	check "line: $line" grep -qxF "$line" "$work/status"
done
check_eq "$(status LINR02 'Applied host id')" 10.0.0.1 "Applied host id"
check_eq "$(status LINR02 'Number of active sockets')" 0 "no sockets"
check_exit 69 "lfpd-admin for a stopped instance" "$bin/lfpd-admin" -i NONE -s 2>/dev/null
check_exit 0 "lfpd-admin without arguments shows all instances" into "$work/all" "$bin/lfpd-admin"
check "with their state and rates" grep -q '^INSTANCE  STATE .* TO-HOST/S  TO-VSE/S' "$work/all"

check_exit 69 "lfp-run without an instance" on_lfp true 2>"$work/out"
check "and reports it" grep -q 'VLFB[0-9]*E' "$work/out"

op() { "$bin/ijblfpop" "$@" >"$work/out" 2>&1; }
op LIST
check_eq "$(cat "$work/out")" "LFPB025I ACTIVE LFP INSTANCES: 0
LFPB026I END OF ACTIVE LFP INSTANCES LIST" "LIST of none"
statements 01 MTU=7
check_exit 78 "START with a wrong statement" op START "$work/start-01"
check "and says where" says 'start-01:[0-9]*: *MTU'
mkdir -p "$LFP_ROOT/etc/vselfp"
cp "$top/tests/data/start-01" "$LFP_ROOT/etc/vselfp/lfp-02.conf"
check_exit 78 "START of a number without statements" op START 01
check_exit 78 "START of a number with the statements of another" op START 02
check "and reports it" says 'lfp-02.conf are those of instance 01, not of 02'
mv "$LFP_ROOT/etc/vselfp/lfp-02.conf" "$LFP_ROOT/etc/vselfp/lfp-01.conf"
check_exit 69 "START with a z/VM user id that lfpd does not admit" op --vmid OTHER START 01
check "and reports it" says 'does not admit TESTV of OTHER'
statements 01 IucvDestVMId=LINUX
check_exit 69 "START with another z/VM user id of lfpd" op --vmid VSER05 START "$work/start-01"
check "and reports it" says 'is LINLFP, but IucvDestVMId is LINUX'
check_exit 0 "START of a number" op --vmid VSER05 "PARM=START 01 LOGALL"
check_exit 0 "STOP as a whole PARM" op "PARM=STOP 01"
LFP_ROOT=/tmp/$(printf 'x%.0s' {1..90}) check_exit 1 "INFO with a root that is too long" op INFO 01
check "and reports it" says 'at most 107 bytes'
export LFP_VMID=VSER05
cp "$top/tests/data/start-01" "$work/start-01"
check_exit 0 "START with the presentation's statements" op START "$work/start-01" || cat "$work/out"
check "START of a running instance fails" eval '! op START "$work/start-01"'
wait_for 30 instance_up 01
op LIST
check_eq "$(cat "$work/out")" "LFPB025I ACTIVE LFP INSTANCES: 1
         INSTANCE 01 HAS 0 ACTIVE TASKS
LFPB026I END OF ACTIVE LFP INSTANCES LIST" "LIST of one"

# A program with 3 sockets, in a task of its own; another with one.
cat >"$work/sockets.py" <<-'END'
	import socket, sys
	socks = [socket.create_connection(("10.0.0.1", 7000)) for _ in range(int(sys.argv[1]))]
	print("ready", flush=True)
	sys.stdin.readline()
	for s in socks:
	    s.sendall(b"x" * 50000)
	    n = 0
	    while n < 50000: n += len(s.recv(50000))
	print("done", flush=True)
	sys.stdin.readline()
END
if command -v python3 >/dev/null; then
	background echo "$programs/echo" 10.0.0.1 7000
	wait_listen 7000
	coproc three { exec "${lfp_prefix[@]}" python3 "$work/sockets.py" 3; }
	three_pid=$three_PID
	read -r -t 30 -u "${three[0]}" word
	pids+=("$three_pid")
	check_eq "${word:-}" ready "a program with 3 sockets"
	mkfifo "$work/one.in"
	"${lfp_prefix[@]}" python3 "$work/sockets.py" 1 <"$work/one.in" >"$work/one.log" 2>&1 &
	one=$!
	pids+=($one)
	exec {one_in}>"$work/one.in"
	wait_for 30 grep -q ready "$work/one.log"

	admin >"$work/status"
	check "connected: reports it" grep -qxF 'z/VSE instance is connected.' "$work/status"
	check_eq "$(value_of 'Peer VM ID' <"$work/status")" VSER05 "Peer VM ID"
	check_eq "$(value_of 'Peer IUCV Appl. name' <"$work/status")" TESTV "Peer IUCV Appl. name"
	check "Applied host name" test -n "$(value_of 'Applied host name' <"$work/status")"
	check_eq "$(value_of 'Number of active z/VSE tasks' <"$work/status")" 2 "2 tasks"
	check_eq "$(value_of 'Number of active sockets' <"$work/status")" 4 "4 sockets"
	check "I/O buffers" test "$(value_of 'Allocated I/O buffers' <"$work/status" | tr -d ,)" -ge 128

	"$bin/ijblfpop" INFO 01 >"$work/info"
	check_eq "$(head -n 1 "$work/info")" "LFPB023I INFO ABOUT LFP INSTANCE '01':" "INFO: first line"
	check_eq "$(tail -n 1 "$work/info")" "LFPB024I END OF INFO ABOUT LFP INSTANCE '01'." "INFO: last line"
	check_eq "$(grep -o '\*\*\* [A-Z]* \*\*\*' "$work/info" | tr '\n' ' ')" '*** INSTANCE *** *** DEVICE *** *** TASKS *** ' "INFO: blocks"
	check_eq "$(value_of 'STATUS' <"$work/info")" UP "INFO: STATUS"
	check_eq "$(value_of 'DEVICE STATUS' <"$work/info")" ACTIVE "INFO: DEVICE STATUS"
	check_eq "$(value_of 'WINDOW SIZE' <"$work/info")" 65,535 "INFO: WINDOW SIZE, unrounded"
	check_eq "$(value_of 'ACTIVE TASK COUNT' <"$work/info")" 2 "INFO: ACTIVE TASK COUNT"
	check "INFO: PACKETS WAITING FOR MSG COMPLETE" grep -Eq '^ *PACKETS WAITING FOR MSG COMPLETE : [0-9,]+$' "$work/info"
	"$bin/ijblfpop" INFO 01 SHOWTASKS >"$work/tasks"
	check_eq "$(grep -c -- '-- TASK #[12] --' "$work/tasks")" 2 "INFO SHOWTASKS: 2 tasks"
	check_eq "$(grep -E '^ *SOCKET COUNT' "$work/tasks" | grep -o '[0-9]*$' | sort | tr '\n' ' ')" '1 3 ' "their sockets"
	op LIST
	check "LIST: 2 tasks" says '^         INSTANCE 01 HAS 2 ACTIVE TASKS$'
	packets=$(info 01 'MAXIMUM PACKETS USED')
	echo >&"${three[1]}"
	read -r -t 30 -u "${three[0]}" word
	check "MAXIMUM PACKETS USED counts" test "$(info 01 'MAXIMUM PACKETS USED')" -gt "${packets:-0}"

	exec {one_in}>&-
	wait $one
	three_left() { [ "$(status LINR02 'Number of active z/VSE tasks')" = 1 ] && [ "$(lfpd_sockets)" = 3 ]; }
	check "one program ends: a task and 3 sockets are left" wait_for 30 three_left
	kill -KILL "$three_pid"
	none_left() { [ "$(status LINR02 'Number of active z/VSE tasks')" = 0 ] && no_sockets && [ "$(info 01 'ACTIVE TASK COUNT')" = 0 ]; }
	check "the other is killed: nothing is left" wait_for 30 none_left
else
	skip_part "values that follow a program: python3 is not installed"
fi

check_exit 3 "lfp-run: the program's exit code" on_lfp sh -c 'exit 3'
check_exit 127 "lfp-run: no such program" env PATH=/usr/bin:/bin "${lfp_prefix[@]}" no-such-program 2>/dev/null
check_exit 64 "lfp-run without a program" "$bin/lfp-run" -i 01 2>/dev/null
check_exit 69 "lfp-run: an instance that is not there" "$bin/lfp-run" -i 07 true 2>/dev/null
check_eq "$(LFP_ID=01 "${empty_net[@]}" "$bin/lfp-run" sh -c 'echo here')" here "lfp-run: LFP_ID"
check_eq "$(env 'LFP$ID=01' LFP_ID=09 "${empty_net[@]}" "$bin/lfp-run" sh -c 'echo here')" here "lfp-run: LFP\$ID comes first"

pid=$(cat "$LFP_ROOT/run/vselfpd/LINR02/pid")
check_exit 0 "stop of lfpd with an instance connected" ctl stop LINR02
device_down() { [ "$(info 01 'DEVICE STATUS')" != ACTIVE ]; }
check "INFO says that the device is not active" wait_for 30 device_down
check_exit 69 "lfp-run while lfpd is down" on_lfp true 2>"$work/out"
check "and reports it" grep -q 'VLFB[0-9]*E' "$work/out"
export LFP_VMID=LINLFP
# Values in the file are those in the status: each one changed.
lfpd_conf LINR02 MAX_SOCKETS=77 MAX_VSE_TASKS=5 MTU_SIZE=4096 WINDOW_SIZE=10000 WINDOW_THRESHOLD=50 INITIAL_IO_BUFS=7 \
	VSE_HOSTID=127.0.0.1 IUCV_MSGLIMIT=9
check_exit 0 "start with other values" ctl start LINR02
admin >"$work/status"
for line in 'MAX_VSE_TASKS = 5' 'MTU_SIZE = 4096' 'MAX_SOCKETS = 77' 'INITIAL_IO_BUFS = 7' 'WINDOW_SIZE = 12288' \
	'WINDOW_THRESHOLD = 50% (6144 bytes)'; do
	check "line: $line" grep -qxF "$line" "$work/status"
done
check_eq "$(status LINR02 'Applied host id')" 127.0.0.1 "another host id"
check "the path comes back" wait_for 30 instance_up 01
check_exit 0 "lfp-run works again" on_lfp true

export LFP_VMID=VSER05
check_exit 0 "STOP" op STOP 01
check_exit 69 "lfp-run after STOP" on_lfp true 2>/dev/null
check "STOP of a stopped instance fails" eval '! op STOP 01'
statements 01 IucvSrcAppName=OTHER
check_exit 69 "START as another application" op START "$work/start-01"
statements 01
export LFP_VMID=VSER06
check_exit 69 "START as another z/VM user" op START "$work/start-01"
export LFP_VMID=VSER05
check_exit 0 "START from standard input" op START DD:SYSIPT <"$work/start-01" || cat "$work/out"
statements 02
check_exit 69 "a second instance on one lfpd" op START "$work/start-02"
check_exit 0 "STOP" op STOP 01
check_exit 0 "stop" ctl stop
finish
