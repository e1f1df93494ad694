#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 10,000 rounds of connect, echo, close leave no memory or descriptor in the three processes
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

# Memory counts as flat if it grows by less than this over 5,000 connections: an allocator may take
# another page or two of a class, but a leak of even 64 bytes a connection would be 312 KiB.
slack_kib=256
[ -z "${O_SAN:-}" ] || slack_kib=100000 # a sanitizer keeps what is freed

lfp_up
background echo "$programs/echo" 127.0.0.1 7000
wait_listen 7000

mkfifo "$work/to"
"${lfp_prefix[@]}" "$programs/churn" 127.0.0.1 7000 <"$work/to" >"$work/churn.log" 2>&1 &
program=$!
pids+=($program)
exec {to}>"$work/to"

lines() { [ "$(wc -l <"$work/churn.log")" -ge "$1" ]; }
done_or_ended() { lines "$1" || ended $program; }
# run COUNT LINE: let the program do so many; set what the three processes then have
run() {
	echo "$1" >&"$to"
	wait_for 120 done_or_ended "$2" && lines "$2" || die "churn: $(tail -n 1 "$work/churn.log")"
	wait_for 30 no_sockets || die "$(lfpd_sockets) sockets are left"
	read -r _ program_fds program_kib < <(sed -n "$2p" "$work/churn.log")
}
settled() { [ "$(fds "$lfpd"):$(fds "$instance"):$program_fds" = "$first" ]; }

run 200 1 # everything has its size
first=$(steady_fds "$lfpd" "$instance"):$program_fds
start=$(now_ms)
run 5000 2
check "after 5,000 the same descriptors" wait_for 30 settled
kib=("$(rss_kib "$lfpd")" "$(rss_kib "$instance")" "$program_kib")
run 5000 3
echo "10,000 in $(($(now_ms) - start)) ms"
check "after 10,000 the same descriptors" wait_for 30 settled || echo "$first, now $(fds "$lfpd"):$(fds "$instance"):$program_fds"
check_le $(($(rss_kib "$lfpd") - kib[0])) $slack_kib "lfpd grows, KiB"
check_le $(($(rss_kib "$instance") - kib[1])) $slack_kib "the instance grows, KiB"
check_le $((program_kib - kib[2])) $slack_kib "the program grows, KiB"
exec {to}>&-
wait $program
check_eq $? 0 "the program ends well"
finish
