#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A receiver that is held, and 40 connections that send: HiperSockets as a network device (zdev hsi) loses packets and TCP sends
# them again; with the completion queue (LFP over hipersockets) nothing is lost. The counters of both show it.
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs python3
[ "${LFP_TRANSPORT:-unix}" = unix ] || [ "$LFP_TRANSPORT" = hipersockets ] || skip "it is about TRANSPORT = hipersockets"
transport=hipersockets
flood=$top/tests/system/flood.py
connections=40 size=262144

# flood_begin PREFIX... :: ADDRESS PORT: starts the sender, connected; "go" lets it send
flood_begin() {
	local prefix=()
	while [ "$1" != :: ]; do
		prefix+=("$1")
		shift
	done
	shift
	rm -f "$work/go" "$work/flood"
	mkfifo "$work/go"
	timeout 120 "${prefix[@]}" python3 "$flood" send "$1" "$2" $connections $size <"$work/go" >"$work/flood" 2>&1 &
	flooder=$!
	exec 7>"$work/go"
	wait_for 30 grep -q ready "$work/flood" || die "the sender does not connect: $(cat "$work/flood")"
}
flood_end() {
	wait_for 100 grep -q right "$work/flood"
	exec 7>&-
	wait "$flooder"
	tail -n 1 "$work/flood"
}
retransmitted() { awk '/^Tcp:/ { if (!n) { for (i = 1; i <= NF; i++) if ($i == "RetransSegs") n = i } else print $n }' /proc/net/snmp; }

# The network device: Linux's side is the namespace of this test, and sends to z/OS.
if [ "$(id -u)" = 0 ] && [ -c /dev/net/tun ]; then
	echo 1 2>/dev/null >/proc/sys/net/ipv6/conf/default/disable_ipv6 # so that TCP alone sends
	cd "$top/zdev/examples" || exit 1
	mkfifo "$work/commands"
	"$daemons/zdev" hsi --linux-net=/proc/self/ns/net mq-profile.tcpip ifcfg-hsi0 mq-linux.commands \
		<"$work/commands" >"$work/answers" 2>"$work/zdev.log" &
	zdev=$!
	exec 6>"$work/commands"
	wait_for 30 grep -q VLFZ065I "$work/zdev.log" || die "zdev hsi does not start: $(cat "$work/zdev.log")"
	namespace=$(grep -o '/proc/[0-9]*/task/[0-9]*/ns/net' "$work/zdev.log" | head -n 1)
	# counter END NAME: as zdev counts now
	counter() {
		local had=0
		had=$(grep -c '^{' "$work/answers")
		echo COUNTERS >&6
		wait_for 10 more_answers "$had" >/dev/null
		grep '^{' "$work/answers" | tail -n 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]][sys.argv[2]])' "$1" "$2"
	}
	more_answers() { [ "$(grep -c '^{.*}$' "$work/answers")" -gt "$1" ]; }
	has_lost() { [ "$(counter linux discarded_out)" -gt 0 ]; }
	is_quiet() { [ "$(counter linux packets_out)" = "$(($(counter zos packets_in) + $(counter linux discarded_out)))" ]; }
	nsenter --net="$namespace" python3 "$flood" serve 10.1.2.1 2424 &
	server=$!
	serves() { grep -q ":0978 .* 0A " "/proc/$server/net/tcp"; }
	wait_for 30 serves || die "the server does not listen"
	flood_begin :: 10.1.2.1 2424
	before=$(retransmitted)
	check_eq "$(counter linux discarded_out) $(counter zos waiting)" "0 0" "the network device has lost nothing"
	echo HOLD ZOS >&6
	echo >&7
	check "with z/OS held, it loses packets" wait_for 30 has_lost
	check_eq "$(counter zos waiting)" 126 "- after its 126 buffers were full"
	echo RELEASE ZOS >&6
	check_eq "$(flood_end)" "$connections right" "every byte arrives all the same"
	check "- because TCP has sent again what was lost" test $(($(retransmitted) - before)) -ge "$(counter linux discarded_out)"
	wait_for 30 is_quiet
	check_eq "$(($(counter linux bytes_out) - $(counter linux discarded_out_bytes)))" "$(counter zos bytes_in)" "each byte was lost or arrived"
	echo "network device: $(counter linux discarded_out) packets lost, $(($(retransmitted) - before)) segments sent again"
	echo STOP >&6
	wait "$zdev"
	check_eq "$?" 0 "zdev hsi ends"
	kill "$server"
	wait "$server" 2>/dev/null
	exec 6>&-
else
	skip_part "no root, or no /dev/net/tun"
fi

# The completion queue: z/VSE's side sends to lfpd, which is stopped.
lfp_up IUCV_MSGLIMIT=1024 IucvMsgLimit=1024 MTU_SIZE=8000 MTU=8000
background serve python3 "$flood" serve 10.0.0.1 2424
wait_listen 2424
netstat() { "$bin/ijblfpop" NETSTAT 01 -d | sed -n "s/^ *$1 *= //p"; }
pends() { [ "$(netstat 'Transfers Pending')" -gt 0 ]; }
flood_begin "${lfp_prefix[@]}" -- :: 10.0.0.1 2424
kill -STOP "$lfpd"
echo >&7
check "with lfpd held, transfers are pending" wait_for 30 pends
kill -CONT "$lfpd"
check_eq "$(flood_end)" "$connections right" "every byte arrives"
check_eq "$(netstat 'Target Full')" 0 "no frame is lost"
check "- though some had to wait" test "$(netstat 'Transfers Pending, Ever')" -gt 0
none_pends() { [ "$(netstat 'Transfers Pending')" = 0 ]; }
check "- and none waits any more" wait_for 30 none_pends
echo "completion queue: 0 frames lost, $(netstat 'Transfers Pending, Ever') waited, at most $(netstat 'Transfers Pending, Most') at once"
finish
