#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Interfaces, host names and look-ups are those of lfpd's host, as z/VSE has them
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

# The host has files of its own; the programs see their machine's files.
unshare --mount true 2>/dev/null || skip "no mount namespace"
cat >"$work/hosts" <<-'END'
	127.0.0.1 localhost
	::1 localhost
	10.9.9.4 only4.test four
	2001:db8::6 only6.test
	10.9.9.8 both.test
	2001:db8::8 both.test
	10.9.9.9 alias.test other.test third.test
	10.0.0.1 linlfp.test linlfp
END
hosts_file
is_up() { ip link show vse0 | grep -q 'state UP'; }
if ip link add vse0 type veth peer name vse1 2>/dev/null; then
	ip addr add 10.9.0.1/24 brd + dev vse0
	ip addr add 2001:db8:9::1/64 dev vse0 nodad
	ip link set vse1 up && ip link set vse0 up
	check "an interface" wait_for 30 is_up
	veth=1
fi

# up [KEY=VALUE...]: lfpd on the host, and the instance
up() {
	lfpd_conf LINR02 "$@"
	statements 01
	lfpd_start LINR02 "${on_host[@]}"
	instance_start 01
}

down() {
	stop_pid "$instance"
	stop_pid "$lfpd"
}

"${on_host[@]}" "$programs/names" interfaces >"$work/native-interfaces"
"${on_host[@]}" "$programs/names" lookups >"$work/native-lookups"
code_page() { grep -c 'VLFB067W A program asks lfpd LINR02 for the name lin\[lfp, which has a character that VSE_CODEPAGE lacks' "$(instance_log 01)"; }
check "the host knows its names" grep -q "is 10.9.9.4" "$work/native-lookups"

up VSE_HOSTID=10.0.0.1
on_lfp "$programs/names" interfaces >"$work/interfaces" 2>&1
check "all interfaces of the host, with VSE_HOSTID" diff "$work/native-interfaces" "$work/interfaces"
in_code_page() { on_lfp python3 -c 'import socket; socket.getaddrinfo("'"$1"'", None)' >/dev/null 2>&1; }
in_code_page 'lin[lfp' && die "EBCDIC-US has no bracket"
check "a name that the code page lacks is logged" [ "$(code_page)" = 1 ] || tail "$(instance_log 01)"
in_code_page 'linlfp.test'
check_eq "$(code_page)" 1 "another name is not"
is_named() { on_lfp "$programs/names" host | grep -qx "gethostname 0 linlfp.test"; }
check "the name that VSE_HOSTID resolves to" wait_for 30 is_named
check "VSE_HOSTID as host id" grep -qx "gethostid 100000a" <(on_lfp "$programs/names" host)
down
up VSE_HOSTID=
on_lfp "$programs/names" interfaces >"$work/interfaces" 2>&1
check "all interfaces of the host" diff "$work/native-interfaces" "$work/interfaces"
on_lfp "$programs/names" lookups >"$work/lookups" 2>&1
check "$(wc -l <"$work/lookups") look-ups" diff "$work/native-lookups" "$work/lookups"
# glibc's DNS look-ups leave it there; CPython reads it.
check "an error of gethostbyname_r() is in h_errno, too" grep -qx "h_errno likewise" <(on_lfp "$programs/names" unknown)
check_eq "$(on_lfp "$programs/names" host | head -n 1)" "gethostname 0 $(uname -n)" "the name of the host"
down

shown() { on_lfp "$programs/names" interfaces 2>&1 | grep -o ' address [0-9a-f.:]\+ mask' | sort -u | tr -d '\n'; }
up VSE_HOSTID=10.0.0.1 RESTRICT_TO_HOSTID=yes ALLOW_LOOPBACK=yes
check_eq "$(shown)" " address 10.0.0.1 mask address 127.0.0.1 mask" "VSE_HOSTID and the loopback"
down
up VSE_HOSTID=10.0.0.1 RESTRICT_TO_HOSTID=yes
check_eq "$(shown)" " address 10.0.0.1 mask" "VSE_HOSTID alone"
check "the name that VSE_HOSTID resolves to" wait_for 30 is_named
check "VSE_HOSTID as host id" grep -qx "gethostid 100000a" <(on_lfp "$programs/names" host)
config=$(on_lfp "$programs/names" lookups | grep '^both.test 80 flags 20 family 0 ')
check "AI_ADDRCONFIG: z/VSE has no IPv6 address" grep -q "is 10.9.9.8" <<<"$config"
check "and gets none" [ "${config/2001/}" = "$config" ]
down

if [ -n "${veth:-}" ]; then
	up VSE_HOSTID=10.9.0.1 RESTRICT_TO_HOSTID=yes
	on_lfp "$programs/names" interfaces >"$work/interfaces" 2>&1
	grep '^vse0' "$work/native-interfaces" | grep -v "address [0-9a-f]*:" >"$work/native-vse0"
	check "the interface that carries VSE_HOSTID" diff <(grep '^vse0' "$work/interfaces") "$work/native-vse0"
	ip addr del 10.9.0.1/24 dev vse0
	on_lfp "$programs/names" interfaces >"$work/interfaces" 2>&1
	check_eq "$(grep -c vse0 "$work/interfaces")" 0 "it is gone with the address"
	down
else
	skip_part "no such interfaces here"
fi

finish
