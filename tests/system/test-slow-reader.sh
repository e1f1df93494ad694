#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A stopped reader holds a window of its own data and does not delay others; message limits 1, 2 and 4
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
. "$here/stalled.sh"
needs curl python3

# The kernel's TCP buffers, within limits that this test knows.
tcp_buffer=262144
tcp_buffers $tcp_buffer
# docs/windows.md: near end's or far end's send buffer (twice the window), a window in
# the daemon behind it, TCP's buffers of both ends.
most=$((2 * 65536 + 65536 + 2 * tcp_buffer))

limit_kept() { # LIMIT
	local max
	max=$(info 01 'MAXIMUM PACKETS USED')
	echo "most packets out: $max"
	[ "$max" -ge 1 ] && [ "$max" -le "$1" ]
}
down() {
	stop_pid "$(cat "$LFP_ROOT/run/vselfp/01/pid")"
	stop_pid "$lfpd"
}

head -c 20000000 /dev/urandom >"$work/file"
sum=$(md5sum <"$work/file")
background httpd python3 "$top/tests/apps/httpd.py" 8000 "$work"
wait_listen 8000
curl_on_lfp() { timeout 100 "${lfp_prefix[@]}" curl -sS --fail "$@"; }

lfp_up
stall one-host "$programs/stall" listen 127.0.0.1 7001 1 write
one_host=$!
wait_listen 7001
stall one-lfp "${lfp_prefix[@]}" "$programs/stall" connect 127.0.0.1 7001 1 write
one_lfp=$!
wait_for 100 full one-host $one_host && wait_for 100 full one-lfp $one_lfp
check_le "$(word one-host full 3)" $most "the host writes to a program that stops, bytes"
check_le "$(word one-lfp full 3)" $most "a program writes to a host that stops, bytes"
check_eq "$(curl_on_lfp http://127.0.0.1:8000/file | md5sum)" "$sum" "another socket goes on"
let_go one-host
let_go one-lfp
wait $one_host $one_lfp
check_eq "$(word one-lfp read 3)" "$(word one-host full 4)" "all that the host wrote arrives"
check_eq "$(word one-host read 3)" "$(word one-lfp full 4)" "all that the program wrote arrives"
down

for limit in 1 2; do
	lfp_up IUCV_MSGLIMIT=$limit
	check_eq "$(curl_on_lfp http://127.0.0.1:8000/file | md5sum)" "$sum" "MSGLIMIT $limit: in"
	check_eq "$(curl_on_lfp -T "$work/file" http://127.0.0.1:8000/put)  -" "$sum" "MSGLIMIT $limit: out"
	check "MSGLIMIT $limit: 4 at once" curl_on_lfp -Z --parallel-immediate -o "$work/p#1" 'http://127.0.0.1:8000/file?[1-4]'
	check "MSGLIMIT $limit: is kept by the instance" limit_kept $limit
	lfpd_max=$(status LINR02 'Maximum packets waiting' | tr -d ,)
	check_le "${lfpd_max:-99999}" $limit "MSGLIMIT $limit: is kept by lfpd"
	down
done

lfp_up IUCV_MSGLIMIT=4
idle=$(now_ms)
curl_on_lfp http://127.0.0.1:8000/file | md5sum >/dev/null
idle=$(($(now_ms) - idle))
stall host "$programs/stall" listen 127.0.0.1 7002 100 write
host=$!
wait_listen 7002
stall lfp "${lfp_prefix[@]}" "$programs/stall" connect 127.0.0.1 7002 100 write
lfp=$!
wait_for 100 full host $host && wait_for 100 full lfp $lfp
check_eq "$(word lfp full 2)" 100 "100 sockets are stopped"
check_le "$(word host full 3)" $most "the host writes to each, bytes"
check_le "$(word lfp full 3)" $most "the program writes to each, bytes"
# A loose bound: faults here stop the transfer, or slow it down tenfold, every time.
for try in 1 2 3 4 5; do
	busy=$(now_ms)
	check_eq "$(curl_on_lfp http://127.0.0.1:8000/file | md5sum)" "$sum" "the 101st: in"
	busy=$(($(now_ms) - busy))
	echo "20 MB in $busy ms, without the others in $idle ms"
	[ $busy -gt $((idle * 5 + 500)) ] || break
done
check_le $busy $((idle * 5 + 500)) "the 101st runs at full speed, ms"
check_eq "$(curl_on_lfp -T "$work/file" http://127.0.0.1:8000/put)  -" "$sum" "the 101st: out"
check "MSGLIMIT 4: is kept" limit_kept 4
let_go host
let_go lfp
wait $host $lfp
check_eq "$(word lfp read 3)" "$(word host full 4)" "all that the host wrote arrives"
check_eq "$(word host read 3)" "$(word lfp full 4)" "all that the program wrote arrives"
check "all sockets are gone" wait_for 30 no_sockets
finish
