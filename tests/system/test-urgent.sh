#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Urgent data, and counts of unsent data: on LFP as natively
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

lfp_up
timeout 100 "$programs/urgent" >"$work/native" 2>&1
check_eq $? 0 "natively the program ends well"
timeout 100 "${lfp_prefix[@]}" "$programs/urgent" >"$work/lfp" 2>&1
check_eq $? 0 "the program ends well"
# Before Linux 6.10 a UNIX socket forgets the mark when the urgent byte is read before those in front of it.
if [ "$(python3 -c 'import array, fcntl, socket, sys
a, b = socket.socketpair()
a.send(b"!", socket.MSG_OOB)
a.send(b"d")
b.recv(1, socket.MSG_OOB)
mark = array.array("i", [0])
fcntl.ioctl(b, 0x8905, mark)
print(mark[0])')" = 0 ]; then
	check "natively TCP keeps the mark" grep -qx 'at the mark then: 1' "$work/native"
	sed -i 's/^at the mark then: 1$/at the mark then: 0/' "$work/native"
	skip_part "this kernel's UNIX sockets do not keep the mark"
fi
nr=0
while IFS='|' read -r native lfp; do
	nr=$((nr + 1))
	check_eq "$lfp" "$native" "line $nr, $native"
done < <(paste -d '|' "$work/native" "$work/lfp")
check "all sockets are gone" wait_for 30 no_sockets
finish
