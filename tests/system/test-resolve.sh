#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-run --resolve program: the program's own hosts file and name servers; its libc's sockets are LFP's
# Time limit: 100 s
. "$(dirname "$0")/lib.sh"
needs python3

: >"$work/hosts"
echo "nameserver 203.0.113.53" >"$work/resolv.conf"
hosts_file
for last in 5 6 53 54; do ip addr add 203.0.113.$last/32 dev lo; done

# Two name servers, of which the host's is the first, and servers to connect to. Each name server has an answer of its own.
cat >"$work/servers.py" <<'END'
import select, socket, struct
def answer(query, addr):
    at, labels = 12, []
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    kind = struct.unpack("!H", query[at + 1:at + 3])[0]
    found = [] if ".".join(labels).lower() != "www.example.org" or kind != 1 else [socket.inet_aton(addr)]
    body = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + f for f in found)
    return query[:2] + struct.pack("!HHHHH", 0x8180, 1, len(found), 0, 0) + query[12:at + 5] + body
udp = {}
for server, addr in (("203.0.113.53", "203.0.113.5"), ("203.0.113.54", "203.0.113.6")):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((server, 53))
    udp[s] = addr
tcp = [socket.create_server((a, 443)) for a in ("203.0.113.5", "203.0.113.6")]
print("listening", flush=True)
while True:
    for s in select.select(list(udp) + tcp, [], [])[0]:
        if s in tcp:
            s.accept()[0].close()
            continue
        query, peer = s.recvfrom(4096)
        s.sendto(answer(query, udp[s]), peer)
END
background servers python3 "$work/servers.py"
wait_for 60 grep -q listening "$work/servers.log" || die "the servers do not listen"

cat >"$work/do.py" <<'END'
import errno, socket, sys
def lookup(name, family=0, flags=0): return socket.getaddrinfo(name, 443, family, socket.SOCK_STREAM, 0, flags)[0][4][0]
def by_name(name): return socket.gethostbyname(name)
def by_addr(addr): return socket.gethostbyaddr(addr)[0]
def reverse(addr): return socket.getnameinfo((addr, 443), 0)[0]
def connect(host):
    with socket.socket() as s:
        s.settimeout(20)
        s.connect((host, 443))
        return "connected"
for text in sys.argv[1:]:
    try: print(eval(text))
    except socket.gaierror as e: print("gaierror")
    except socket.herror as e: print("herror")
    except OSError as e: print(errno.errorcode.get(e.errno, e))
END

# The program has files of its own in an /etc of its own.
own=(unshare --mount) && [ "$(id -u)" = 0 ] || own=(unshare --user --map-root-user --mount)
cat >"$work/inside" <<END
#!/bin/sh
server=\$1
shift
mount -t tmpfs none /etc || exit 99
echo "203.0.113.6 service" >/etc/hosts
echo "hosts: files dns" >/etc/nsswitch.conf
echo "nameserver \$server" >/etc/resolv.conf
exec \${PROGRAM:-python3 "$work/do.py"} "\$@"
END
chmod +x "$work/inside"
"${own[@]}" "$work/inside" 203.0.113.53 'lookup("service")' >"$work/said" 2>&1 || skip "no /etc of one's own here"

# acts TEXT SERVER LFP-RUN-OPTION... -- ACT=RESULT...: each in one program
acts() {
	local text=$1 server=$2 options=() expressions=() results=() act
	shift 2
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	for act in "$@"; do expressions+=("${act%=*}") && results+=("${act##*=}"); done
	timeout 60 "${on_host[@]}" "$bin/lfp-run" --private "${options[@]}" "${own[@]}" "$work/inside" "$server" "${expressions[@]}" >"$work/said" 2>"$work/err"
	printf '%s\n' "${results[@]}" >"$work/wanted"
	check "$text" diff "$work/wanted" "$work/said" || { paste -d ' ' <(printf '%s\n' "${expressions[@]}") "$work/said"; cat "$work/err"; }
}

"$bin/lfp-run" --private --mode=both true >"$work/said" 2>&1 || skip "no supervisor here: $(cat "$work/said")"
acts "by default lfpd looks names up, on its host" 203.0.113.54 -- 'lookup("service")=gaierror' 'lookup("www.example.org")=203.0.113.5'
acts "--resolve lfpd does so, too" 203.0.113.54 --resolve lfpd -- 'lookup("service")=gaierror' 'lookup("www.example.org")=203.0.113.5'
for mode in both seccomp; do
	acts "$mode: the program's own files and name server" 203.0.113.54 --mode=$mode --resolve program -- \
		'lookup("service")=203.0.113.6' 'lookup("www.example.org")=203.0.113.6' 'by_name("service")=203.0.113.6' \
		'by_name("www.example.org")=203.0.113.6' 'by_addr("203.0.113.6")=service' 'reverse("203.0.113.6")=service' \
		'lookup("other.example.org")=gaierror' 'connect("service")=connected'
	acts "$mode: rules decide about the queries, and learn from the host's name server" 203.0.113.53 --mode=$mode --resolve program \
		--allow 'www.example.org:443' -- 'connect("203.0.113.5")=ECONNREFUSED' 'lookup("other.example.org")=gaierror' \
		'connect("www.example.org")=connected' 'connect("203.0.113.5")=connected' 'connect("service")=ECONNREFUSED'
	acts "$mode: another name server needs a rule" 203.0.113.54 --mode=$mode --resolve program --allow 'www.example.org:443' -- \
		'lookup("www.example.org")=gaierror'
done
acts "addresses that only this host's interfaces make useful" 203.0.113.54 --resolve program -- \
	'lookup("service", socket.AF_INET, socket.AI_ADDRCONFIG)=203.0.113.6'
# Other C libraries: musl's own resolver, and glibc's in a static program. They have no preloaded library, or none of glibc's.
built() { # NAME COMPILER...
	"${@:2}" -O1 -o "$work/$1" "$here/resolve.c" >"$work/cc.log" 2>&1
}
others() { # NAME SERVER WANTED OPTION...
	local name=$1 server=$2 wanted=$3
	shift 3
	PROGRAM=$work/$name timeout 60 "${on_host[@]}" "$bin/lfp-run" --private --mode=$mode --resolve program "$@" "${own[@]}" "$work/inside" "$server" \
		service www.example.org other.example.org >"$work/said" 2>"$work/err"
	[ "$(paste -sd ';' "$work/said")" = "$wanted" ] || { cat "$work/said" "$work/err"; false; }
}
for kind in musl musl-static glibc-static; do
	case $kind in
	# The preloaded library needs glibc, and is in unshare(1) before musl's program.
	musl) compiler=(musl-gcc) mode=seccomp ;;
	musl-static) compiler=(musl-gcc -static) mode=both ;;
	glibc-static) compiler=(gcc -static) mode=both ;;
	esac
	if ! built $kind "${compiler[@]}"; then
		skip_part "$kind: ${compiler[*]} makes no program here"
		continue
	fi
	check "$kind: the program's own files and name server" others $kind 203.0.113.54 \
		'service: 203.0.113.6, connected;www.example.org: 203.0.113.6, connected;other.example.org: none'
	check "$kind: rules decide about its queries, and learn from the host's name server" others $kind 203.0.113.53 \
		'service: 203.0.113.6, refused;www.example.org: 203.0.113.5, connected;other.example.org: none' --allow 'www.example.org:443'
done
check_exit 69 "without a supervisor it is refused" into "$work/said" "$bin/lfp-run" --private --mode=preload --resolve program true
check "with the reason" grep -q '^VLFB744E --resolve program needs the seccomp tier, .*: --mode=preload excludes it' "$work/said"
check_exit 64 "another word is refused" into "$work/said" "$bin/lfp-run" --private --resolve me true
finish
