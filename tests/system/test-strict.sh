#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A strict run: small programs that would fail on z/VSE are reported, each for its own reason; right ones are not
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

report=$work/report
# strict MODE PROGRAM NAME: its output; the lines are in $report
strict() {
	local mode=$1 interface=$2 name=$3 program=$O/tests/$2/strict
	rm -f "$report"
	case $interface in system) set -- "$O/lib/libvsesock-preload.so" ;; *) set -- "" ;; esac
	local setparm="LFP\$ID=01"
	[ "$setting" = share ] && setparm+=",LFP\$CIC=SHARE"
	[ "$setting" = no-phase ] || setparm+=",EZA\$PHA=IJBLFPEZ"
	env LFP_ID=01 SYSPARM=01 LFP_SETPARM="$setparm" LFP_STRICT="$mode" LFP_STRICT_FILE="$report" \
		LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$1" timeout 60 "${empty_net[@]}" "$program" "$name"
}
# told: the ids of the lines, each once
told() { cut -d ' ' -f 1 "$report" 2>/dev/null | sort -u | tr '\n' ' '; }

lfp_up VSE_HOSTID=10.0.0.1

# Interface, program, the id of its lines, the result of its call here and with LFP_STRICT=fail; "share": with
# LFP$CIC=SHARE, "no-phase": without EZA$PHA
while read -r interface name id works refused setting; do
	[ "$works" = any ] && works='*'
	out=$(strict report "$interface" "$name" 2>"$work/err")
	# shellcheck disable=SC2053 # a pattern
	[[ ${out/ /,} == $works ]] || fail "$interface $name: $out, not $works: $(head -n 3 "$work/err")"
	check_eq "$(told)" "$id " "$interface $name${setting:+ ($setting)} is reported (it says: $out)"
	out=$(strict fail "$interface" "$name" 2>&1)
	check_eq "${out/ /,}" "$refused" "and refused with LFP_STRICT=fail"
done <<-'END'
	eza bind2addrsel VLFB801W 0,0 -1,1191
	eza getibmopt VLFB801W 0,0 -1,1191
	eza initapix VLFB801W 0,0 -1,1191
	lec poll VLFB802W 0,0 -1,1191
	lec readv VLFB802W any -1,1191
	lec writev VLFB802W any -1,1191
	system accept4 VLFB802W [0-9]*,0 -1,56
	system sendmmsg VLFB802W -1,* -1,56
	system recvmmsg VLFB802W -1,* -1,56
	system getifaddrs VLFB802W 0,0 -1,56
	eza raw VLFB803W -1,1111 -1,1191
	lec raw VLFB803W -1,1111 -1,1191
	system raw VLFB803W -1,1 -1,56
	eza maxsoc-descriptor VLFB804W 2,0 -1,1191
	eza maxsoc-select VLFB804W 0,0 -1,1191
	eza maxsoc-mask VLFB804W 0,0 -1,1191
	lec mask VLFB804W 0,0 -1,1191
	eza comp5 VLFB805W 0,0 -1,1191
	eza iov VLFB806W -1,* -1,1191
	eza msg VLFB806W -1,* -1,1191
	eza hostent VLFB806W 0,0 -1,0
	eza no-initapi VLFB807W 0,0 -1,1191
	eza no-termapi VLFB808W 0,0 0,0
	eza other-task VLFB809W 0,0 -1,1191 share
	eza other-task VLFB809W -1,113 -1,1191
	lec other-task VLFB809W 0,0 -1,1191 share
	lec other-task VLFB809W -1,113 -1,1191
	eza local-address VLFB810W 0,0 -1,1191
	lec local-address VLFB810W 0,0 -1,1191
	system local-address VLFB810W 0,0 -1,56
	eza halfword VLFB811W 0,0 -1,1191
	ezasmi getibmopt VLFB801W 0,0 -1,1191
	ezasmi raw VLFB803W -1,1111 -1,1191
	ezasmi maxsoc-select VLFB804W 0,0 -1,1191
	ezasmi iov VLFB806W 0,0 -1,1191
	ezasmi option VLFB812W 0,0 -1,1191
	ezasmi option-number VLFB812W 0,0 -1,1191
	ezasmi option-get VLFB812W -1,1109 -1,1191
	eza no-phase VLFB813W 0,0 -1,1191 no-phase
	ezasmi no-phase VLFB813W 0,0 -1,1191 no-phase
	ezasmi no-initapi VLFB807W 0,0 -1,1191
	ezasmi no-termapi VLFB808W 0,0 0,0
	ezasmi local-address VLFB810W 0,0 -1,1191
	csi local-address VLFB810W 0,0 -1,1191
	csi listener-address VLFB810W -1,1127 -1,1191
END

setting=
for interface in eza ezasmi csi lec system; do
	for mode in report fail; do
		out=$(strict $mode $interface right 2>&1)
		check_eq "${out#*[0-9] }$(cat "$report" 2>/dev/null)" 0 "$interface right, LFP_STRICT=$mode: nothing is said"
	done
done
# The examples are right, too.
strict_env=(env LFP_ID=01 LFP_STRICT=fail LFP_STRICT_FILE="$report" "${empty_net[@]}")
rm -f "$report"
background server "${strict_env[@]}" "$O/examples/lec/concurrent-server" -n 1 7060
wait_listen 7060 30
check_eq "$(timeout 100 python3 -c 'import socket
s = socket.create_connection(("127.0.0.1", 7060), 30)
s.sendall(b"UPPER\nhello")
s.shutdown(1)
print(b"".join(iter(lambda: s.recv(64), b"")).decode())')" HELLO "the concurrent server works in a strict run"
background sink python3 -c 'import socket
s, _ = socket.create_server(("127.0.0.1", 7061)).accept()
while s.recv(1 << 20): pass'
wait_listen 7061 30
check "the bulk sender, too" into "$work/sender" timeout 60 "${strict_env[@]}" "$O/examples/lec/bulk-sender" 127.0.0.1 7061 1
check "a strict run reports none of them" test ! -e "$report"

# A line has the program and the call.
strict report eza local-address >/dev/null
check_eq "$(cat "$report")" "VLFB810W strict EZASOKET BIND: 127.0.0.1 is not the host id; LFP has no other address, not even loopback." \
	"a line has the program, the call and the reason"
strict report ezasmi local-address >/dev/null
check_eq "$(cut -d : -f 1 "$report")" "VLFB810W strict EZASMI BIND" "so has one of EZASMI"
strict report csi local-address >/dev/null
check_eq "$(cut -d : -f 1 "$report")" "VLFB810W strict SOCKET OPEN" "and of the SOCKET macro"
LFP_ID=01 LFP_STRICT=report "${empty_net[@]}" "$O/tests/lec/strict" raw >/dev/null 2>"$work/err"
check_eq "$(cat "$work/err")" "VLFB803W strict LE/C socket: LFP has no raw sockets." "without LFP_STRICT_FILE it goes to standard error"
LFP_ID=01 LFP_STRICT=often "${empty_net[@]}" "$O/tests/lec/strict" raw >/dev/null 2>"$work/err"
check_eq "$(cat "$work/err")" "VLFB800W LFP_STRICT is neither report nor fail: nothing is checked." "another mode is invalid"
finish
