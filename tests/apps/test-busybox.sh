#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# busybox, a static program, by the seccomp tier: wget, httpd with CGI, nc, nslookup, tftp
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs busybox python3 curl dnsmasq
busybox=$(command -v busybox)
is_dynamic() { python3 -c 'import sys; sys.exit(b"/ld-linux" not in open(sys.argv[1], "rb").read())' "$1"; }
! is_dynamic "$busybox" || skip "busybox is not static here"
lfp_mode seccomp

mkdir -p "$work/www/cgi-bin"
head -c 20000000 /dev/urandom >"$work/www/file"
head -c 300000 "$work/www/file" >"$work/www/small"
sum=$(md5sum <"$work/www/file")
printf '#!/bin/sh\necho; exec md5sum\n' >"$work/www/cgi-bin/sum" && chmod 755 "$work/www/cgi-bin/sum"
on() { timeout 120 "${lfp_prefix[@]}" "$busybox" "$@"; }

background httpd python3 "$here/httpd.py" 8000 "$work/www"
background dnsmasq dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file --user="$(id -un)" \
	--group="$(id -gn)" --log-facility=- --listen-address=127.0.0.1,::1 --bind-interfaces --local=/lfp/ \
	--host-record=a.lfp,192.0.2.7,2001:db8::7 --enable-tftp --tftp-root="$work/www"
lfp_up
background_on_lfp busybox-httpd "$busybox" httpd -f -p 127.0.0.1:8001 -h "$work/www"
httpd=$!
background_on_lfp busybox-httpd6 "$busybox" httpd -f -p '[::1]:8002' -h "$work/www"
background_on_lfp inetd "$busybox" nc -ll -p 8003 -e cat
for port in 8000 8001 8002 8003; do wait_listen $port || die "no listener on port $port"; done
wait_bound_both 53 && wait_bound_both 69 || die "dnsmasq has no port"

check_eq "$(on wget -q -O - http://127.0.0.1:8000/file | md5sum)" "$sum" "wget"
check_eq "$(on wget -q -O - 'http://[::1]:8000/file' | md5sum)" "$sum" "wget, IPv6"
check_eq "$(on wget -q -O - http://localhost:8000/file | md5sum)" "$sum" "wget, by name"
check_eq "$(on wget -q -O - http://127.0.0.1:8001/file | md5sum)" "$sum" "wget from busybox"
check_exit 1 "wget, a refused port" into "$work/refused" on wget -q -O - http://127.0.0.1:1/
check "and reports it" grep -q 'Connection refused' "$work/refused"

mkdir "$work/got"
check "httpd: 20 at once" curl -sS --fail --max-time 100 -Z --parallel-immediate -o "$work/got/#1" 'http://127.0.0.1:8001/file?[1-20]'
check_eq "$(cat "$work/got"/* | md5sum)" "$(for _ in {1..20}; do cat "$work/www/file"; done | md5sum)" "httpd: the sum"
check_eq "$(curl -sS --max-time 100 'http://[::1]:8002/file' | md5sum)" "$sum" "httpd, IPv6"
check_eq "$(curl -sS --max-time 100 --data-binary "@$work/www/file" http://127.0.0.1:8001/cgi-bin/sum)" "$sum" "httpd, a CGI program"

# It lets one connection wait at most, so they come one after the other.
for size in 0 1000 3000000; do
	check "nc -ll -e, $size bytes" timeout 120 python3 "$here/echo-client.py" 127.0.0.1 8003 1 $size
done
check_eq "$(on nc 127.0.0.1 8003 <"$work/www/small" | md5sum)" "$(md5sum <"$work/www/small")" "nc"

# It waits for five seconds: asked again, twice at most, where it says that this was too short.
in_time() { on nslookup "$@" >"$work/answer" 2>&1; ! grep -q 'timed out' "$work/answer"; }
address() { in_time "$@" || in_time "$@" || in_time "$@"; sed -n 's/^Address: //p' "$work/answer"; }
check_eq "$(address -type=a a.lfp 127.0.0.1)" 192.0.2.7 "nslookup"
check_eq "$(address -type=aaaa a.lfp '[::1]')" 2001:db8::7 "nslookup, IPv6"
lfp_mode both
check_eq "$(on wget -q -O - http://127.0.0.1:8000/file | md5sum)" "$sum" "wget, by both tiers"
lfp_mode seccomp
check "tftp" on tftp -g -r small -l "$work/got/tftp" 127.0.0.1
check "is the same" cmp "$work/got/tftp" "$work/www/small"
check "httpd ends when it is told" stop_pid $httpd
finish
