#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd-admin trace export --ip: tshark finds the streams of the programs in it, and no fault
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs python3 tshark

lfp_up TRACE_FILE="$work/ring" TRACE_SIZE=16M
cat >"$work/program.py" <<'END'
import errno, os, socket, sys, threading
out, work = os.urandom(300000), sys.argv[1]
def whole(c):
    data = b""
    while True:
        part = c.recv(65536)
        if not part:
            return data
        data += part
def pair(family, addr, reset=False):
    s = socket.create_server((addr, 0), family=family)
    c = socket.create_connection((addr, s.getsockname()[1]))
    a = s.accept()[0]
    got = []
    t = threading.Thread(target=lambda: got.append(whole(a)))
    t.start()
    c.sendall(out)
    c.shutdown(socket.SHUT_WR)
    t.join()
    a.sendall(out[:1000])
    a.close()
    whole(c)
    c.close()
    s.close()
# A connection that is older than the trace.
s = socket.create_server(("10.0.0.1", 7000))
old = socket.create_connection(("10.0.0.1", 7000))
oldp = s.accept()[0]
old.sendall(b"before")
oldp.recv(6)
print("begin", flush=True)
sys.stdin.readline()
old.sendall(b"old connection")
oldp.recv(100)
pair(socket.AF_INET, "10.0.0.1")
pair(socket.AF_INET6, "::1")
try:
    socket.create_connection(("10.0.0.1", 7001))
except OSError:
    pass
# A reset
c = socket.create_connection(("10.0.0.1", 7000))
a = s.accept()[0]
c.sendall(b"never read")
a.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
a.close()
try:
    c.recv(1)
except OSError:
    pass
c.close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("10.0.0.1", 7005))
v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
v.bind(("10.0.0.1", 7006))
v.sendto(b"question", ("10.0.0.1", 7005))
data, peer = u.recvfrom(100)
u.sendto(b"a" * 20000, peer)
v.recv(65536)
open(work + "/sent", "wb").write(out)
print("end", flush=True)
sys.stdin.readline()
END
mkfifo "$work/words"
exec 7<>"$work/words"
: >"$work/program.log"
on_lfp timeout 100 python3 "$work/program.py" "$work" <"$work/words" >"$work/program.log" 2>&1 &
program=$!
wait_for 60 grep -qx begin "$work/program.log" || die "the program does not start: $(cat "$work/program.log")"
check "a trace begins" "$bin/lfpd-admin" -i LINR02 trace start payload=65536
echo >&7
wait_for 60 grep -qx end "$work/program.log" || die "the program does not end: $(cat "$work/program.log")"
echo >&7
wait $program
wait_for 60 no_sockets
check "and ends" "$bin/lfpd-admin" -i LINR02 trace stop
check "it is exported as IP" "$bin/lfpd-admin" -i LINR02 --ip -o "$work/ip.pcapng" trace export
check_exit 64 "--ip is for export" into "$work/said" "$bin/lfpd-admin" -i LINR02 --ip trace show

shark() { HOME=$work tshark -r "$work/ip.pcapng" -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE -o ip.check_checksum:TRUE "$@" 2>"$work/tshark.err"; }
check "tshark opens it" eval 'shark -T fields -e frame.number >"$work/numbers" && [ -s "$work/numbers" ]'
check_eq "$(shark -Y 'tcp.analysis.flags || _ws.malformed || tcp.checksum.status == "Bad" || udp.checksum.status == "Bad" || ip.checksum.status == "Bad"')" "" \
	"no fault: retransmission, gap, checksum, malformed packet"
stream_of() { shark -Y "$1 && tcp.len > 0" -T fields -e tcp.stream | sort -n | uniq -c | sort -n | tail -n 1 | awk '{ print $2 }'; }
bytes() { # STREAM NODE: what this node has sent
	shark -q -z "follow,tcp,raw,$1" | python3 -c 'import binascii, sys
lines = sys.stdin.read().split("\n")
node = int(sys.argv[1])
start = next(i for i, l in enumerate(lines) if l.startswith("Node 1")) + 1
for line in lines[start:]:
    if line.startswith("="): break
    if line.startswith("\t") == (node == 1): sys.stdout.buffer.write(binascii.unhexlify(line.strip()))' "$2"
}
for family in ip ipv6; do
	stream=$(stream_of "$family")
	bytes "$stream" 0 >"$work/got"
	check "$family: the stream is what the program has sent" cmp "$work/got" "$work/sent"
	bytes "$stream" 1 >"$work/got"
	check "$family: and the other way" cmp "$work/got" <(head -c 1000 "$work/sent")
done
check "refused: SYN and RST" eval '[ "$(shark -Y "tcp.port == 7001" -T fields -e tcp.flags.str | wc -l)" = 2 ]'
check "reset" eval '[ "$(shark -Y "tcp.flags.reset == 1 && tcp.port == 7000" | wc -l)" -ge 1 ]'
check "a connection from before the trace has its names" eval 'shark -Y "tcp.port == 7000 && tcp.len == 14" -T fields -e ip.src -e ip.dst | grep -q "^10.0.0.1.10.0.0.1$"'
check "a comment names task, pid and program" eval 'shark -Y "frame.comment" -T fields -e frame.comment | grep -Eq "^task [0-9A-F]+, pid [0-9]+, uid $(id -u), program python3"'
check "datagrams" eval '[ "$(shark -Y "udp.dstport == 7005" -T fields -e udp.payload | sort -u)" = "$(printf question | od -An -tx1 | tr -d " \n")" ]'
check "a datagram of several frames is one" eval '[ "$(shark -Y "udp.dstport == 7006" -T fields -e udp.length | sort -u)" = 20008 ]'
finish
