#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The appliance under QEMU: two z/VSEs with two addresses, its controller, bad configurations, power cuts, another image,
# and what is in it. `make check-via`
# Time limit: 600 s
# VIA_CUTS=N: power cuts at random moments; VIA_PORTS=N: ports that are tried on each address
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
# shellcheck source=tests/via/lib-via.sh
. "$top/tests/via/lib-via.sh"
# shellcheck source=tests/via/lib-cuts.sh
. "$top/tests/via/lib-cuts.sh"
# shellcheck source=tests/via/lib-clients.sh
. "$top/tests/via/lib-clients.sh"
cuts=${VIA_CUTS:-1} ports=${VIA_PORTS:-9000}

"$top/scripts/via-image" x86_64 "$work/again" >"$work/again.log" 2>&1 || die "the image cannot be made again: $(cat "$work/again.log")"
check "an image that is made twice is the same, bit for bit" diff -r "$image" "$work/again"

via_conf
vse_conf 1
vse_conf 2
check "lfp-via config makes a disk" write_disk
head -c 300000 /dev/urandom >"$work/data"
appliance_start
background www python3 -m http.server --directory "$work" --bind 10.0.5.254 8000
appliance_up
vse_start 1
vse_start 2
http_server 1
http_server 2
check "two z/VSEs, two addresses, the same port: the network reaches the first" wait_for 60 serves 1
check "- and the second" wait_for 60 serves 2
wait_listen 8000 || die "the HTTP server does not listen"
check_eq "$(on_vse 1 curl -sS http://10.0.5.254:8000/data | sha256sum)" "$(sha256sum <"$work/data")" \
	"curl, unmodified, on z/VSE 1 gets a file from the network"
clients_psql
clients_cobol

answers() { # TEXT COMMAND...
	local text=$1
	shift
	via "$@" >"$work/answer" 2>&1 && grep -qE "$text" "$work/answer" || { cat "$work/answer"; return 1; }
}
check "QUERY" answers "^Instances  *: 2, of which 2 serve" query
sed 's/^/  | /' "$work/answer"
said_reason | sed 's/^/  | boot: /'
check "LIST" answers "^VSE2  *running" list
check "STATUS, in lfpd-admin's layout" answers "^ *Peer VM ID \.* *: VSER01" status VSE1
check "LIST NAME, a table of lfpd-admin's" answers ":8080" list vse2 sockets
check "TRACE" answers "." trace VSE1 start
check "- it runs" answers "A trace is running" trace VSE1 status
serves 1
check "- and shows frames" answers "CONNECTED|DATA" trace VSE1 show
check "- until it is stopped" answers "." trace VSE1 stop
check "LOG of the connections of an instance" answers "8000" log VSE1
check "LOG of the appliance, with the commands" answers "CID 2, port .*: STATUS VSE1" log 200
check_exit 64 "a wrong command" into "$work/answer" via start
check_exit 69 "an instance that does not exist" into "$work/answer" via status NOSUCH
check "STOP of one" answers "VSE1: (stopping|stopped)" stop VSE1
check "- does not end the other" serves 2
check "START" wait_for 30 answers "VSE1 is starting" start VSE1
check "- and it serves again" renew_server 1

# What is in it.
not_in_it() { ! awk '{ print $5 }' "$work/files" | grep -E '/(sh|bash|dash|busybox|perl|python[0-9.]*|login|getty|agetty|dpkg|rpm|apt|gdb)$'; }
via query files >"$work/files" 2>&1
check_eq "$(awk '$1 == "ro" && $2 ~ /^100/ { print $2 }' "$work/files" | grep -cE '[2367][0-7]?[0-7]?$')" 0 "no file of the image has a bit for writing"
check_eq "$(awk '$1 != "ro" && $5 !~ "^/(run|proc)(/|$)" && $2 !~ /^120/' "$work/files")" "" "nothing but /run is writable"
check_eq "$(awk '$1 == "ro" && $2 ~ /^100/ { print "." $5 }' "$work/files" | sort)" "$(sed -nE 's/^[0-9a-f]{64}  //p' "$image/contents" | sort)" \
	"its files are those of the image's list, and no others"
check "there is no shell, no interpreter and no login" not_in_it
via query processes >"$work/processes" 2>&1
check_eq "$(awk '$NF != "(kernel)" { print $4 }' "$work/processes" | sort | uniq -c | xargs)" "1 init 2 lfpd" "its processes"
check_eq "$(awk '$NF != "(kernel)" && $3 == 0 { print $4 }' "$work/processes")" init "only the first is root's"

scan() { "$top/tests/via/scan.py" "$1" 1 "$ports" >"$work/scan" && grep -qx "open:${2:+ $2}" "$work/scan" || { cat "$work/scan"; return 1; }; }
own=$([ "$ports" -lt 8080 ] || echo 8080)
check "ports 1 to $ports of z/VSE 1: its own alone" scan 10.0.5.1 "$own"
check "- and of z/VSE 2" scan 10.0.5.2 "$own"

# A bad file while it runs, and after a power cut.
sed -i 's/^MTU_SIZE.*/MTU_SIZE = many/' "$work/conf/lfpd-VSE2.conf"
write_disk
check_exit 78 "RELOAD with a bad file" into "$work/answer" via reload
check "- its file, line and reason are told" grep -q 'lfpd-VSE2.conf:[0-9]*: MTU_SIZE: ' "$work/answer"
check "- on the console, too, and that the last good one is kept" console_says 'VLFD511W VSE2 keeps generation 1'
check "- both serve" eval 'serves 1 && serves 2'
initrd=$work/initrd
mkdir -p "$work/other/etc"
echo "lfp-via of another day" >"$work/other/etc/via-build"
(cd "$work/other" && find . | cpio -o -H newc --quiet -R 0:0) | gzip -n | cat "$image/initrd" - >"$initrd"
appliance_cut
appliance_start
appliance_up
check "a power cut, and another image: z/VSE 1 serves" renew_server 1
check "- it is the other image" answers "^Image  *: lfp-via of another day" query
check "- the configuration is that of before" answers "generation 2" query
check "- z/VSE 2 alone does not serve" answers "^VSE2  *no good configuration .* lfpd-VSE2.conf:[0-9]*: MTU_SIZE|^VSE2 .*MTU_SIZE" list
check "- and the console says so" console_says 'VLFD512W VSE2 does not serve'
vse_conf 2
write_disk
check "RELOAD with a good one" answers "^Generation 3 of the configuration is read\.$" reload
check "- z/VSE 2 serves" renew_server 2

# Its user may be another instance's later.
mv "$work/conf/lfpd-VSE2.conf" "$work/"
write_disk
check "RELOAD without z/VSE 2" answers "^Generation 4 of the configuration is read\.$" reload
is_gone() { ! via list | grep -q VSE2; }
check "- ends its lfpd" wait_for 60 is_gone
via query files >"$work/files" 2>&1
check "- leaves the files of z/VSE 1" grep -q ' /run/vselfpd/VSE1/' "$work/files"
check_eq "$(awk '{ print $5 }' "$work/files" | grep -E '^/run/(vselfpd|via)/(.*/)?VSE2' || true)" "" "- leaves none of z/VSE 2's"
mv "$work/lfpd-VSE2.conf" "$work/conf/"
write_disk
check "RELOAD with z/VSE 2 again" answers "^Generation 5 of the configuration is read\.$" reload
check "- z/VSE 2 serves" renew_server 2

both_again() { renew_server 1 && renew_server 2; }
power_cuts "$cuts" 12000 5 both_again

# Somebody else.
via_conf "CONTROLLER = vsock 7"
write_disk
check "another controller" answers "Generation 6" reload
check_exit 69 "who is no controller is refused" into "$work/answer" via query
check "- and told" console_says 'VLFD533W Commands of CID 2, port [0-9]* are refused'
check "- z/VSEs are still served" eval 'serves 1 && serves 2'
via_conf
write_disk
appliance_cut
appliance_start
appliance_up
check "SHUTDOWN" answers "The appliance ends" shutdown
check "- ends the machine" wait_for 60 ended "$qemu"
check "- in order" console_says 'VLFD552I'
finish
