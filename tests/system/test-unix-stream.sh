#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# TRANSPORT = unix by stream sockets: a plain one, and those of a VMM for a guest's AF_VSOCK; either side dials
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
needs python3
[ "$transport" = unix ] || skip "it is about TRANSPORT = unix"

cat >"$work/talk.py" <<'END'
import hashlib, socket, sys, threading
what, port, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
if what == "serve":
	listener = socket.create_server(("127.0.0.1", port))
	def echo(conn):
		while data := conn.recv(100000):
			conn.sendall(data)
		conn.close()
	while True:
		threading.Thread(target=echo, args=(listener.accept()[0],), daemon=True).start()
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
	sock = socket.create_connection(("127.0.0.1", port))
	print("connected", flush=True)
	try:
		print("end of file" if sock.recv(1) == b"" else "data", flush=True)
	except ConnectionResetError:
		print("reset", flush=True)
END
background serve python3 "$work/talk.py" serve 7500
wait_listen 7500 || die "the server does not listen"
mkdir "$work/vmm" "$work/guest"
statements 02 UnixStream="$work/vmm/vain" UnixDial=no
background vain env LFP_VMID=VSER05 "$daemons/ijblfpop" START "$start_file"
vain=$!
# A VMM whose guest stands for twelve seconds. vhost-device-vsock 0.3.0 ends if the connection is gone when the guest answers.
cat >"$work/late.py" <<'END'
import select, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
conn = listener.accept()[0]
assert conn.recv(100) == b"CONNECT 5023\n"
print("gone" if select.select([conn], [], [], 12)[0] else "there", flush=True)
END
background late python3 "$work/late.py" "$work/vmm/late"
late=$!
wait_for 30 test -S "$work/vmm/late" || die "the late VMM: $(cat "$work/late.log")"
statements 03 UnixStream="$work/vmm/late" UnixPort=5023
background patient env LFP_VMID=VSER05 "$daemons/ijblfpop" START "$start_file"
patient=$!
down() {
	"$bin/ijblfpop" STOP 01
	stop_pid "$lfpd"
}
talks() { on_lfp timeout 60 python3 "$work/talk.py" talk 7500 $((${1:-4} << 20)); }

lfp_up UNIX_STREAM="$work/vmm/plain" UnixStream="$work/vmm/plain"
check "a stream socket that lfpd listens at: 4 MB both ways at once" talks
check "- by this socket" test -S "$work/vmm/plain"
check_eq "$(info 01 TRANSPORT)" unix "- of the transport unix"
check "it ends" down
check_exit 1 "- and the socket is gone" test -e "$work/vmm/plain"

# Both daemons start while the other is not there.
conf_dials=(UNIX_STREAM="$work/vmm/plain" UNIX_DIAL=yes)
lfpd_conf LINR02 "${conf_dials[@]}"
statements 01 UnixStream="$work/vmm/plain" UnixDial=no
lfpd_start LINR02
check "lfpd that dials tells that nobody is there" wait_for 30 grep -q 'VLFD106W .*No such file' "$work/lfpd-LINR02.log"
instance_start 01
check "- and goes on when the instance listens" wait_for 30 grep -q VLFD107I "$work/lfpd-LINR02.log"
check "lfpd dials: 4 MB both ways at once" talks
background_on_lfp hold python3 "$work/talk.py" hold 7500
wait_for 30 grep -q connected "$work/hold.log" || die "hold: $(cat "$work/hold.log")"
kill -9 "$lfpd"
wait_for 30 ended "$lfpd"
check "lfpd is killed: the program's connection is reset" wait_for 30 grep -q reset "$work/hold.log"
lfpd_start LINR02
check "the next lfpd dials again" wait_for 30 instance_up 01
check "- and the path carries data" talks 1
check "SIGUSR2: lfpd continues in the same process" kill -USR2 "$lfpd"
check "- with a path" wait_for 30 grep -q 'VLFD123I.*connected' "$work/lfpd-LINR02.log"
check "- that carries data" wait_for 30 talks 1
check "it ends" down

# Through a VMM. "guest" is the side that has AF_VSOCK; here it is UNIX sockets, too.
background vmm python3 "$here/hybrid.py" "$work/vmm/v" "$work/guest" 5023
vmm=$!
wait_for 30 grep -q ready "$work/vmm.log" || die "the VMM: $(cat "$work/vmm.log")"
lfp_up UNIX_STREAM="$work/vmm/v" UNIX_PORT=5023 UnixStream="$work/guest/host_5023"
check "the guest dials: 4 MB both ways at once" talks
check "- to the VMM's socket of this port" test -S "$work/vmm/v_5023"
check "it ends" down

lfpd_conf LINR02 UNIX_STREAM="$work/vmm/v" UNIX_PORT=5023 UNIX_DIAL=yes
statements 01 UnixStream="$work/guest/5023" UnixDial=no
lfpd_start LINR02
check "the host dials, and the guest does not listen: refused" wait_for 30 grep -q 'VLFD106W .*Connection refused' "$work/lfpd-LINR02.log"
instance_start 01
check "it listens: 4 MB both ways at once" talks
background_on_lfp held python3 "$work/talk.py" hold 7500
wait_for 30 grep -q connected "$work/held.log" || die "hold: $(cat "$work/held.log")"
check_eq "$(lfpd_sockets)" 1 "lfpd has its socket"
kill -9 "$instance"
wait_for 30 ended "$instance"
check "the guest is killed: lfpd has no socket left" wait_for 30 no_sockets
instance_start 01
check "the next instance gets the path" talks 1
kill "$vmm"
wait_for 30 ended "$vmm"
check "the VMM ends: the path does" wait_for 30 grep -q 'VLFB031W' "$(instance_log 01)"
background vmm python3 "$here/hybrid.py" "$work/vmm/v" "$work/guest" 5023
check "- and it comes back with the VMM" wait_for 30 instance_up 01
check "it ends" down

# lfpd in the guest, the instance outside: the same the other way round.
lfp_up UNIX_STREAM="$work/guest/5023" UnixStream="$work/vmm/v" UnixPort=5023
check "lfpd in the guest, the instance dials by CONNECT: 4 MB both ways at once" talks
check "it ends" down

lfpd_conf LINR02 UNIX_STREAM="$work/vmm/v" PEER_USER=nobody
statements 01 UnixStream="$work/vmm/v"
check_exit 69 "a socket at which another process listens is not taken from it" into "$work/taken.log" timeout 60 "$daemons/lfpd" -d \
	-f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
check "- lfpd says so" grep -q "VLFD010E .*another process listens at $work/vmm/v" "$work/taken.log"
echo precious >"$work/vmm/file"
lfpd_conf LINR02 UNIX_STREAM="$work/vmm/file"
check_exit 69 "a file that is no socket is not removed" into "$work/taken.log" timeout 60 "$daemons/lfpd" -d \
	-f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
check "- lfpd says so" grep -q "VLFD010E .*$work/vmm/file is not a socket" "$work/taken.log"
check_eq "$(cat "$work/vmm/file")" precious "- and the file is as it was"
lfpd_conf LINR02 UNIX_PORT=5023
check_exit 78 "UNIX_PORT without UNIX_STREAM" into "$work/refused" "$daemons/lfpd" -n \
	-f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
check "- is named" grep -q 'UNIX_PORT.*has no meaning without UNIX_STREAM' "$work/refused"
if [ "$(id -u)" = 0 ]; then
	lfpd_conf LINR02 UNIX_STREAM="$work/vmm/mine" PEER_USER=nobody
	statements 01 UnixStream="$work/vmm/mine"
	lfpd_start LINR02
	check_eq "$(stat -c %a "$work/vmm/mine")" 666 "with PEER_USER anybody may open the socket"
	check_exit 69 "- and another user is refused" into "$work/other.log" env LFP_VMID=VSER05 "$daemons/ijblfpop" START "$start_file"
	check "- lfpd says so" grep -q 'VLFD120W .*PEER_USER' "$work/lfpd-LINR02.log"
	stop_pid "$lfpd"
else
	skip_part "PEER_USER needs root here"
fi
check_exit 69 "an instance that waits for lfpd in vain" wait "$vain"
check "- says so" grep -q 'VLFB030E .*it has not connected for 5 seconds' "$work/vain.log"
check "a guest that stands for 12 seconds: the VMM ends the wait" wait_for 60 ended "$late"
check_eq "$(cat "$work/late.log")" there "- the instance has kept the connection until then"
check_exit 69 "- and its START fails" wait "$patient"
check "- for nothing listens" grep -q 'VLFB030E .*nothing listens at this port of the guest' "$work/patient.log"

finish
