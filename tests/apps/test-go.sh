#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Static Go programs by the seccomp tier: HTTP server and client, datagrams, Go's own resolver
# Time limit: 600 s
. "$(dirname "$0")/../system/lib.sh"
PATH=/usr/bin:$PATH # Debian's Go, whatever else there is
needs go curl python3 dnsmasq
lfp_mode seccomp

# Nothing but the standard library, which is built once without libc and kept with the tree's build.
export GOCACHE=$O/tests/apps/go-cache GOPATH=$work/gopath GOPROXY=off GO111MODULE=off GOENV=off CGO_ENABLED=0 GOFLAGS=
net=$work/net
check "a static program" go build -o "$net" "$here/net.go" || exit 1

mkdir "$work/www"
head -c 10000000 /dev/urandom >"$work/www/file"
sum=$(md5sum <"$work/www/file")
background httpd python3 "$here/httpd.py" 8000 "$work/www"
background echo "$net" echo 127.0.0.1:7000
background dnsmasq dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file --user="$(id -un)" \
	--group="$(id -gn)" --log-facility=- --listen-address=127.0.0.1,::1 --bind-interfaces --local=/lfp/ --port=5300 \
	--host-record=a.lfp,192.0.2.7,2001:db8::7
lfp_up
background_on_lfp server "$net" serve 127.0.0.1:8001 "$work/www/file"
server=$!
background_on_lfp server6 "$net" serve '[::1]:8002' "$work/www/file"
for port in 8000 8001 8002; do wait_listen $port || die "no listener on port $port"; done

mkdir "$work/got"
check "server: 20 times at once" curl -sS --fail --max-time 100 -Z --parallel-immediate -o "$work/got/#1" "http://127.0.0.1:8001/[1-20]"
check_eq "$(cat "$work/got"/* | md5sum)" "$(for _ in {1..20}; do cat "$work/www/file"; done | md5sum)" "server: the sum"
check_eq "$(curl -sS --max-time 100 --data-binary "@$work/www/file" http://127.0.0.1:8001/)  -" "$sum" "server: POST"
check_eq "$(curl -sS --max-time 100 'http://[::1]:8002/' | md5sum)" "$sum" "server: IPv6"

on() { timeout 120 "${lfp_prefix[@]}" "$net" "$@"; }
check "client" on fetch http://127.0.0.1:8000/file "${sum%% *}"
check "client, IPv6" on fetch 'http://[::1]:8000/file' "${sum%% *}"
check "client and server on LFP" on fetch http://127.0.0.1:8001/file "${sum%% *}"
check "server ends when it is told" stop_pid $server
lfp_mode both
check "client, by both tiers" on fetch http://127.0.0.1:8000/file "${sum%% *}"
lfp_mode seccomp

background_on_lfp echo-lfp "$net" echo 127.0.0.1:7001
background_on_lfp echo6-lfp "$net" echo '[::1]:7002'
wait_bound_both 5300 || die "dnsmasq has no port"
for port in 7000 7001 7002; do wait_bound $port || die "no socket on port $port"; done
check "datagrams" on send 127.0.0.1:7000 200
check "an echo server" "$net" send 127.0.0.1:7001 200
check "an echo server, IPv6" "$net" send '[::1]:7002' 200
check "datagrams, both on LFP" on send 127.0.0.1:7001 200
check_eq "$(on resolve 127.0.0.1:5300 a.lfp)" $'192.0.2.7\n2001:db8::7' "Go's resolver"
check_eq "$(on resolve '[::1]:5300' a.lfp)" $'192.0.2.7\n2001:db8::7' "Go's resolver, IPv6"
check_exit 1 "and a name that is not there" into "$work/none" on resolve 127.0.0.1:5300 none.lfp

# A rule about a name holds for a program that looks the name up by itself.
: >"$work/hosts"
echo "nameserver 127.0.0.1" >"$work/resolv.conf"
hosts_file
ip addr add 203.0.113.5/32 dev lo
background named dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file --user="$(id -un)" \
	--group="$(id -gn)" --log-facility=- --listen-address=127.0.0.1 --bind-interfaces --local=/lfp/ \
	--host-record=web.lfp,203.0.113.5 --host-record=other.lfp,203.0.113.5
wait_bound 53 || die "no name server"
alone() { timeout 120 "${on_host[@]}" "$bin/lfp-run" --private --mode=seccomp --allow web.lfp:8000 "$net" fetch "$@"; }
check "a name that a rule allows" alone http://web.lfp:8000/file "${sum%% *}"
check_exit 1 "a name that none allows" into "$work/other" alone http://other.lfp:8000/file "${sum%% *}"
check "does not exist" grep -q "no such host" "$work/other"
check_exit 1 "its address alone" into "$work/literal" alone http://203.0.113.5:8000/file "${sum%% *}"
check "is refused" grep -q "connection refused" "$work/literal"
finish
