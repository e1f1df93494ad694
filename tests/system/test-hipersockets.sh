#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HiperSockets from the configuration: sizes of frames, ids, faults of the machine; and NETSTAT's output
# Time limit: 300 s
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
needs python3
[ "${LFP_TRANSPORT:-unix}" = unix ] || [ "$LFP_TRANSPORT" = hipersockets ] || skip "it is about TRANSPORT = hipersockets"
transport=hipersockets

cat >"$work/talk.py" <<'EOF'
import hashlib, socket, sys, threading
what, port, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
if what == "serve":
	listener = socket.create_server(("127.0.0.1", port))
	while True:
		conn, _ = listener.accept()
		while data := conn.recv(100000):
			conn.sendall(data)
		conn.close()
if what == "talk":
	sock, got = socket.create_connection(("127.0.0.1", port)), hashlib.sha256()
	data = bytes(i * i % 251 for i in range(1 << 16)) * (size >> 16)
	def read():
		while piece := sock.recv(1 << 18):
			got.update(piece)
	reader = threading.Thread(target=read)
	reader.start()
	sock.sendall(data)
	sock.shutdown(socket.SHUT_WR)
	reader.join()
	assert got.digest() == hashlib.sha256(data).digest()
if what == "hold":
	listener = socket.create_server(("0.0.0.0", port + 1))
	six = socket.create_server(("::1", port + 2), family=socket.AF_INET6)
	sock = socket.create_connection(("127.0.0.1", port))
	print(sock.getsockname()[1], flush=True)
	threading.Event().wait()
EOF
background serve python3 "$work/talk.py" serve 7500
wait_listen 7500 || die "the server does not listen"
down() {
	"$bin/ijblfpop" STOP 01 IMMEDIATE
	stop_pid "$lfpd"
}
# shellcheck disable=SC2317
talks() { on_lfp timeout 60 python3 "$work/talk.py" talk 7500 $((${1:-4} << 20)); }

for size in 8192:8074 32768:32650 57344:57226; do
	lfp_up HS_MTU="${size%:*}" HsMTU="${size%:*}" MTU_SIZE="${size#*:}" MTU="${size#*:}"
	check "a device MTU of ${size%:*}: 4 MB both ways at once" talks
	check_eq "$(info 01 'MTU IN USE')" "${size#*:}" "- in packets that fill its frames"
	down
done
lfpd_conf LINR02 HS_MTU=8192
check_exit 78 "an MTU_SIZE that its frames have no room for is refused" into "$work/refused" "$daemons/lfpd" -n \
	-f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
check "- with both numbers" grep -q 'MTU_SIZE.*8192 is more than 8074, the most with HS_MTU 8192' "$work/refused"
statements 01 HsMTU=8192
check_exit 78 "and on the z/VSE side" into "$work/refused" "$daemons/ijblfpop" START "$start_file"
check "- with both numbers" grep -q 'MTU.*8192 is more than 8074, the most with HsMTU 8192' "$work/refused"

lfpd_conf LINR02 HS_MTU=32768
statements 01
lfpd_start LINR02
check_exit 69 "devices of two MTUs do not go together" into "$work/refused" "$daemons/ijblfpop" START "$start_file"
check "- START says both" grep -q 'VLFB030E .*an MTU of 32768, ours of 16384: HS_MTU and HsMTU' "$work/refused"
stop_pid "$lfpd"
lfp_up
stop_pid "$lfpd"
lfpd_conf LINR02 HS_MTU=32768
lfpd_start LINR02
check "lfpd comes back with a device of another MTU: it takes no path" \
	wait_for 30 grep -q 'VLFD128W .*the frames of its device have another size' "$work/lfpd-LINR02.log"
check_eq "$(info 01 'DEVICE STATUS')" INACTIVE "- and no device is active"
stop_pid "$lfpd"
lfpd_conf LINR02
lfpd_start LINR02
check "it comes back with the MTU that both have: there is one again" wait_for 30 instance_up 01
check "- which carries data" talks 1
down

lfp_up IUCV_HSUID=LINHS PEER_IUCV_VMID=VSEHS IucvHsuid=VSEHS IucvDestVMId=LINHS
check "ids of the devices are those of the sides" talks 1
check_eq "$("$bin/ijblfpop" INFO 01 | value_of 'LOCAL VM ID')" VSEHS "- and shown so"
down
lfpd_conf LINR02 IUCV_HSUID=LINHS PEER_IUCV_VMID=VSEHS
statements 01 IucvHsuid=VSEHX IucvDestVMId=LINHS
lfpd_start LINR02
check_exit 69 "another id than PEER_IUCV_VMID is refused" into "$work/refused" "$daemons/ijblfpop" START "$start_file"
check "- lfpd names both" wait_for 30 grep -q 'VSEHX.*PEER_IUCV_VMID.*VSEHS' "$work/lfpd-LINR02.log"
statements 01 IucvHsuid=VSEHS IucvDestVMId=LINHX
check_exit 69 "and so is SYN for another device" into "$work/refused" "$daemons/ijblfpop" START "$start_file"
check "- lfpd says it" wait_for 30 grep -q 'asks for another hsuid' "$work/lfpd-LINR02.log"
statements 01 IucvHsuid=LINHS IucvDestVMId=LINHS
check_exit 69 "and so are two devices with one id" into "$work/refused" "$daemons/ijblfpop" START "$start_file"
check "- START names it" grep -q 'cannot have the hsuid LINHS, because lfpd' "$work/refused"
stop_pid "$lfpd"

lfp_up HS_FAULTS=all HsFaults=all
check "the machine does all kinds of things wrong: nothing is lost" talks 8
down
lfp_up HS_CQ=no HS_CQ_TEST=yes HsCQ=no HsCQTest=yes HS_FAULTS=hold HsFaults=hold IUCV_MSGLIMIT=64 IucvMsgLimit=64
check "without completion queue, but with fewer messages than buffers" talks 2
check "- lfpd warns" grep -q 'VLFD047W Instance LINR02 has HS_CQ = no' "$work/lfpd-LINR02.log"
check "- lfpd-ctl check says that it is required" grep -q '^missing  completion queue   required, off: set HS_CQ = yes$' <("$bin/lfpd-ctl" check LINR02)
check "- NETSTAT shows no completion queue" grep -qx '    Completion Queue  *= No' <("$bin/ijblfpop" NETSTAT 01 -d)
check "- lfpd-ctl restart restarts it all the same" into "$work/said" "$bin/lfpd-ctl" restart LINR02
down

statements 09 HsCQ=no
check_exit 78 "without the key for tests START refuses it" into "$work/refused" "$daemons/ijblfpop" START "$start_file"
check "- and says why" grep -q 'HsCQ: LFP requires the completion queue; no is for tests, with HsCQTest = yes' "$work/refused" || cat "$work/refused"
statements 09 HsCQ=no HsCQTest=yes
check_exit 69 "with it START tries" into "$work/refused" "$daemons/ijblfpop" START "$start_file"
check "- and warns" grep -q 'VLFB063W Instance 09 has HsCQ = no: LFP requires the completion queue' "$work/refused" || cat "$work/refused"
lfp_up
check "lfpd-ctl check finds the completion queue" grep -q '^ok       completion queue   the emulated device has one$' <("$bin/lfpd-ctl" check LINR02)
netstat() { "$bin/ijblfpop" NETSTAT 01 "$@"; }
check "NETSTAT -d" into "$work/device" netstat -d -K LFP01
check "- is laid out as z/OS does it" grep -qx '  LnkName: LFP01             LnkType: AF_IUCV    LnkStatus: Ready' "$work/device"
check "- has the MTU of the device" grep -qx '    ActMtu: 16384' "$work/device"
check_exit 1 "another link is refused" into "$work/none" netstat -d -K HSOCKE1
check "- and the right one named" grep -q 'VLFB054E .*LFP01' "$work/none"
background_on_lfp hold python3 "$work/talk.py" hold 7500
hold=$!
check "a program has sockets" wait_for 30 [ -s "$work/hold.log" ]
check "NETSTAT -a" into "$work/all" netstat -a
job=$(awk '{ print $1; exit }' "$work/all") # the program's name, which may have a version
check "NETSTAT -a of one job" into "$work/sockets" netstat -a -E "${job,,}"
check_eq "$(sed -E '/Socket/!s/^[^ ]+ +[0-9A-F]{8} /JOB ID /' "$work/sockets" | paste -sd '|' | sed 's/|JOB/\nJOB/g' | sort)" \
	"JOB ID Establsh|  Local Socket: ::ffff:127.0.0.1..$(cat "$work/hold.log")|  Foreign Socket: ::ffff:127.0.0.1..7500
JOB ID Listen|  Local Socket: ::..7501|  Foreign Socket: ::..0
JOB ID Listen|  Local Socket: ::1..7502|  Foreign Socket: ::..0" "- has its sockets with their addresses"
check_eq "$(netstat -a -E other)" "" "another job has none"
check_exit 64 "a filter of the other kind is refused" into "$work/none" netstat -a -K LFP01
stop_pid $hold
down
finish
