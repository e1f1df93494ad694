#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ask-upstream: programs connect through proxies of SOCKS5 and HTTP, of which some are hostile
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-rules.sh"
needs python3 curl

cat >"$work/hosts" <<'END'
203.0.113.5 www.example.org
203.0.113.6 other.example.net
10.0.0.1 proxy.example.com
END
hosts_file
private=(timeout 60 "${on_host[@]}" "$bin/lfp-run" --private)
socks=10.0.0.1:1080
mkdir "$work/www"
head -c 300000 /dev/urandom >"$work/www/data"
background server python3 -m http.server -d "$work/www" --bind 10.0.0.1 7000
wait_listen 7000 || die "the server does not listen"
background proxy python3 "$here/upstream-proxy.py" 1080 "$work/asked"
wait_for 60 grep -q listening "$work/proxy.log" || die "the proxy does not listen"

last_asked() { tail -n 1 "$work/asked"; }
fetch() { # URL OPTION...
	local url=$1
	shift
	"${private[@]}" "$@" curl -q -sS --noproxy '*' -m 30 -o "$work/got" "$url" && cmp -s "$work/got" "$work/www/data"
}
for mode in preload seccomp; do
	check "$mode: a file through SOCKS5" fetch http://www.example.org:7000/data --mode=$mode --upstream socks5://$socks
	check_eq "$(last_asked)" "address 203.0.113.5 7000 " "$mode: socks5:// sends the address"
	check "$mode: through HTTP CONNECT" fetch http://www.example.org:7000/data --mode=$mode --upstream http://$socks
done
check "http://" fetch http://www.example.org:7000/data --upstream http://$socks
check_eq "$(last_asked)" "host www.example.org 7000 " "http:// sends the name"
check "socks5h://" fetch http://www.example.org:7000/data --upstream socks5h://$socks/
check_eq "$(last_asked)" "name www.example.org 7000 " "socks5h:// sends the name"
fetch 'http://[2001:db8::5]:7000/data' --upstream http://$socks
check_eq "$(last_asked)" "host [2001:db8::5] 7000 " "an address that has no name is sent as it is, by a proxy of another family"
check "a proxy that has a name" fetch http://www.example.org:7000/data --upstream http://proxy.example.com:1080
(umask 077 && echo 'someone:a secret' >"$work/secret")
check "a login by SOCKS5" fetch http://www.example.org:7000/data --upstream socks5h://$socks --credentials "$work/secret"
check_eq "$(last_asked)" "name www.example.org 7000 someone:a secret" "has user and password"
check "a login by HTTP" fetch http://www.example.org:7000/data --upstream http://$socks --credentials "$work/secret"
check_eq "$(last_asked)" "host www.example.org 7000 someone:a secret" "has user and password, too"

cat >"$work/do.py" <<'END'
import errno, select, socket, sys
def go(port, host="203.0.113.5", block=True):
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as s:
        s.setblocking(block)
        s.settimeout(30) if block else None
        rc = s.connect_ex((host, port))
        if not block and rc == errno.EINPROGRESS:
            select.select([], [s], [], 30)
            rc = s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if rc: return errno.errorcode[rc]
        s.setblocking(True)
        return "%s %s" % (s.getpeername()[:2] == (host, port), s.recv(5).decode())
def echo():
    with socket.create_connection(("203.0.113.5", 604)) as s:
        first = s.recv(5)
        s.sendall(b" and late")
        return (first + s.recv(100)).decode()
def twice(port):
    with socket.socket() as s:
        return errno.errorcode[s.connect_ex(("203.0.113.5", port))] + " " + (errno.errorcode.get(s.connect_ex(("203.0.113.5", 604))) or s.recv(5).decode())
def udp():
    with socket.socket(type=socket.SOCK_DGRAM) as s:
        return errno.errorcode[s.connect_ex(("203.0.113.5", 1))]
def listen():
    with socket.create_server(("10.0.0.1", 0)): return "listens"
for text in sys.argv[1:]:
    try: print(eval(text))
    except OSError as e: print(errno.errorcode.get(e.errno, e))
END
hostile=('go(601)=True slow' 'go(601, "2001:db8::1")=True slow' 'go(601, block=False)=True slow' 'go(602)=ECONNABORTED' 'go(603)=ECONNABORTED' 'go(604)=True early' 'go(604, block=False)=True early'
	'go(606)=ECONNABORTED' 'echo()=early and late' 'twice(603)=ECONNABORTED early' 'listen()=listens')
acts "SOCKS5: bytes and errors reach the program" --upstream socks5://$socks -- "${hostile[@]}" \
	'twice(5)=ECONNREFUSED early' 'go(1)=ECONNREFUSED' 'go(2)=EACCES' 'go(3)=ENETUNREACH' 'go(4)=EHOSTUNREACH' 'go(5)=ECONNREFUSED' 'go(6)=ETIMEDOUT' 'go(7)=ENOTSUP' \
	'go(8)=EAFNOSUPPORT' 'go(99)=ECONNREFUSED'
acts "HTTP: the same, in the supervisor" --mode=seccomp --upstream http://$socks -- "${hostile[@]}" \
	'udp()=ECONNREFUSED' 'twice(500)=ECONNREFUSED early' 'go(404)=EHOSTUNREACH' 'go(403)=EACCES' 'go(407)=EACCES' 'go(504)=ETIMEDOUT' 'go(500)=ECONNREFUSED' 'go(302)=ECONNREFUSED' 'go(501)=ENOTSUP'
acts "a proxy that is not there" --upstream socks5://10.0.0.1:1 -- 'go(7000)=ENETUNREACH'
acts "a proxy whose name is unknown" --upstream socks5://none.example.com -- 'go(7000)=ENETUNREACH' 'go(7000, block=False)=ENETUNREACH'
(umask 077 && echo 'someone:else' >"$work/wrong")
acts "a wrong password" --upstream socks5://$socks --credentials "$work/wrong" -- 'go(7000)=EACCES'
acts "only what is allowed" --upstream socks5://$socks --allow 203.0.113.5:604 -- 'go(604)=True early' 'go(601)=ECONNREFUSED' 'go(604, "203.0.113.6")=ECONNREFUSED'

cat >"$work/rules" <<END
upstream slow socks5h://$socks timeout 1
upstream fast http://$socks
ask-upstream slow connect 203.0.113.5:605
ask-upstream fast connect tcp *.example.org:7000
allow connect 10.0.0.1:7000
default deny
END
acts "a proxy that does not answer: its timeout" --rules "$work/rules" -- 'go(605)=ETIMEDOUT' 'go(605, block=False)=ETIMEDOUT'
check "some go by a proxy" fetch http://www.example.org:7000/data --rules "$work/rules" --log "$work/log"
check "the log names the upstream" grep -q '"event":"connect".*"name":"www.example.org","address":"203.0.113.5","port":7000.*"rule":4,"upstream":"fast","result":"OK"' "$work/log"
check "also at the end" grep -q '"event":"end".*"address":"203.0.113.5".*"upstream":"fast","result":"OK","bytes_out"' "$work/log"
before=$(wc -l <"$work/asked")
check "others do not" fetch http://10.0.0.1:7000/data --rules "$work/rules"
check_eq "$(wc -l <"$work/asked")" "$before" "the proxy has seen nothing of it"

# refused before the program starts
refused() { # WORDS OPTION...
	check_exit 69 "refused: $1" into "$work/said" "${private[@]}" "${@:2}" true
	check "with the reason" grep -q "$1" "$work/said"
}
refused "is not socks5://HOST" --upstream ftp://10.0.0.1
refused "no user and no password" --upstream socks5://a:b@10.0.0.1
chmod 644 "$work/wrong"
refused "all users can read it" --upstream socks5://$socks --credentials "$work/wrong"
printf 'word\n' >"$work/rules"
chmod 600 "$work/rules"
refused "is not USER:PASSWORD" --upstream socks5://$socks --credentials "$work/rules"
check_exit 64 "--credentials needs --upstream" into "$work/said" "$bin/lfp-run" --private --credentials "$work/secret" true
check_exit 64 "--upstream needs --private" into "$work/said" "$bin/lfp-run" --upstream socks5://$socks true
finish
