#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A trace of a transfer: as text, and as a capture that tshark decodes without a malformed frame
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

admin=("$bin/lfpd-admin" -i LINR02)
lfpd_conf LINR02 TRACE_FILE="$work/ring" TRACE_SIZE=1M
statements 01
lfpd_start LINR02
check_exit 3 "no trace is running" "${admin[@]}" -q trace status
check_exit 0 "a trace begins" "${admin[@]}" trace start payload=16
check_exit 0 "it is running" "${admin[@]}" -q trace status
check_exit 69 "another one does not" into "$work/second" "${admin[@]}" trace start
check "and says why" grep -q "VLFD904E Instance LINR02 of lfpd refuses this: a trace is already running: end it by trace stop first" "$work/second"
"${admin[@]}" -s >"$work/status"
check "the status shows it" grep -qx "A trace is running: $work/ring" "$work/status"
check_eq "$(grep -c "No trace is running" "$work/status")" 0 "and not the opposite"
instance_start 01

# Traffic of every kind: TCP both ways, UDP, names, errors
cat >"$work/program.py" <<-'END'
	import socket, threading
	listener = socket.create_server(("127.0.0.1", 7001))
	def serve():
	    conn, _ = listener.accept()
	    total = 0
	    while data := conn.recv(65536):
	        total += len(data)
	    conn.sendall(str(total).encode())
	    conn.close()
	thread = threading.Thread(target=serve)
	thread.start()
	c = socket.create_connection(("127.0.0.1", 7001))
	c.sendall(b"begin" + bytes(200000))
	c.send(b"!", socket.MSG_OOB)
	c.shutdown(socket.SHUT_WR)
	assert c.recv(100).startswith(b"20000")
	thread.join()
	u = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
	u.bind(("::1", 0))
	u.sendto(bytes(20000), u.getsockname())
	assert len(u.recv(30000)) == 20000
	try:
	    socket.create_connection(("127.0.0.1", 1))
	except ConnectionRefusedError:
	    pass
	socket.getaddrinfo("127.0.0.1", 80)
	try:
	    socket.gethostbyaddr("127.0.0.1")
	except socket.herror as error:  # a host without /etc/hosts
	    assert error.errno, error
	c.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
	print("done")
END
check_eq "$(on_lfp timeout 100 python3 "$work/program.py" 2>&1)" "done" "a transfer"
check_exit 0 "the trace ends" into "$work/said" "${admin[@]}" trace stop
check "with the number of its frames" grep -Eq "^VLFD921I The trace of instance LINR02 has ended: [0-9]{2,} frames, 0 lost, in $work/ring\." "$work/said"
check_exit 0 "there is nothing more to end" into "$work/said" "${admin[@]}" trace stop
check "it says that" grep -q "^VLFD918I No trace of instance LINR02 is running" "$work/said"
check_exit 3 "it runs no more" "${admin[@]}" -q trace status
check_le "$(stat -c %s "$work/ring")" 1048576 "the file is within TRACE_SIZE"
check_eq "$(stat -c %a "$work/ring")" 600 "and private"

"${admin[@]}" trace show >"$work/text" 2>"$work/said"
check_eq "$(cat "$work/said")" "" "nothing was lost or overwritten"
check "HELLO" grep -Eq '^[0-9T:.-]+Z z/VSE>lfpd #1 HELLO request=1 version=1 .* appname="TESTV   "' "$work/text"
check "CONNECT with its address" grep -Eq 'z/VSE>lfpd #[0-9]+ CONNECT request=[0-9]+ (task-number=[0-9]+ )?socket=0x[0-9a-f]+ peer=127\.0\.0\.1:7001 ' "$work/text"
check "DATA, cut" grep -Eq 'DATA (MORE )?(joined )?socket=0x[0-9a-f]+ position=0 \([0-9]+ bytes, cut\)' "$work/text"
check "with as much payload as was asked for" grep -q '    0000  62 65 67 69 6e 00 00 00 00 00 00 00 00 00 00 00  begin\.' "$work/text"
check_eq "$(awk '/^[0-9]+-/ { data = / DATA | DATAGRAM / } data && /^    0010/' "$work/text")" "" "and no more"
check "an error" grep -Eq 'CONNECTED status=111|CONNECT_REPLY status=111' "$work/text"
count=$(grep -Ec 'z/VSE #|lfpd #' "$work/text")
check_eq "$("${admin[@]}" statistics --interval 0 | awk '$1 == "trace_records" { print $2 }')" "$((count + $(grep -c 'lfpd notes #' "$work/text")))" "as many records as were made, with lfpd's notes"

check_exit 0 "export" "${admin[@]}" -o "$work/x.pcapng" trace export
check_exit 0 "export of a file, without an instance" into "$work/y.pcapng" "$bin/lfpd-admin" trace export "$work/ring"
check "both are the same" cmp "$work/x.pcapng" "$work/y.pcapng"
check_exit 1 "no trace: export" into "$work/bad" "$bin/lfpd-admin" trace export "$work/text"
check "is told" grep -q "VLFD912E .*it is not a trace of lfpd" "$work/bad"
if command -v tshark >/dev/null; then
	decode() {
		HOME=$work tshark -X "lua_script:$top/wireshark/lfp.lua" -r "$1" -T fields -E separator=' ' \
			-e _ws.col.Protocol -e lfp.message -e _ws.expert.severity -e _ws.lua.text -e _ws.malformed 2>"$work/tshark.log"
	}
	decode "$work/x.pcapng" >"$work/decoded"
	check_eq "$(wc -l <"$work/decoded")" "$count" "tshark has all records"
	check_eq "$(grep -vc '^LFP' "$work/decoded")" 0 "all are of LFP"
	# 8388608 is an error, 6291456 a warning; uncaptured bytes are a remark.
	check_eq "$(grep -Ec '8388608|6291456|alformed|rror' "$work/decoded")" 0 "no frame is malformed"
	check_eq "$(awk 'NF > 1 && $2 ~ /^[A-Z]/ { print $2 }' "$work/decoded" | sort | uniq -c | tr -s ' \n' ' ')" \
		"$(sed -n 's/^[0-9T:.-]*Z [^ ]* #[0-9]* \([A-Z_]\{3,\}\).*/\1/p' "$work/text" | sort | uniq -c | tr -s ' \n' ' ')" "the messages are those of the text"
	HOME=$work tshark -X "lua_script:$top/wireshark/lfp.lua" -r "$work/x.pcapng" -Y 'lfp.addr.port == 7001 && lfp.message == "CONNECT"' >"$work/one" 2>/dev/null
	check_eq "$(wc -l <"$work/one")" 1 "a display filter finds the CONNECT"
	check "with its direction" grep -q 'z/VSE.*lfpd.*LFP' "$work/one"
	# Every message, from the fuzzing corpus.
	python3 - "$top/fuzz/corpus/frame" "$work/all.pcapng" <<-'END'
		import os, struct, sys
		def block(kind, body):
		    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))
		out = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(1, struct.pack("<HHI", 147, 0, 0))
		for name in sorted(os.listdir(sys.argv[1])):
		    data = open(os.path.join(sys.argv[1], name), "rb").read()[1:]
		    out += block(6, struct.pack("<IIIII", 0, 0, 0, len(data), len(data)) + data + bytes(-len(data) % 4))
		open(sys.argv[2], "wb").write(out)
	END
	decode "$work/all.pcapng" >"$work/decoded"
	check_eq "$(grep -Ec '8388608|6291456|alformed|rror' "$work/decoded")" 0 "no message of the corpus is malformed"
	check_eq "$(tr ' ,' '\n\n' <"$work/decoded" | grep -E '^[A-Z_]{3,}$' | grep -vx LFP | sort -u | wc -l)" "$(grep -c 'name = .*body = ' "$top/wireshark/lfp.lua")" "and all messages are there"
	# A dissector without any checks would pass, too.
	python3 - "$work/x.pcapng" "$work/broken.pcapng" <<-'END'
		import sys
		data = bytearray(open(sys.argv[1], "rb").read())
		at = data.index(bytes.fromhex("4c460100"), 0)
		data[at + 16 + 4] = 0x7f  # an unknown message
		open(sys.argv[2], "wb").write(data)
	END
	check_eq "$(HOME=$work tshark -X "lua_script:$top/wireshark/lfp.lua" -r "$work/broken.pcapng" -Y lfp.malformed 2>/dev/null | wc -l)" 1 "what is wrong is said to be"
else
	skip_part "tshark is not installed"
fi

check_exit 0 "a trace of one kind" "${admin[@]}" trace start kind=SOCKET,empty
check_eq "$(on_lfp timeout 100 python3 "$work/program.py" 2>&1)" "done" "a transfer"
# Data without an answer: lfpd acknowledges it in packets without frames.
background_on_lfp one-way python3 -c '
import socket, time
listener = socket.create_server(("127.0.0.1", 7002))
c = socket.create_connection(("127.0.0.1", 7002))
while True:
    c.send(b"x")
    time.sleep(0.05)
' >"$work/one-way.log" 2>&1
one_way=$!
has_empty() { "${admin[@]}" trace show | grep -q " no frame"; }
check "a packet without a frame" wait_for 30 has_empty
stop_pid "$one_way"
check_exit 0 "ends" "${admin[@]}" trace stop
check_eq "$("${admin[@]}" trace show | sed 's/.* #[0-9]* \([A-Za-z_]*\) .*/\1/' | sort -u | tr '\n' ' ')" "SOCKET SOCKET_REPLY no " "has only these"
check_exit 0 "a trace of a task that is not there" into "$work/said" "${admin[@]}" trace start kind=TASK_BEGIN task=FFF0
check "begins with a warning" grep -q "^VLFD920W Instance LINR02 has no task FFF0 now" "$work/said"
check_exit 0 "ends" "${admin[@]}" trace stop
check_exit 0 "a trace of new tasks" into "$work/said" "${admin[@]}" trace start kind=TASK_BEGIN
background_on_lfp waits python3 -c 'import socket, time; s = socket.create_server(("127.0.0.1", 7003)); time.sleep(600)'
waits=$!
new_task() { "${admin[@]}" --filter python tasks | awk 'NR == 2 { print $1 }' | grep .; }
check "a task" wait_for 30 new_task
check_exit 0 "ends" "${admin[@]}" trace stop
check "is shown by the id that tasks has" grep -q " TASK_BEGIN .* task-number=[0-9]* .* id=$(new_task) " <("${admin[@]}" trace show)
id=$(new_task)
check_exit 0 "a trace of this task" into "$work/said" "${admin[@]}" trace start task="$id"
check_eq "$(cat "$work/said")" "VLFD917I A trace of instance LINR02 is running." "begins without a warning"
check_exit 0 "ends" "${admin[@]}" trace stop
# Of programs that begin later; another one beside them
check_exit 64 "a program without a name" into "$work/said" "${admin[@]}" trace start program=
for what in program=python3 program=other "pid=$waits"; do
	check_exit 0 "a trace with $what" into "$work/said" "${admin[@]}" trace start "$what" kind=TASK_BEGIN,SOCKET,LISTEN
	check_eq "$(on_lfp timeout 100 python3 -c 'import socket; socket.create_server(("127.0.0.1", 7004)); print("done")')" "done" "a program"
	check_exit 0 "ends" "${admin[@]}" trace stop
	"${admin[@]}" trace show >"$work/text"
	if [ "$what" = program=python3 ]; then
		check_eq "$(grep -o ' \(TASK_BEGIN\|SOCKET\|LISTEN\) ' "$work/text" | paste -sd ' ' | tr -s ' ')" " TASK_BEGIN SOCKET LISTEN " "has the program from its beginning"
	else
		check_eq "$(cat "$work/text")" "" "has nothing of others"
	fi
done
stop_pid "$waits"
check_exit 0 "a trace with all payload" "${admin[@]}" trace start kind=payload payload=65536
for _ in 1 2 3 4 5 6; do
	background_on_lfp program timeout 100 python3 "$work/program.py"
	until ended $!; do "${admin[@]}" trace show >"$work/text" 2>"$work/said" || fail "reading while it is written: $(cat "$work/said")"; done
done
check "reading while it is written" test -s "$work/text"
check_exit 0 "ends, too" "${admin[@]}" trace stop
check_le "$(stat -c %s "$work/ring")" 1048576 "the file is within TRACE_SIZE"
"${admin[@]}" trace show >"$work/text" 2>"$work/said"
check "overwritten frames are reported" grep -Eq 'VLFD911I .* [1-9][0-9]* frames were overwritten by later ones, and 0 were lost' "$work/said"
check "the newest is there" grep -q "DATAGRAM" "$work/text"

stop_pid "$lfpd"
lfpd_conf LINR02 TRACE_FILE=/proc/nowhere/trace
lfpd_start LINR02
check_exit 1 "a trace without a file" into "$work/bad" "${admin[@]}" trace start
check "says why" grep -q "VLFD907E Cannot start a trace of instance LINR02: No such file or directory" "$work/bad"
check "in the log, too" grep -q "VLFD141E The trace of instance LINR02 has ended, because /proc/nowhere/trace cannot be written: No such file" "$work/lfpd-LINR02.log"
finish
