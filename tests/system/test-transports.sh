#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The transport makes no difference: the same frames over each, and the known differences
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
needs python3

cat >"$work/talk.py" <<'END'
import hashlib, socket, sys
what, port = sys.argv[1], int(sys.argv[2])
if what == "serve":
	listener = socket.create_server(("127.0.0.1", port))
	while True:
		conn, _ = listener.accept()
		while data := conn.recv(100000):
			conn.sendall(data)
		conn.close()
if what == "small":  # one thing at a time, so that the frames have one order
	sock = socket.socket()
	sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
	sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
	sock.bind(("127.0.0.1", port + 1))
	sock.connect(("127.0.0.1", port))
	for size in (1, 100, 1000, 5000):
		sock.sendall(bytes(size))
		while size:
			size -= len(sock.recv(size, socket.MSG_WAITALL))
	sock.getsockname(), sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
	sock.shutdown(socket.SHUT_WR)
	assert sock.recv(1) == b""
	sock.close()
if what == "large":
	import threading
	sock, got = socket.create_connection(("127.0.0.1", port)), hashlib.sha256()
	data = bytes(i * i % 251 for i in range(1 << 18)) * 20
	def read():
		while piece := sock.recv(1 << 18):
			got.update(piece)
	reader = threading.Thread(target=read)
	reader.start()
	sock.sendall(data)
	sock.shutdown(socket.SHUT_WR)
	reader.join()
	assert got.digest() == hashlib.sha256(data).digest()
END
background serve python3 "$work/talk.py" serve 7500
wait_listen 7500 || die "the server does not listen"

# frames FILE: frames of one direction, then of the other, because their relative order varies: without times,
# numbers of packets and packets that only acknowledge. Tasks have process ids and end when the kernel says so.
frames() {
	local way
	for way in 'z/VSE>lfpd' 'lfpd>z/VSE'; do
		grep -F " $way " "$1" | grep -v -e ' no frame' -e ' TASK_END ' |
			sed -E 's/^[-0-9:.TZ ]+//; s/ #[0-9]+//; s/ pid=[0-9]+//; s/ id=[0-9]+ partition="[^"]*"//'
	done
}

down() {
	[ "$transport" = local ] || "$bin/ijblfpop" STOP 01 || return 1
	stop_pid "$lfpd"
}

# INFO and lfpd-admin agree on the path to the packet: each side has received all that the other sent, and all data was
# credited. The questions themselves do not travel on the path.
flow_agrees() {
	"$bin/ijblfpop" INFO 01 LOGALL >"$work/flow.vse" && "$bin/lfpd-admin" -i LINR02 --interval 0 statistics >"$work/flow.lfpd" || return 1
	python3 - "$transport" "$work/flow.vse" "$work/flow.lfpd" <<-'END'
		import re, sys
		transport, vse, lfpd = sys.argv[1], open(sys.argv[2]).read(), open(sys.argv[3]).read()
		vse = {k: v.replace(",", "") for k, v in re.findall(r"^(.*?) \.* ?: (.*)$", vse, re.M)}
		lfpd = {line.split()[0]: line.split()[1] for line in lfpd.splitlines()[1:]}
		for ours, theirs in (
		    ("PACKETS SENT", "packets_in"), ("PACKETS RECEIVED", "packets_out"), ("BYTES SENT", "path_bytes_in"),
		    ("PACKETS WITH DATA SENT", "data_packets_in"), ("PACKETS WITH DATA RECEIVED", "data_packets_out"),
		    ("CREDITS SENT", "credits_in"), ("CREDITS RECEIVED", "credits_out"),
		    ("WINDOWS SENT", "windows_in"), ("WINDOWS RECEIVED", "windows_out"),
		):
		    if vse[ours] != lfpd[theirs]:
		        sys.exit(f"{ours} {vse[ours]}, {theirs} {lfpd[theirs]}")
		number = lambda name: int(vse[name])
		most = 262144 if transport == "local" else 65536  # bytes of a packet: those by reference are not in it
		assert vse["TRANSPORT"] == transport, vse["TRANSPORT"]
		assert number("CREDITS RECEIVED") == number("PACKETS WITH DATA SENT") >= 5000000 // most, vse
		assert number("CREDITS SENT") == number("PACKETS WITH DATA RECEIVED") >= 5000000 // most, vse
		assert number("WINDOWS SENT") >= 5000000 // 262144 and number("WINDOWS RECEIVED") >= 5000000 // 262144, vse
		assert 0 < number("TRANSPORT CALLS TO SEND") <= number("PACKETS SENT"), vse
		assert number("WAKE-UPS RECEIVED") > 0 and (transport == "unix") == (number("WAKE-UPS SENT") == 0), vse
		assert transport == "shm" or number("POLLS THAT FOUND A PACKET") == 0, vse
	END
}

for transport in unix shm local hipersockets; do
	mtu=65536
	[ $transport != hipersockets ] || mtu=57226 # room in its largest frames
	lfp_up MTU_SIZE=$mtu MTU=$mtu HS_MTU=57344 HsMTU=57344 WINDOW_SIZE=262144 WindowSize=262144
	"$bin/lfpd-admin" -i LINR02 trace start >/dev/null || die "no trace can be started"
	check "$transport: a program talks" on_lfp timeout 100 python3 "$work/talk.py" small 7500
	wait_for 30 no_sockets
	"$bin/lfpd-admin" -i LINR02 trace stop >/dev/null || die "the trace does not end"
	"$bin/lfpd-admin" -i LINR02 trace show >"$work/trace.$transport" || die "the trace cannot be shown"
	frames "$work/trace.$transport" >"$work/frames.$transport"
	check "$transport: its frames were traced" [ "$(wc -l <"$work/frames.$transport")" -gt 20 ]
	check "$transport: and they are those over unix" diff "$work/frames.unix" "$work/frames.$transport"
	check "$transport: 5 MB both ways at once arrive as they were" on_lfp timeout 60 python3 "$work/talk.py" large 7500
	check "$transport: INFO and LIST know the instance" instance_up 01
	check_eq "$("$bin/ijblfpop" LIST | grep -c 01)" 1 "$transport: LIST has it"
	check "$transport: INFO and lfpd-admin agree on packets, credits, windows, calls and wake-ups" wait_for 30 flow_agrees
	check "$transport: it ends" down
done

transport=local
lfp_up
check_eq "$(cat "$LFP_ROOT/run/vselfp/01/pid")" "$lfpd" "local: the instance is in lfpd's process"
check_exit 78 "local: START is not how it starts" into "$work/start.log" "$bin/ijblfpop" START 01
check "- and names the lfpd to start" grep -q 'VLFB048E .*Start lfpd LINR02' "$work/start.log"
check "local: STOP ends it" "$bin/ijblfpop" STOP 01
check_exit 69 "- so that it is not up" into "$work/info.log" "$bin/ijblfpop" INFO 01
check "- and lfpd runs on" lfpd_answers LINR02
stop_pid "$lfpd"
statements 01 Transport=unix
check_exit 78 "local: statements for another transport" into "$work/other.log" env LFP_VMID=LINLFP \
	"$daemons/lfpd" -d -f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
check "- lfpd names the required statements" grep -q 'VLFB049E .*Transport = local' "$work/other.log"
lfpd_conf LINR02 LOCAL_INSTANCE=
check_exit 78 "local: without an instance" into "$work/none.log" "$daemons/lfpd" -n \
	-f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
check "- the key is named" grep -q 'LOCAL_INSTANCE.*mandatory' "$work/none.log"

transport=unix
lfpd_conf LINR02
statements 01 Transport=shm
lfpd_start LINR02
check_exit 69 "an instance with shm, lfpd with unix" into "$work/mixed.log" env LFP_VMID=VSER05 \
	"$daemons/ijblfpop" START "$start_file"
check "- the instance reports it" grep -q 'VLFB047E .*it does not use the transport shm' "$work/mixed.log"
stop_pid "$lfpd"
lfpd_conf LINR02 TRANSPORT=shm
statements 01
lfpd_start LINR02
check_exit 69 "an instance with unix, lfpd with shm" into "$work/mixed.log" env LFP_VMID=VSER05 \
	"$daemons/ijblfpop" START "$start_file"
check "- lfpd reports it" wait_for 30 grep -q 'VLFD128W .*does not use TRANSPORT = shm' "$work/lfpd-LINR02.log"
stop_pid "$lfpd"

finish
