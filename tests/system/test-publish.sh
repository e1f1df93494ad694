#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PUBLISH: what a program binds appears at another port or address of the host
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs python3

cat >"$work/server.py" <<'END'
import select, socket, sys
def tcp(addr, port, family=socket.AF_INET, dual=False):
    try:
        s = socket.create_server((addr, port), family=family, dualstack_ipv6=dual)
    except OSError as e:
        print(port, "errno", e.errno, flush=True)
        return
    print(port, "is", *s.getsockname()[:2], flush=True)
    return s
sockets = [s for s in (tcp("", 80), tcp("10.0.0.1", 81), tcp("", 91), tcp("", 100), tcp("::", 82, socket.AF_INET6, True), tcp("::", 83, socket.AF_INET6)) if s]
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("", 53))
print("udp is", *u.getsockname(), flush=True)
print("ready", flush=True)
while True:
    for s in select.select(sockets + [u], [], [])[0]:
        if s is u:
            data, peer = s.recvfrom(100)
            s.sendto(data.upper(), peer)
        else:
            c, peer = s.accept()
            with c:
                c.sendall(f"{c.getsockname()[0]} {c.getsockname()[1]}".encode())
END
cat >"$work/ask.py" <<'END'
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), 20) as c:
    print(c.recv(100).decode())
END
ask() { timeout 30 python3 "$work/ask.py" "$@" 2>&1 | tail -n 1; }

mappings="127.0.0.1:7080:80 7081:81 7090-7092:90-92/tcp 7053:53/udp 127.0.0.1:7082-7083:82-83"
lfp_up PUBLISH="\"$mappings\""
background_on_lfp server python3 "$work/server.py"
server=$!
wait_for 60 grep -qx ready "$work/server.log" || die "the server does not start: $(cat "$work/server.log")"
said() { sed -n "s/^$1 //p" "$work/server.log"; }
check_eq "$(said 80)" "is 0.0.0.0 80" "getsockname() has the program's own name"
check_eq "$(ask 127.0.0.1 7080)" "127.0.0.1 80" "it is reached at the host's port, and a connection has its own"
check "but not at another address" eval 'ask 10.0.0.1 7080 | grep -q refused'
check "nor at the program's port" eval 'ask 127.0.0.1 80 | grep -q refused'
check_eq "$(said 81) $(ask 10.0.0.1 7081)" "is 10.0.0.1 81 10.0.0.1 81" "without an address that of the program stays"
check_eq "$(said 91) $(ask 127.0.0.1 7091)" "is 0.0.0.0 91 127.0.0.1 91" "a port in a range"
check_eq "$(said 100) $(ask 127.0.0.1 100)" "is 0.0.0.0 100 127.0.0.1 100" "a port that is not published"
check_eq "$(said 82) $(ask 127.0.0.1 7082)" "is :: 82 ::ffff:127.0.0.1 82" "an address of IPv4 for a socket of IPv6"
check_eq "$(said 83)" "errno 99" "but not for one of IPv6 alone"
check_eq "$(python3 -c 'import socket
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.settimeout(20)
u.sendto(b"word", ("127.0.0.1", 7053))
print(*u.recvfrom(100))')" "b'WORD' ('127.0.0.1', 7053)" "datagrams"
check "lfpd-admin shows both names" eval '"$bin/lfpd-admin" -i LINR02 sockets | grep -Eq "listening +127.0.0.1:7080 .* 0.0.0.0:80( +-)* *$"'

# A reload is for sockets that are bound later; a restart keeps the names.
lfpd_conf LINR02 PUBLISH="\"7083:80\"" RESTRICT_TO_HOSTID=yes VSE_HOSTID=10.0.0.1
check "reload" into "$work/out" "$bin/lfpd-ctl" reload LINR02
check_eq "$(ask 127.0.0.1 7080)" "127.0.0.1 80" "a bound socket stays where it is"
if [ "$transport" != local ]; then
	kill -USR2 "$lfpd"
	restarted() { grep -q VLFD004I "$work/lfpd-LINR02.log" && [ "$(grep -c VLFD001I "$work/lfpd-LINR02.log")" = 2 ]; }
	check "lfpd restarts" wait_for 60 restarted
	check_eq "$(ask 127.0.0.1 7080)" "127.0.0.1 80" "and the socket still has both names"
fi
stop_pid $server
one() { # ADDR PORT: the server's view, on LFP
	on_lfp timeout 30 python3 -c 'import socket, sys
try:
    s = socket.create_server((sys.argv[1], int(sys.argv[2])))
    print(*s.getsockname())
except OSError as e: print("errno", e.errno)' "$@"
}
background_on_lfp confined python3 -c 'import socket
s = socket.create_server(("", 80))
print(*s.getsockname(), flush=True)
s.accept()'
confined=$!
check "under RESTRICT_TO_HOSTID the wildcard is VSE_HOSTID" wait_for 30 listens 7083
check_eq "$(cat "$work/confined.log")" "0.0.0.0 80" "and the program has its own name"
stop_pid $confined
lfpd_conf LINR02 PUBLISH="\"127.0.0.1:7084:80 [::1]:7085:81\"" RESTRICT_TO_HOSTID=yes VSE_HOSTID=10.0.0.1
check "reload" into "$work/out" "$bin/lfpd-ctl" reload LINR02
check_eq "$(one 10.0.0.1 80)" "errno 99" "an address of PUBLISH that RESTRICT_TO_HOSTID forbids"
check_eq "$(one 10.0.0.1 81)" "errno 99" "an address of another family"
lfpd_conf LINR02 PUBLISH="\"7084:80 7085:80\""
check_exit 6 "a port that is published twice" into "$work/out" "$bin/lfpd-ctl" reload LINR02
check "is named" grep -q "7085:80 publishes a port once more" "$work/out"

# lfp-run --publish, which allows listening there
background private "$bin/lfp-run" --private --allow 10.0.0.1:1 --publish 127.0.0.1:7086:80 --publish 7087 python3 -c 'import socket
t = socket.create_server(("", 7087))
s = socket.create_server(("", 80))
print("ready", flush=True)
try: socket.create_server(("", 7088))
except OSError as e: print(e.errno, flush=True)
for x in s, t:
    c = x.accept()[0]
    c.sendall(f"{c.getsockname()[1]}".encode())'
check "lfp-run --publish" wait_for 60 grep -q ready "$work/private.log"
check_eq "$(ask 127.0.0.1 7086) $(ask 10.0.0.1 7087)" "80 7087" "is reached at the host's ports"
check "other ports are not allowed" grep -qx 111 "$work/private.log"
check_exit 64 "a wrong text" into "$work/out" "$bin/lfp-run" --private --publish 80:x true
finish
