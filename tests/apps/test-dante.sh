#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Datagrams through Dante, a server of SOCKS5 (UDP ASSOCIATE): dig and an NTP client, IPv4 and IPv6, preload and seccomp
# Time limit: 120 s
. "$(dirname "$0")/../system/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
needs danted dig dnsmasq python3

# Names and times are at addresses that the programs reach through the proxy alone: it is on another host, behind 10.0.0.1.
for addr in 203.0.113.53/32 2001:db8::53/128; do ip addr add $addr dev lo nodad 2>/dev/null || ip addr add $addr dev lo || skip "no addresses"; done
echo "127.0.0.1 localhost" >"$work/hosts"
hosts_file
background names dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file --user="$(id -un)" --group="$(id -gn)" \
	--log-facility=- --listen-address=203.0.113.53 --listen-address=2001:db8::53 --bind-interfaces --host-record=www.example.org,203.0.113.5
cat >"$work/time.py" <<'END'
import select, socket, sys
servers = []
for family, addr in (socket.AF_INET, "203.0.113.53"), (socket.AF_INET6, "2001:db8::53"):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.bind((addr, 123))
    servers.append(s)
print("listening", flush=True)
while True:
    for s in select.select(servers, [], [])[0]:
        data, peer = s.recvfrom(1000)
        s.sendto(b"\x24" + data[1:24] + data[40:48] + bytes(16), peer)
        print("asked from", peer[0], flush=True)
END
cat >"$work/ntp.py" <<'END'
import socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
with socket.socket(family, socket.SOCK_DGRAM) as s:
    s.settimeout(20)
    s.connect((sys.argv[1], 123))
    s.send(b"\x23" + bytes(39) + b"my stamp")
    answer = s.recv(1000)
    print(len(answer), answer[24:32].decode(), s.getpeername()[0])
END
background time python3 "$work/time.py"
cat >"$work/danted.conf" <<END
logoutput: $work/danted.out
internal: 10.0.0.1 port = 1080
external: 203.0.113.53
external: 2001:db8::53
socksmethod: none
clientmethod: none
client pass { from: 0/0 to: 0/0 }
socks pass { from: 0/0 to: 0/0 command: udpassociate
	log: connect }
socks pass { from: 0/0 to: 0/0 command: udpreply }
END
background dante danted -f "$work/danted.conf"
wait_listen 1080 || die "danted does not listen: $(cat "$work/danted.out")"
wait_bound 53 && wait_for 60 grep -q listening "$work/time.log" || die "the servers do not start"

proxied() { timeout 60 "${on_host[@]}" "$bin/lfp-run" --private --upstream socks5://10.0.0.1:1080 "$@"; }
for mode in preload seccomp; do
	check_eq "$(proxied --mode=$mode dig +short +tries=2 +time=10 @203.0.113.53 www.example.org 2>&1)" 203.0.113.5 "$mode: dig over IPv4"
	check_eq "$(proxied --mode=$mode python3 "$work/ntp.py" 203.0.113.53 2>&1)" "48 my stamp 203.0.113.53" "$mode: the time over IPv4"
	check_eq "$(proxied --mode=$mode dig +short +tries=2 +time=10 @2001:db8::53 www.example.org 2>&1)" 203.0.113.5 "$mode: dig over IPv6"
	check_eq "$(proxied --mode=$mode python3 "$work/ntp.py" 2001:db8::53 2>&1)" "48 my stamp 2001:db8::53" "$mode: the time over IPv6"
done
check_eq "$(grep -c "udpassociate" "$work/danted.out")" 8 "each of them came through Dante" || cat "$work/danted.out"
finish
