#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The .deb lfp-workload that "make packages" made: in a fresh root with the other packages, one command makes each table
# Time limit: 900 s
# shellcheck source=tests/packages/root.sh
. "$(dirname "$0")/../packages/root.sh"
# shellcheck source=tests/deb/dpkg.sh
. "$(dirname "$0")/dpkg.sh"
need "$workload"

new_root workload
new_dpkg
check "dpkg installs it" dpkg_root -i "${debs[@]}" "$devices" "$workload"
check "it is installed" installed lfp-workload zdev lfpd libvsesock-dev
# Of the machine's packages: names of compilers, and settings of cobc.
for of in alternatives gnucobol gnucobol3 gnucobol4; do [ ! -e "/etc/$of" ] || cp -a "/etc/$of" "$root/etc/" || exit 1; done
# The tables have mount namespaces of their own, which a root that is no mount cannot have.
mount --rbind "$root" "$root" || exit 1
cat >/mnt/count.py <<'END'
import json, sys
r = json.load(sys.stdin)
cells = [x for of in r["cells"].values() for x in of.values()]
print(r["complete"], sum("rate" in x for x in cells), [x["error"] for x in cells if "error" in x], r["skipped"])
END
table() { # CELLS WORD...: makes a table, and counts the measured cells
	local cells=$1
	shift
	in_root HOME=/tmp lfp-workload "$@" --quick --json >/mnt/table.json 2>/mnt/progress
	said=$(python3 /mnt/count.py </mnt/table.json 2>&1 | tail -n 1)
	check "lfp-workload $*: $cells cells" test "$said" = "True $cells [] {}"
	[ "$said" = "True $cells [] {}" ] || cat /mnt/progress
}
has() { # PROGRAM...
	local program
	for program in "$@"; do
		PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || { echo "not tested: $program is not installed"; return 1; }
	done
}
! has vsftpd lftp cc cobc tc || table 6 lfp --route unix --verdicts /tmp/lfp.tsv
check "zdev check takes what was measured" eval 'in_root zdev check -q --measured=/tmp/lfp.tsv LFP >/mnt/said'
! has telnetd || table 6 telnet --route unix
table 10 mq --route unix
[ ! -c /dev/net/tun ] || table 20 mq --route hsi --route osa
! has cobc vsftpd lftp || table 3 applications --application listener --application vtape --application tools
check "lfp-workload capacity" eval 'in_root lfp-workload capacity --out 1000 >/mnt/said'
check "dpkg removes it" dpkg_root -r lfp-workload
check "and nothing of it is left" test -z "$(find "$root/usr/share/vselfpd/workload" "$root/usr/bin/lfp-workload" 2>/dev/null)"
finish
