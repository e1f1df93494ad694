#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# POLICY_FILE: programs reach only the peers, ports and names that the rules allow
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-rules.sh"
needs python3

# Names of this test's own, and addresses that are none of a private network.
cat >"$work/hosts" <<'END'
203.0.113.5 www.example.org
203.0.113.6 evil.example.net
203.0.113.7 shared.example.org other.example.net
127.0.0.1 rebound.example.org
END
hosts_file
for last in 5 6 7; do ip addr add 203.0.113.$last/32 dev lo; done

# One program does all acts, a line each: its arguments are Python expressions.
cat >"$work/do.py" <<'END'
import errno, socket, sys
def connect(host, port, kind=socket.SOCK_STREAM):
    family, kind, proto, _, addr = socket.getaddrinfo(host, port, type=kind)[0]
    with socket.socket(family, kind) as s:
        s.settimeout(20)
        s.connect(addr)
        return "connected"
def literal(host, port, kind=socket.SOCK_STREAM, family=socket.AF_INET):
    with socket.socket(family, kind) as s:
        s.settimeout(20)
        s.connect((host, port))
        return "connected"
def send(host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(b"x", (host, port))
        return "sent"
def send_connected(first, host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect(first)
        s.sendto(b"x", (host, port))
        return "sent"
def again(host, port):
    with socket.socket() as s:
        try: s.connect((host, port))
        except OSError: pass
        s.connect((host, port))
        return "connected"
def fast_open(host, port):
    with socket.socket() as s:
        s.sendto(b"x", 0x20000000, (host, port))
        return "connected"
def bound(source, host, port, family=socket.AF_INET):
    with socket.socket(family) as s:
        s.settimeout(20)
        s.bind((source, 0))
        s.connect((host, port))
        return s.getpeername()[0]
def ports():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.IPPROTO_IP, 51, (40000 << 16 | 40000).to_bytes(4, sys.byteorder))
        return "set"
def label():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.IPPROTO_IPV6, 32, bytes(32))
        return "set"
def routed(host, port):
    with socket.socket() as s:
        s.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, bytes([131, 7, 4, 203, 0, 113, 6, 0]))
        return literal(host, port)
def listen(host, port):
    with socket.create_server((host, port)) as s:
        return "listening"
def listen_unbound():
    with socket.socket() as s:
        s.listen()
        return "listening"
def bind_udp(host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind((host, port))
        return "bound"
def lookup(name): return socket.getaddrinfo(name, 80)[0][4][0]
def by_name(name): return socket.gethostbyname(name)
def reverse(addr): return socket.getnameinfo((addr, 80), 0)[0]
def forked(host, port):
    import os
    if os.fork() == 0:
        try: print(literal(host, port), flush=True)
        except OSError as e: print(errno.errorcode[e.errno], flush=True)
        os._exit(0)
    os.wait()
    return "parent"
for text in sys.argv[1:]:
    try:
        print(eval(text))
    except socket.gaierror as e:
        print("gaierror", {socket.EAI_NONAME: "NONAME", socket.EAI_AGAIN: "AGAIN"}.get(e.errno, e.errno))
    except socket.herror as e:
        print("herror", e.errno)
    except OSError as e:
        print(errno.errorcode[e.errno])
END
cat >"$work/servers.py" <<'END'
import socket
servers = [socket.create_server((a, p)) for a in ("203.0.113.5", "203.0.113.6", "203.0.113.7", "127.0.0.1") for p in (443, 80)]
print("listening", flush=True)
import select
while True:
    for s in select.select(servers, [], [])[0]:
        s.accept()[0].close()
END
background servers python3 "$work/servers.py"
wait_for 60 grep -q listening "$work/servers.log" || die "the servers do not listen"

allow=(--allow '*.example.org:443' --allow 'tcp 203.0.113.7:80' --allow 'listen tcp :7000-7010')
for mode in preload both; do
	acts "$mode: what the rules allow and refuse" --mode=$mode "${allow[@]}" -- \
		'literal("203.0.113.5", 443)=ECONNREFUSED' \
		'connect("www.example.org", 443)=connected' \
		'literal("203.0.113.5", 443)=connected' \
		'literal("::ffff:203.0.113.5", 443, family=socket.AF_INET6)=connected' \
		'connect("www.example.org", 80)=ECONNREFUSED' \
		'connect("WWW.example.ORG", 443)=connected' \
		'lookup("evil.example.net")=gaierror NONAME' \
		'by_name("evil.example.net")=gaierror NONAME' \
		'literal("203.0.113.6", 443)=ECONNREFUSED' \
		'literal("::ffff:203.0.113.6", 443, family=socket.AF_INET6)=ECONNREFUSED' \
		'again("203.0.113.6", 443)=ECONNREFUSED' \
		'fast_open("203.0.113.6", 443)=ECONNREFUSED' \
		'routed("203.0.113.5", 443)=EPERM' \
		'literal("203.0.113.7", 80)=connected' \
		'literal("203.0.113.7", 443)=ECONNREFUSED' \
		'connect("shared.example.org", 443)=connected' \
		'lookup("rebound.example.org")=127.0.0.1' \
		'connect("rebound.example.org", 443)=ECONNREFUSED' \
		'literal("127.0.0.1", 443)=ECONNREFUSED' \
		'literal("0.0.0.0", 443)=ECONNREFUSED' \
		'send("203.0.113.6", 53)=ECONNREFUSED' \
		'send("203.0.113.5", 443)=sent' \
		'send_connected(("203.0.113.5", 443), "203.0.113.6", 53)=ECONNREFUSED' \
		'reverse("203.0.113.5")=203.0.113.5' \
		'reverse("203.0.113.6")=203.0.113.6' \
		'lookup("203.0.113.6")=203.0.113.6' \
		'listen("203.0.113.5", 7005)=listening' \
		'listen("203.0.113.5", 7011)=ECONNREFUSED' \
		'listen_unbound()=ECONNREFUSED' \
		'bind_udp("203.0.113.5", 7005)=ECONNREFUSED' \
		'bind_udp("203.0.113.5", 0)=bound'
	acts "$mode: a child is ruled as its parent" --mode=$mode "${allow[@]}" -- \
		'forked("203.0.113.6", 443)=ECONNREFUSED
parent'
done
# Without the library a program looks names up by its own means, and lfpd knows none of them.
acts "seccomp: what the rules allow and refuse" --mode=seccomp "${allow[@]}" -- \
	'literal("203.0.113.5", 443)=ECONNREFUSED' \
	'connect("www.example.org", 443)=ECONNREFUSED' \
	'literal("203.0.113.7", 80)=connected' \
	'literal("::ffff:203.0.113.7", 80, family=socket.AF_INET6)=connected' \
	'literal("203.0.113.7", 443)=ECONNREFUSED' \
	'again("203.0.113.6", 443)=ECONNREFUSED' \
	'fast_open("203.0.113.6", 443)=ECONNREFUSED' \
	'routed("203.0.113.5", 443)=EPERM' \
	'literal("0.0.0.0", 443)=ECONNREFUSED' \
	'send("203.0.113.6", 53)=ECONNREFUSED' \
	'listen("203.0.113.5", 7005)=listening' \
	'listen("203.0.113.5", 7011)=ECONNREFUSED' \
	'bind_udp("203.0.113.5", 7005)=ECONNREFUSED'
acts "a wildcard is the loopback address, wherever the socket is bound" --allow localhost:443 -- \
	'bound("203.0.113.5", "0.0.0.0", 443)=127.0.0.1' \
	'bound("::ffff:203.0.113.5", "::ffff:0.0.0.0", 443, socket.AF_INET6)=::ffff:127.0.0.1' \
	'bound("203.0.113.5", "203.0.113.5", 443)=ECONNREFUSED'
acts "options that lead around the rules" --allow localhost -- 'ports()=EPERM' 'label()=EPERM' 'lookup("203.0.113.5 x")=gaierror NONAME'
acts "--deny alone denies nothing else" --deny 203.0.113.6 -- \
	'literal("203.0.113.6", 443)=ECONNREFUSED' 'literal("203.0.113.5", 443)=connected' 'connect("other.example.net", 80)=connected' \
	'listen("203.0.113.5", 7011)=listening'
acts "the first rule that matches decides" --deny 203.0.113.5:80 --allow 203.0.113.5 -- \
	'literal("203.0.113.5", 80)=ECONNREFUSED' 'literal("203.0.113.5", 443)=connected' 'literal("203.0.113.6", 443)=ECONNREFUSED'
printf 'deny connect 203.0.113.6\ndefault allow\n' >"$work/rules"
acts "--rules FILE" --rules "$work/rules" -- 'literal("203.0.113.6", 443)=ECONNREFUSED' 'literal("203.0.113.7", 443)=connected'
long=$work/$(printf '%0120d' 0)
mkdir "$long" && cp "$work/rules" "$long/rules; and more"
acts "--rules with a long name" --rules "$long/rules; and more" -- 'literal("203.0.113.6", 443)=ECONNREFUSED' 'literal("203.0.113.7", 443)=connected'
for wrong in "--allow no..name" "--allow any:0" "--deny lookup" "--rules $work/hosts" "--rules $work/none"; do
	# shellcheck disable=SC2086 # words
	check_exit 69 "refused: $wrong" into "$work/said" "$bin/lfp-run" --private $wrong true
done
check_exit 69 "other rules inside are refused" into "$work/said" "$bin/lfp-run" --private "$bin/lfp-run" --private --deny any true
check "and the reason given" grep -q '^VLFB734E .*takes no other rules' "$work/said"
check_exit 69 "a rule with a blank in the place of a colon" into "$work/said" "$bin/lfp-run" --private --deny '*.example.org' --allow 'www.example.com 8000' true
check "the option is named, and what may be meant" \
	grep -q "^VLFB734E .*an error: --allow 'www.example.com 8000': \"8000\" is not expected here; ports follow a colon" "$work/said"
check "a wrong rule is named" eval '"$bin/lfp-run" --private --allow any:0 true 2>&1 | grep -q "allow .any:0.: a port is a number"'

# An instance of the system: reload, EACCES, status, log
printf 'deny connect 203.0.113.6\ndefault allow\n' >"$work/rules"
lfp_up POLICY_FILE="$work/rules" REFUSE_WITH=EACCES
tries() { on_lfp timeout 60 python3 "$work/do.py" 'literal("203.0.113.6", 443)' 'literal("203.0.113.5", 443)' | paste -sd ' '; }
check_eq "$(tries)" "EACCES connected" "REFUSE_WITH = EACCES"
check "the log names the line" eval 'grep -q "VLFD170W User $(id -u) was refused to reach 203.0.113.6, port 443 of TCP, by line 1 of $work/rules" "$work/lfpd-LINR02.log"'
refused() { "$bin/lfpd-admin" -i LINR02 statistics | awk '$1 == "rules_refused" { print $2 }'; }
check_eq "$(refused)" 1 "the refusal is counted"
check_eq "$(on_lfp timeout 60 python3 "$work/do.py" 'send("203.0.113.6", 53)')" EACCES "a datagram is refused"
check_eq "$(refused)" 2 "and counted once"
check "reload" into "$work/said" "$bin/lfpd-ctl" reload LINR02
check "of the same rules changes nothing" grep -q "^VLFD843I .* nothing has changed" "$work/said"
printf 'deny connect 203.0.113.5\ndeny listen 203.0.113.7\ndefault allow\n' >"$work/rules"
check "reload" into "$work/said" "$bin/lfpd-ctl" reload LINR02
check "names the key of the file with other rules" grep -q "^VLFD842I .* new values of POLICY_FILE" "$work/said"
check_eq "$(tries)" "connected EACCES" "takes new rules from the same file"
check_eq "$(on_lfp timeout 60 python3 "$work/do.py" 'listen("0.0.0.0", 7020)' 'listen("203.0.113.6", 7020)' | paste -sd ' ')" "EACCES listening" \
	"an address that is denied is denied to a wildcard"
check "a refusal does not hide the first one by another line" grep -q "VLFD170W .* to listen at .*, port 7020 of TCP, by line 2 of" "$work/lfpd-LINR02.log"
# A connection that the program keeps open, and one that it has accepted
cat >"$work/keep.py" <<'END'
import socket
server = socket.create_server(("203.0.113.6", 7021))
out = socket.create_connection(("203.0.113.6", 7022))
print("open", flush=True)
inside = server.accept()[0]
print("accepted", flush=True)
try: out.recv(1)
except ConnectionResetError: print("reset", flush=True)
print(inside.recv(9), flush=True)
END
cat >"$work/outside.py" <<'END'
import socket
listener = socket.create_server(("203.0.113.6", 7022))
print("listening", flush=True)
peer = listener.accept()[0]
to = socket.create_connection(("203.0.113.6", 7021))
try: peer.recv(1)
except ConnectionResetError: print("reset", flush=True)
to.send(b"still open")
END
background outside python3 "$work/outside.py"
wait_for 60 grep -q listening "$work/outside.log" || die "no listener"
background_on_lfp keep python3 "$work/keep.py"
keep=$!
wait_for 60 grep -q accepted "$work/keep.log" || die "no connection"
check "reload --cut" into "$work/said" "$bin/lfpd-ctl" reload --cut LINR02
check "ends nothing that the rules allow" grep -q "^VLFD848I LINR02 has ended 0 sockets" "$work/said"
cp "$work/rules" "$work/rules.before"
sed -i '1ideny connect tcp 203.0.113.6:7022' "$work/rules"
check "after a change" into "$work/said" "$bin/lfpd-ctl" reload --cut LINR02
check "it ends what the rules forbid" grep -q "^VLFD848I LINR02 has ended 1 sockets" "$work/said"
check "the program ends" wait_for 60 ended $keep
check_eq "$(paste -sd ' ' "$work/keep.log")" "open accepted reset b'still ope'" "it has seen a reset, and the other connection goes on"
check "its peer has seen a reset, too" grep -q reset "$work/outside.log"
cp "$work/rules.before" "$work/rules"
check "reload" into "$work/said" "$bin/lfpd-ctl" reload LINR02
echo "no rule" >>"$work/rules"
check_exit 6 "reload of a wrong file fails" into "$work/said" "$bin/lfpd-ctl" reload LINR02
check "and says where" grep -q "$work/rules:4: " "$work/said"
check_eq "$(tries)" "connected EACCES" "the rules stay as they were"
check_exit 78 "lfpd -n refuses it" into "$work/said" "$daemons/lfpd" -n -f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
check "and says where" grep -q "$work/rules:4: " "$work/said"
finish
