#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# IJBLFPOP: commands, sources of statements, LOGALL, STOP, buffer space; each value against lfpd and the kernel
# Time limit: 600 s
. "$(dirname "$0")/lib.sh"
needs python3
needs_own_processes "lfpd is stopped, and started, without it"

python=$(python3 -c 'import sys; print(sys.executable)') # no script that starts it

op() { "$daemons/ijblfpop" "$@" >"$work/out" 2>"$work/err" </dev/null; }
says() { grep -q -- "$1" "$work/out"; }
tells() { grep -q -- "$1" "$work/err"; }
show() { cat "$work/out" "$work/err"; }
value() { info 01 "$1"; }
# detail LABEL: of those that only LOGALL shows
detail() { "$bin/ijblfpop" INFO 01 LOGALL | value_of "$1" | tr -d ,; }
is() { [ "$(value "$1")" = "$2" ]; }
up() { # KEY=VALUE...: an instance with these statements
	statements 01 "$@"
	instance_start 01
}
down() { check_exit 0 "STOP IMMEDIATE" op STOP 01 IMMEDIATE; }

cat >"$work/push.py" <<'END'
# push SOCKETS BYTES: connects, waits for a line, sends so much on each socket, says "sent"
import hashlib, socket, sys, threading
nr, size = int(sys.argv[1]), int(sys.argv[2])
socks = [socket.create_connection(("10.0.0.1", 7000)) for _ in range(nr)]
print("ready", flush=True)
sys.stdin.readline()
def push(sock, n):
    sock.sendall((hashlib.sha256(b"%d" % n).digest() * (size // 32 + 1))[:size])
    sock.shutdown(socket.SHUT_WR)
threads = [threading.Thread(target=push, args=item) for item in zip(socks, range(nr))]
for t in threads: t.start()
for t in threads: t.join()
print("sent", flush=True)
sys.stdin.readline()
END
cat >"$work/sink.py" <<'END'
# sink FILE: takes connections; reads them to the end once FILE is there; each end is a line "BYTES SHA256"
import hashlib, os, socket, sys, threading, time
lis = socket.create_server(("10.0.0.1", 7000), backlog=200)
def take(sock):
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.02)
    got, digest = 0, hashlib.sha256()
    while True:
        data = sock.recv(1 << 18)
        if not data: break
        digest.update(data)
        got += len(data)
    os.write(1, b"%d %s\n" % (got, digest.hexdigest().encode()))
while True:
    sock, _ = lis.accept()
    threading.Thread(target=take, args=(sock,), daemon=True).start()
END
# push SOCKETS BYTES: the program is started and has its sockets; let_go lets it send
push() {
	rm -f "$work/push.in"
	mkfifo "$work/push.in"
	"${lfp_prefix[@]}" "$python" "$work/push.py" "$@" <"$work/push.in" >"$work/push.log" 2>&1 &
	push=$!
	pids+=("$push")
	exec {push_in}>"$work/push.in"
	wait_for 120 grep -q ready "$work/push.log" || die "no sockets: $(cat "$work/push.log")"
}
let_go() { echo >&"$push_in"; }
push_end() {
	let_go
	exec {push_in}>&-
	wait_for 120 ended "$push" || die "the program does not end"
}
sent() { grep -q sent "$work/push.log"; }
sink() {
	rm -f "$work/go"
	background sink python3 "$work/sink.py" "$work/go"
	sink=$!
	wait_listen 7000 30
}
# arrived SOCKETS BYTES: all streams are there, each as it was sent
arrived() {
	[ "$(wc -l <"$work/sink.log")" = "$1" ] || return 1
	python3 - "$@" "$work/sink.log" <<-'END'
		import hashlib, sys
		nr, size = int(sys.argv[1]), int(sys.argv[2])
		def sent(n): return (hashlib.sha256(b"%d" % n).digest() * (size // 32 + 1))[:size]
		want = sorted("%d %s" % (size, hashlib.sha256(sent(n)).hexdigest()) for n in range(nr))
		sys.exit(sorted(open(sys.argv[3]).read().split("\n")[:-1]) != want)
	END
}
stalled() { # LABEL VALUE: it is so, and nothing has been sent since
	local before
	before=$(value 'BYTES SENT')
	is "$1" "$2" && [ "$before" = "$(value 'BYTES SENT')" ]
}

check_exit 0 "LIST of none" op LIST
check_eq "$(cat "$work/out")" "LFPB025I ACTIVE LFP INSTANCES: 0
LFPB026I END OF ACTIVE LFP INSTANCES LIST" "an empty LIST"
check_exit 69 "INFO of an unknown id" op "INFO 77 SHOWTASKS"
check_eq "$(cat "$work/err")" "VLFB020E Instance 77 is not up." "and reports it"
check_exit 69 "STOP of an unknown id" op "STOP 77"
for words in "" "STOP" "STOP A" "STOP 012" "STOP 01 NOW" "INFO 01 IMMEDIATE" "LIST 01" "RESTART 01" "START DD:SYSLST" \
	"START DD:PRD2.CONFIG" "START DD:PRD2.CONFIG(LFP01)" "START DD:../etc.X(Y.Z)" "START DD:TOOLONGLIB.X(Y.Z)"; do
	check_exit 64 "wrong: '$words'" op "$words"
	check "and says why" tells '^VLFB001E .*[.]$'
done

lfpd_conf LINR02
lfpd_start LINR02
export LFP_VMID=VSER05
statements 01
member=$LFP_ROOT/etc/vselfp/libr/PRD2/CONFIG/LFP01.L
mkdir -p "${member%/*}" "$LFP_ROOT/etc/vselfp/libr/prd2/save"
check_exit 78 "START from a member that is missing" op "START DD:PRD2.CONFIG(LFP01.L) LOGALL"
check "and reports it" tells "VLFB002E Cannot read the statements in $member: No such file"
cp "$start_file" "$member"
check_exit 0 "START from a member of a library" op "START DD:PRD2.CONFIG(LFP01.L) LOGALL" || show
check "says that it is up" tells '^VLFB010I Instance 01 is up.$'
check_exit 1 "START once more" op "START DD:PRD2.CONFIG(LFP01.L)"
check "and reports it" tells "^VLFB011E Instance 01 is already up, in process [0-9]*[.]$"
check_exit 0 "STOP" op "STOP 01"
mv "$member" "$LFP_ROOT/etc/vselfp/libr/prd2/save/lfp01.l"
check_exit 0 "a member whose name is in lower case" op "START DD:PRD2.SAVE(LFP01.L)" || show
check_exit 0 "STOP" op "STOP 01"
check_exit 0 "START from a file" op "START $start_file"

console=$LFP_ROOT/run/vselfp/console
check "LOGALL has sent START's messages to the console log" grep -q 'VLFB010I Instance 01 is up[.]$' "$console"
check_eq "$(grep -c 'VLFB010I Instance 01 is up[.]$' "$console")" 1 "once; START without LOGALL sends none"
check_exit 0 "INFO 01 SHOWTASKS LOGALL" op "INFO 01 SHOWTASKS LOGALL"
check "sends its lines, too" grep -q "LFPB024I END OF INFO ABOUT LFP INSTANCE '01'[.]$" "$console"
check "and its messages" eval '! op INFO 78 LOGALL && grep -q "VLFB020E Instance 78 is not up[.]$" "$console"'
check_exit 0 "INFO" op "INFO 01"
check_eq "$(grep -c "LFPB024I" "$console")" 1 "INFO without LOGALL sends nothing"
check_eq "$(tail -n 2 "$work/out" | head -n 1)" "ACTIVE TASK COUNT ..... : 0" "and ends after ACTIVE TASK COUNT"

lfpd_conf LINR03 PEER_IUCV_APPNAME=TESTW
first=$lfpd
lfpd_start LINR03
second=$lfpd lfpd=$first
statements 02 IucvSrcAppName=TESTW IucvDestAppName=LINR03
check_exit 0 "a second instance, with a path of its own" op START "$start_file" || show
check_exit 0 "LIST" op LIST
check_eq "$(cat "$work/out")" "LFPB025I ACTIVE LFP INSTANCES: 2
         INSTANCE 01 HAS 0 ACTIVE TASKS
         INSTANCE 02 HAS 0 ACTIVE TASKS
LFPB026I END OF ACTIVE LFP INSTANCES LIST" "shows both"
check_eq "$(info 02 'PEER IUCV APPL. NAME') $(info 01 'PEER IUCV APPL. NAME')" "LINR03 LINR02" "INFO: each has its own peer"
check_exit 0 "STOP of the second" op "STOP 02"
stop_pid "$second"

sink
lfp_tasks() { "$bin/ijblfpop" INFO 01 SHOWTASKS >"$work/tasks"; }
task() { grep -A 5 "^-- TASK #$1 --" "$work/tasks" | value_of "$2" | tr -d ,; }
kernel_sockets() { grep -c "^ *[0-9]*: [0-9A-F]*:[0-9A-F]* 0100000A:1B58 01 " /proc/net/tcp; }
push 65 1000
# Sockets that lfpd holds ready for the program are ended when it needs none for some seconds.
check "lfpd has the program's sockets alone" wait_for 30 eval '[ "$(lfpd_sockets)" = 65 ]'
lfp_tasks
check_eq "$(value 'ACTIVE TASK COUNT')" "$(status LINR02 'Number of active z/VSE tasks')" "ACTIVE TASK COUNT is lfpd's"
check_eq "$(value 'ACTIVE TASK COUNT')" 1 "and one program's"
check_eq "$(value 'ACTIVE SOCKET COUNT')" "$(lfpd_sockets)" "ACTIVE SOCKET COUNT is lfpd's"
check_eq "$(task 1 'SOCKET COUNT')" "$(kernel_sockets)" "SOCKET COUNT is that of the kernel's connections"
check_eq "$(task 1 'L2 SOCKET LIST COUNT')" 2 "L2 SOCKET LIST COUNT of 65 sockets"
check "TASK ID (PARTITION ID)" grep -qxF 'TASK ID (PARTITION ID)..... : 22 (BG)' "$work/tasks"
check_eq "$(task 1 'PROCESS ID')" "$push" "PROCESS ID"
check_eq "$(task 1 'PROGRAM')" "$(cat "/proc/$push/comm")" "PROGRAM is the kernel's name of it"
check_eq "$(detail 'CONNECTED SOCKET COUNT')" 65 "CONNECTED SOCKET COUNT"
coproc other { exec "${lfp_prefix[@]}" "$python" -c '
import socket, sys
l = socket.create_server(("127.0.0.1", 0)); u = socket.socket(type=socket.SOCK_DGRAM); u.bind(("127.0.0.1", 0))
print("ready", flush=True); sys.stdin.readline()'; }
two=$other_PID
pids+=("$two")
read -r -t 30 -u "${other[0]}" word
check_eq "${word:-}" ready "a second program"
lfp_tasks
check_eq "$(value 'ACTIVE TASK COUNT') $(status LINR02 'Number of active z/VSE tasks')" "2 2" "two tasks"
check "the second's ids" grep -qxF 'TASK ID (PARTITION ID)..... : 23 (F1)' "$work/tasks"
check_eq "$(task 2 'SOCKET COUNT') $(task 2 'PROCESS ID')" "2 $two" "its sockets, its process"
check_eq "$(detail 'LISTENING SOCKET COUNT') $(detail 'DATAGRAM SOCKET COUNT')" "1 1" "a listener and a datagram socket"
# One line a task on both sides: id, partition, process, program, sockets.
our_tasks() { paste -d ' ' - - - - - - <"$work/tasks.only" | sed -E 's/^.*: (.*) \((.*)\) SOCKET COUNT [.]+ : ([0-9]+) .*PROCESS ID [.]+ : ([0-9]+) PROGRAM [.]+ : (.*)$/\1 \2 \4 \5 \3/'; }
sed -n '/^-- TASK/,/^PROGRAM/p' "$work/tasks" >"$work/tasks.only"
lfpds_tasks() { "$bin/lfpd-admin" -i LINR02 tasks --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
rows = rows["tasks"] if isinstance(rows, dict) else rows
for row in sorted(rows, key=lambda row: row["task"]):
    print(row["task"], row["partition"], row["pid"], row["program"], row["sockets"])'; }
check_eq "$(our_tasks | wc -l)" 2 "INFO SHOWTASKS: each task has its lines"
check_eq "$(our_tasks)" "$(lfpds_tasks)" "lfpd-admin tasks shows the same ids, processes, programs and sockets"
check_exit 0 "LIST" op LIST
check "counts them" says '^         INSTANCE 01 HAS 2 ACTIVE TASKS$'
let_go
touch "$work/go"
wait_for 30 sent
check "all sent data has arrived" wait_for 30 arrived 65 1000
quiet() { [ "$(value 'PACKETS WAITING FOR MSG COMPLETE')" = 0 ] && [ "$(detail 'PACKETS WAITING TO BE SENT')" = 0 ]; }
wait_for 30 quiet
# Counters of both ends of one path, when nothing is on its way: one has received all that the other sent.
same_counts() {
	[ "$(value 'PACKETS SENT')" = "$(status LINR02 'Packets received' | tr -d ,)" ] &&
		[ "$(value 'PACKETS RECEIVED')" = "$(status LINR02 'Packets sent' | tr -d ,)" ] &&
		[ "$(value 'BYTES SENT')" = "$(status LINR02 'Bytes received' | tr -d ,)" ] &&
		[ "$(value 'BYTES RECEIVED')" = "$(status LINR02 'Bytes sent' | tr -d ,)" ]
}
check "packets and bytes, sent and received, are lfpd's received and sent" wait_for 30 same_counts
check "more bytes than the programs sent" test "$(value 'BYTES SENT')" -gt 65000
check_eq "$(value 'MTU IN USE') $(value 'MESSAGE LIMIT IN USE')" \
	"$(status LINR02 'MTU in use') $(status LINR02 'Message limit in use')" "MTU and message limit in use are lfpd's"

background stop "$daemons/ijblfpop" STOP 01
stop=$!
check "STOP with active tasks reports the reason of its wait" \
	wait_for 30 grep -qxF 'VLFB023W Instance 01 has 2 active tasks and 67 sockets. STOP waits until they end; STOP 01 IMMEDIATE does not wait, and INFO 01 SHOWTASKS shows them.' "$work/stop.log" ||
	cat "$work/stop.log"
check "INFO: STATUS" wait_for 30 is STATUS STOPPING
check_exit 69 "no new tasks" into "$work/run.log" on_lfp true
check "and lfp-run says why" grep -q 'VLFB725E LFP instance 01 is being stopped' "$work/run.log"
push_end
check "one has ended: STOP waits on" eval 'wait_for 30 is "ACTIVE TASK COUNT" 1 && ! ended $stop'
echo >&"${other[1]}"
check "all have ended: STOP ends" wait_for 30 ended $stop
wait $stop
check_eq $? 0 "with return code 0"
check_exit 69 "and the instance has, too" op INFO 01
stop_pid "$sink"

up MTU=4096 IucvMsgLimit=9 InitialBufferSpace=64K MaxBufferSpace=1M WindowSize=10000 WindowThreshold=50
for pair in 'WINDOW SIZE=10000' 'WINDOW THRESHOLD (PERCENT)=50' 'MTU=4096' 'IUCV MESSAGE LIMIT=9' 'INITIAL BUFFER SPACE=65536' \
	'MAXIMUM BUFFER SPACE=1048576' 'MTU IN USE=4096' 'MESSAGE LIMIT IN USE=9' 'LOCAL VM ID=VSER05' 'PEER VM ID=LINLFP' \
	'LOCAL IUCV APPL. NAME=TESTV' 'BUFFER SPACE IN USE=0' 'MAXIMUM PACKETS USED=0'; do
	check_eq "$(value "${pair%=*}")" "${pair#*=}" "${pair%=*}"
done
check_eq "$(status LINR02 'Message limit in use') $(status LINR02 'MTU in use')" "9 4096" "and lfpd uses them"
down

lfpd_end() { stop_pid "$lfpd"; }
lfpd_end
# A near end's buffer is twice lfpd's window, and takes one more piece; a window is in the instance: more than these four.
window=1048576 much=5000000
lfpd_conf LINR02 WINDOW_SIZE=$window
lfpd_start LINR02
up IucvMsgLimit=40
sink
touch "$work/go"
push 8 $much
kill -STOP "$lfpd"
let_go
check "PACKETS WAITING FOR MSG COMPLETE rises to the message limit" wait_for 30 stalled 'PACKETS WAITING FOR MSG COMPLETE' 40 ||
	"$bin/ijblfpop" INFO 01 LOGALL
check "the senders wait" eval '! sent'
check_eq "$(value 'BUFFER SPACE IN USE')" $((40 * 8192)) "BUFFER SPACE IN USE is that of 40 packets"
check "WAITS FOR MESSAGE LIMIT" test "$(detail 'WAITS FOR MESSAGE LIMIT')" -ge 1
kill -CONT "$lfpd"
check "lfpd goes on: nothing is lost" wait_for 60 arrived 8 $much
check "nothing waits any more" wait_for 30 is 'PACKETS WAITING FOR MSG COMPLETE' 0
check_eq "$(value 'MAXIMUM PACKETS USED')" 40 "MAXIMUM PACKETS USED has kept the peak, and no more than that"
push_end
check_eq "$(detail 'WAITS FOR BUFFER SPACE')" 0 "nobody has waited for buffer space"
down
stop_pid "$sink"

# buffer space: it grows from the first to the second limit, then senders wait
up InitialBufferSpace=64K MaxBufferSpace=256K
sink
touch "$work/go"
push 8 $much
kill -STOP "$lfpd"
let_go
check "BUFFER SPACE IN USE rises to MaxBufferSpace" wait_for 30 stalled 'BUFFER SPACE IN USE' 262144 || "$bin/ijblfpop" INFO 01 LOGALL
check_le "$(value 'PACKETS WAITING FOR MSG COMPLETE')" 32 "and the packets with it"
check "WAITS FOR BUFFER SPACE" test "$(detail 'WAITS FOR BUFFER SPACE')" -ge 1
check "the senders wait" eval '! sent'
kill -CONT "$lfpd"
check "lfpd goes on: nothing is lost" wait_for 60 arrived 8 $much
check "the space is given back" wait_for 30 is 'BUFFER SPACE IN USE' 0
check_eq "$(value 'BUFFER SPACE PEAK')" 262144 "BUFFER SPACE PEAK"
push_end
down
stop_pid "$sink"

# man/ijblfpop.8, MaxBufferSpace: that, and 2 MiB.
most=$((4096 + 2048))
up
sink
push 6 8000000
before=$(rss_kib "$instance")
let_go
settled() { # the bytes sent, twice the same
	local before
	before=$(value 'BYTES SENT')
	[ "$before" -gt 1000000 ] && [ "$before" = "$(value 'BYTES SENT')" ] && [ "$(value 'PACKETS WAITING FOR MSG COMPLETE')" = 0 ]
}
check "a host that does not read: the senders wait" eval 'wait_for 30 settled && ! sent'
grown() { echo $(($(rss_kib "$instance") - before)); }
[ -n "${O_SAN:-}" ] || check_le "$(grown)" $most "and the instance grows, KiB"
kill -STOP "$lfpd"
touch "$work/go"
wait_for 30 eval '[ "$(value "BUFFER SPACE IN USE")" -gt 0 ]'
kill -CONT "$lfpd"
check "all of it arrives" wait_for 60 arrived 6 8000000
push_end
down
stop_pid "$sink"
up
sink
touch "$work/go"
push 6 1500000
before=$(rss_kib "$instance")
kill -STOP "$lfpd"
let_go
check "an lfpd that does not read: MaxBufferSpace is full" wait_for 30 stalled 'BUFFER SPACE IN USE' 4194304 || "$bin/ijblfpop" INFO 01 LOGALL
[ -n "${O_SAN:-}" ] || check_le "$(grown)" $most "and the instance grows, KiB"
kill -CONT "$lfpd"
check "all of it arrives" wait_for 60 arrived 6 1500000
push_end

lfpd_end
check "DEVICE STATUS without lfpd" wait_for 30 is 'DEVICE STATUS' INACTIVE
lfpd_start LINR02
check "DEVICE STATUS when it is back" wait_for 30 is 'DEVICE STATUS' ACTIVE
check_eq "$(detail 'TIMES CONNECTED')" 2 "TIMES CONNECTED"
check_exit 0 "STOP without tasks" op "STOP 01"
check_eq "$(cat "$work/err")" "VLFB019I Instance 01 has ended." "says so"
check_exit 69 "a digit is an instance, too" op "STOP 1"
check_eq "$(cat "$work/err")" "VLFB020E Instance 01 is not up." "of two digits"

statements 01
for name in ctl op; do
	mkdir -p "$LFP_ROOT/run/vselfp/01/$name/x"
	check_exit 1 "START with a directory in the place of $name" op START "$start_file"
	check "and reports it" tells "^VLFB012E Instance 01 cannot create .*/01/$name: Is a directory[.]$" || show
	rm -r "$LFP_ROOT/run/vselfp/01/$name"
done
mkdir "$work/elsewhere" && chmod 755 "$work/elsewhere" && ln -s "$work/elsewhere" "$LFP_ROOT/run/vselfp/01/private"
check_exit 1 "START with a link in the place of private" op START "$start_file"
check "and reports it" tells "^VLFB012E Instance 01 cannot create .*/01/private: Not a directory[.]$" || show
check_eq "$(stat -c %a "$work/elsewhere")" 755 "its target stays as it is"
rm "$LFP_ROOT/run/vselfp/01/private"
rm -f "$LFP_ROOT/run/vselfp/01/log" && ln -s "$work/elsewhere/log" "$LFP_ROOT/run/vselfp/01/log"
check_exit 0 "START with a link in the place of the log" op START "$start_file"
check "and reports it" tells "^VLFB015W Messages of instance 01 are lost, because .*/01/log cannot be opened: Too many levels of symbolic links[.]$" || show
check_eq "$(ls "$work/elsewhere")" "" "its target is not made"
check_exit 0 "STOP" op "STOP 01"
rm "$LFP_ROOT/run/vselfp/01/log"
if [ -z "${O_SAN:-}" ]; then # a sanitizer's address space is larger
	statements 01 InitialBufferSpace=1024M MaxBufferSpace=1024M
	check_exit 69 "START without memory for InitialBufferSpace" eval '(ulimit -v 600000; op START "$start_file")'
	check_eq "$(cat "$work/err")" "VLFB052E Instance 01 has no memory for its InitialBufferSpace, 1073741824 bytes." "and reports it"
	check_exit 69 "nothing is left of it" op INFO 01
	statements 01
fi
for how in "STOP" "STOP IMMEDIATE" "SIGTERM"; do
	kill -STOP "$lfpd"
	background start "$daemons/ijblfpop" START "$start_file"
	start=$!
	check "$how while it starts: INFO" wait_for 30 is STATUS STARTING
	check_exit 0 "LIST" op LIST
	check "does not show it" says '^LFPB025I ACTIVE LFP INSTANCES: 0$'
	if [ "$how" = SIGTERM ]; then
		kill "$(cat "$LFP_ROOT/run/vselfp/01/pid")"
	else
		check_exit 0 "$how" op "${how/STOP/STOP 01}"
	fi
	wait "$start"
	check_eq "$?" 69 "START's return code"
	check_eq "$(cat "$work/start.log")" "VLFB053E Instance 01 was stopped before it was up." "and says why"
	kill -CONT "$lfpd"
done

# hold: a program with a socket; hold_end: it closes the socket, and ends
hold() {
	rm -f "$work/hold.in"
	mkfifo "$work/hold.in"
	"${lfp_prefix[@]}" "$python" -c 'import socket, sys; s = socket.socket(); print("ready", flush=True); sys.stdin.readline(); s.close()' \
		<"$work/hold.in" >"$work/hold.log" 2>&1 &
	hold=$!
	pids+=("$hold")
	exec {hold_in}>"$work/hold.in"
	wait_for 30 grep -q ready "$work/hold.log" || die "no socket: $(cat "$work/hold.log")"
}
hold_end() {
	echo >&"$hold_in"
	exec {hold_in}>&-
	wait_for 30 ended "$hold" || die "the program does not end"
}
stop_says() { wait_for 30 grep -qxF "$1" "$work/stop.log" || { cat "$work/stop.log"; false; }; }
gone() { ! "$bin/ijblfpop" INFO 01 >/dev/null 2>&1; }
up
hold
background stop "$daemons/ijblfpop" STOP 01
stop=$!
check "STOP waits" stop_says 'VLFB023W Instance 01 has 1 active tasks and 1 sockets. STOP waits until they end; STOP 01 IMMEDIATE does not wait, and INFO 01 SHOWTASKS shows them.'
kill -STOP "$stop"
hold_end
check "its instance ends" wait_for 30 gone
check "another one starts" wait_for 30 op START "$start_file" || show
kill -CONT "$stop"
check "STOP ends, as its instance has" wait_for 30 ended "$stop"
check_exit 0 "and the other one is up" op INFO 01

hold
kill -STOP "$lfpd"
hold_end
check "a socket that only lfpd has not closed" wait_for 30 eval '[ "$(value "ACTIVE TASK COUNT") $(detail "CLOSING SOCKET COUNT")" = "0 1" ]'
background stop "$daemons/ijblfpop" STOP 01
stop=$!
check "STOP says that it waits for it" stop_says 'VLFB026W Instance 01 has 1 sockets that lfpd has not closed yet. STOP waits for lfpd.'
kill -CONT "$lfpd"
check "and ends when lfpd has closed it" wait_for 30 ended "$stop"

up
hold
lfpd_end
check "a task, and lfpd is gone" wait_for 30 is 'ACTIVE TASK COUNT' 0
background stop "$daemons/ijblfpop" STOP 01
stop=$!
check "STOP waits for its process" stop_says 'VLFB023W Instance 01 has 1 active tasks and 0 sockets. STOP waits until they end; STOP 01 IMMEDIATE does not wait, and INFO 01 SHOWTASKS shows them.'
check "INFO: STATUS" is STATUS STOPPING
hold_end
check "and ends with it" wait_for 30 ended "$stop"
check "as the instance does" gone

cat >"$work/ending.py" <<'END'
# ending DIRECTORY: holds a pid file as an instance does; closes the first client's connection, and then
# answers no client
import fcntl, os, socket, sys
os.makedirs(sys.argv[1], exist_ok=True)
os.chdir(sys.argv[1])
pid = open("pid", "w")
fcntl.lockf(pid, fcntl.LOCK_EX)
print(os.getpid(), file=pid, flush=True)
while True:
    lis = socket.socket(socket.AF_UNIX)
    lis.bind("op")
    lis.listen()
    print("ready", flush=True)
    lis.accept()[0].close()
    os.unlink("op")
    lis.close()
    sys.stdin.readline()
END
coproc ending { exec python3 "$work/ending.py" "$LFP_ROOT/run/vselfp/05"; }
pids+=("$ending_PID")
for words in "INFO 05" "STOP 05" "LIST"; do
	read -r -t 30 -u "${ending[0]}" word
	if [ "$words" = LIST ]; then
		check_exit 0 "LIST beside it" op LIST
		check_eq "$(head -n 1 "$work/out")$(cat "$work/err")" "LFPB025I ACTIVE LFP INSTANCES: 0" "and leaves it out"
	else
		check_exit 69 "$words" op "$words"
		check_eq "$(cat "$work/err")" "VLFB020E Instance 05 is not up." "and reports it"
	fi
	echo >&"${ending[1]}"
done
finish
