#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 3600 s
# The appliance's image as a machine of its own on a kernel for s390x, under QEMU: two z/VSEs on this machine reach it over the kernel's
# HiperSockets, and the network behind it; what is in it; a scan of all ports; power cuts at random moments; another image.
# VIA_CUTS=N: how many
LFP_TRANSPORT=hipersockets
. "$(dirname "$0")/../system/lib.sh"
# shellcheck source=tests/s390x/lib-machine.sh
. "$top/tests/s390x/lib-machine.sh"
# shellcheck source=tests/via/lib-cuts.sh
. "$top/tests/via/lib-cuts.sh"
for dir in /usr/lib/postgresql/*/bin; do PATH=$PATH:$dir; done
cuts=${VIA_CUTS:-2}

head -c 200000 /dev/urandom >"$work/data"
background www python3 -m http.server --directory "$work" --bind 10.0.5.254 8000
appliance_start
appliance_up
vse_start 1
vse_start 2
check "two z/VSEs, two addresses, the same port: the network reaches the first" wait_for 120 serves 1
check "- and the second" wait_for 120 serves 2
wait_listen 8000 || die "the HTTP server does not listen"
check_eq "$(on_vse 1 curl -sS http://10.0.5.254:8000/data | sha256sum)" "$(sha256sum <"$work/data")" \
	"curl, unmodified, on z/VSE 1 gets a file from the network"

# shellcheck source=tests/via/lib-clients.sh
. "$top/tests/via/lib-clients.sh"
clients_psql
clients_cobol

# What is in it.
check "QUERY, of a controller over AF_IUCV" answers "^Instances  *: 2, of which 2 serve" QUERY
sed 's/^/  | /' "$work/answer"
check_exit 69 "another user id is refused" "$top/tests/s390x/operator.py" "$work/op" "$work/lan" OTHER LINUX1 QUERY
check "QUERY FILES" into "$work/files" operator QUERY FILES
check_eq "$(awk '$1 == "ro" && $2 ~ /^100/ { print $2 }' "$work/files" | grep -cE '[2367][0-7]?[0-7]?$')" 0 "no file of the image has a bit for writing"
check_eq "$(awk '$1 != "ro" && $5 !~ "^/(run|proc)(/|$)" && $2 !~ /^120/' "$work/files")" "" "nothing but /run is writable"
check_eq "$(awk '$1 == "ro" && $2 ~ /^100/ { print "." $5 }' "$work/files" | sort)" \
	"$({ sed -nE 's/^[0-9a-f]{64}  //p' "$image/contents" && echo ./mods/hsi.ko; } | sort)" "its files are those of the image's list, and no others"
check "QUERY PROCESSES" into "$work/processes" operator QUERY PROCESSES
check_eq "$(awk '$NF != "(kernel)" { print $4 }' "$work/processes" | sort | uniq -c | xargs)" "1 init 2 lfpd" "its processes"
check_eq "$(awk '$NF != "(kernel)" && $3 == 0 { print $4 }' "$work/processes")" init "only the first is root's"
wc -l "$work/files" "$work/processes" | sed 's/^/  | /; /total/d'

scan() { "$top/tests/via/scan.py" "$1" 1 65535 >"$work/scan" && grep -qx "open: 8080" "$work/scan" || { cat "$work/scan"; return 1; }; }
for nr in 1 2; do
	before=$(now_ms)
	check "all 65535 ports of z/VSE $nr: its own alone" scan 10.0.5.$nr
	echo "  | $(($(now_ms) - before)) ms"
done

power_cuts "$cuts" 30000 1 both_again

mkdir -p "$work/other/etc"
echo "lfp-via of another day" >"$work/other/etc/via-build"
initrd=$work/other-initrd
(cd "$work/other" && find . | cpio -o -H newc --quiet -R 0:0) | gzip -n | cat "$work/initrd" - >"$initrd"
appliance_cut
appliance_start
appliance_up
check "another image: both serve" both_again
check "- it is the other image" answers "^Image  *: lfp-via of another day" QUERY
check "- the configuration is that of before" answers "generation 1, via.conf of generation 1" QUERY
check "SHUTDOWN" answers "The appliance ends" SHUTDOWN
check "- ends the machine" wait_for 120 ended "$qemu"
echo "  | $boots boots"
finish
