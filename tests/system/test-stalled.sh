#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 5,000 stalled sockets of one program hold the amount of memory in docs/performance.md, and give it
# back
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
. "$here/stalled.sh"
needs ss

[ -z "${O_SAN:-}" ] || skip "a sanitizer has a heap of its own"
sockets=${SOCKETS:-5000}
window=${WINDOW:-16384} mtu=8192 tcp_buffer=16384
need=$((sockets + 500)) # the daemons have some more
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge $need ] ||
	skip "$sockets sockets need $need descriptors a process, the hard limit is $(ulimit -Hn)"
room=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
[ "$room" -ge $((sockets / 3)) ] || skip "$sockets stalled sockets need $((sockets / 3)) MiB, $room are free"

tcp_buffers $tcp_buffer # for TCP's memory is the machine's, and others are on it
ip link set lo mtu 1500

# unix_kib: data in near ends and far ends, with the kernel's own costs of it (sk_wmem_alloc)
unix_kib() {
	ss -xnmH | awk -F'skmem:' 'NF > 1 { match($2, /,t[0-9]+/); n += substr($2, RSTART + 2, RLENGTH - 2) }
		END { printf "%d\n", n / 1024 }'
}
# tcp_kib: data in lfpd's sockets: received, and to be sent
tcp_kib() {
	ss -tnmH dport = :7002 | awk -F'skmem:' 'NF > 1 {
			match($2, /\(r[0-9]+/); n += substr($2, RSTART + 2, RLENGTH - 2)
			match($2, /,w[0-9]+/); n += substr($2, RSTART + 2, RLENGTH - 2)
		} END { printf "%d\n", n / 1024 }'
}
# private_kib PID: memory that is the process's alone
private_kib() { awk '/^Private_/ { n += $2 } END { print n }' "/proc/$1/smaps_rollup"; }

# A control group for the daemons and the program, where this process may make one: it counts all kernel
# memory for them, sockets and descriptors too. Without it $group is empty.
memory_group() {
	local parent
	group='' in_group=(env)
	for parent in /sys/fs/cgroup/memory /sys/fs/cgroup; do
		mkdir "$parent/lfp-test.$$" 2>/dev/null || continue
		group=$parent/lfp-test.$$
		[ -z "$(kernel_kib)" ] || break
		rmdir "$group"
		group=
	done
	[ -n "$group" ] || return
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho $$ >%s/cgroup.procs\nexec "$@"\n' "$group" >"$work/in-group"
	chmod +x "$work/in-group"
	in_group=("$work/in-group")
	at_exit_too=(leave_group)
}
leave_group() {
	local pid
	while read -r pid; do kill -TERM "$pid"; done <"$group/cgroup.procs"
	wait_for 30 rmdir "$group"
}
# kernel_kib: without TCP's buffers, which are counted apart
kernel_kib() {
	{
		cat "$group/memory.kmem.usage_in_bytes" ||
			awk '$1 == "kernel" { print $2 }' "$group/memory.stat"
	} 2>/dev/null | awk '{ printf "%d\n", $1 / 1024 }'
}
each() { echo $((($1) * 1024 / sockets)); } # bytes a socket of so many KiB

# docs/performance.md, "Memory", with this test's window
data_most=$((2 * (3 * window + 4096)))
tcp_most=$((4 * tcp_buffer))
fixed_most=$((16 * 1024))
lfpd_most=$((window + 2 * mtu + 4096))
instance_most=$((window + 2 * mtu + 4096))

memory_group
lfpd_conf LINR02 MAX_SOCKETS=8192 WINDOW_SIZE=$window MTU_SIZE=$mtu
statements 01 WindowSize=$window MTU=$mtu MaxBufferSpace=256M
lfpd_start LINR02 "${in_group[@]}"
instance_start 01 "${in_group[@]}"
before=$(steady_fds "$lfpd" "$instance")
idle_lfpd=$(private_kib "$lfpd") idle_instance=$(private_kib "$instance") idle_unix=$(unix_kib)
[ -z "$group" ] || idle_kernel=$(kernel_kib)

start=$(now_ms)
stall host "$programs/stall" listen 127.0.0.1 7002 "$sockets" write
host=$!
wait_listen 7002
stall lfp "${in_group[@]}" "${lfp_prefix[@]}" "$programs/stall" connect 127.0.0.1 7002 "$sockets" write
lfp=$!
wait_for 120 full host $host && wait_for 120 full lfp $lfp
echo "stalled after $(($(now_ms) - start)) ms"
check_eq "$(word host full 2) $(word lfp full 2)" "$sockets $sockets" "all are stalled, both ways"
echo "in each: $(($(word lfp full 4) / sockets)) bytes out, $(($(word host full 4) / sockets)) bytes in"

check_le "$(each $(($(unix_kib) - idle_unix)))" $data_most "the kernel's memory for data in near and far ends, bytes a socket"
check_le "$(each "$(tcp_kib)")" $tcp_most "in lfpd's TCP sockets"
check_le "$(each $(($(private_kib "$lfpd") - idle_lfpd)))" $lfpd_most "lfpd's memory"
check_le "$(each $(($(private_kib "$instance") - idle_instance)))" $instance_most "the instance's"
if [ -n "$group" ]; then
	check_le "$(each $(($(kernel_kib) - idle_kernel)))" $((data_most + fixed_most)) "all that the kernel holds but TCP's buffers"
else
	echo "no memory control group can be made: what the sockets and descriptors themselves need is not measured"
fi

start=$(now_ms)
let_go host
let_go lfp
wait $host $lfp
echo "drained after $(($(now_ms) - start)) ms"
check_eq "$(word lfp read 2) $(word lfp read 3)" "$sockets $(word host full 4)" "all that the host wrote arrives"
check_eq "$(word host read 2) $(word host read 3)" "$sockets $(word lfp full 4)" "all that the program wrote arrives"
check "all sockets are gone" wait_for 30 no_sockets
check "their descriptors, too" wait_for 30 fds_back "$before" || echo "$before, now $(fds "$lfpd"):$(fds "$instance")"
check_eq "$(unix_kib)" "$idle_unix" "so is the data in near ends, KiB"
# Memory that the daemons keep: tables, some buffers, and partly used pages.
check_le $(($(private_kib "$lfpd") - idle_lfpd)) 24576 "lfpd gives memory back, KiB kept"
check_le $(($(private_kib "$instance") - idle_instance)) 24576 "the instance gives memory back, KiB kept"
finish
