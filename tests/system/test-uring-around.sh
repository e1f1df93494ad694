#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Rules and io_uring: a ring that no library sees reaches nothing, as there is no ring or no network
# Time limit: 60 s
. "$(dirname "$0")/lib.sh"
needs python3

# Says what comes, by TCP and by UDP.
cat >"$work/server.py" <<'END'
import select, socket
tcp = socket.create_server(("10.0.0.1", 7200))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("10.0.0.1", 7200))
print("listening", flush=True)
while True:
    for s in select.select([tcp, udp], [], [])[0]:
        if s is tcp: tcp.accept()[0].close()
        print("connection" if s is tcp else udp.recv(10).decode(), flush=True)
END
background server python3 "$work/server.py"
wait_for 60 grep -q listening "$work/server.log" || die "the server does not listen"
came() { grep -cv listening "$work/server.log"; }

timeout 20 "$programs/uring-around" 10.0.0.1 7200 >"$work/said" 2>&1
grep -qx 'setup: done' "$work/said" || skip "no io_uring here: $(cat "$work/said")"
grep -qx 'connect: EINVAL' "$work/said" && skip "io_uring makes no sockets before Linux 5.19"
check_eq "$(paste -sd , "$work/said")" \
	"setup: done,connect: done,sendmsg: done,connect of its own socket: done,sendmsg of its own socket: done" "natively a ring reaches the server"
all_came() { [ "$(came)" = 4 ]; }
check "which tells" wait_for 20 all_came

# around TEXT RESULTS LFP-RUN-OPTION...: what the ring reaches
around() {
	local text=$1 results=$2
	shift 2
	timeout 60 "$bin/lfp-run" --private --deny any "$@" "$programs/uring-around" 10.0.0.1 7200 >"$work/said" 2>&1
	check_eq "$(paste -sd , "$work/said")" "$results" "$text"
}
around "preload: the ring's sockets have no network, and the program's are none of the kernel's" \
	"setup: done,connect: ENETUNREACH,sendmsg: ENETUNREACH,connect of its own socket: EINVAL,sendmsg of its own socket: EINVAL" --mode=preload
if "$bin/lfp-run" --private --mode=seccomp true 2>/dev/null; then
	for mode in seccomp both; do around "$mode: there is no ring" "setup: ENOSYS" --mode=$mode; done
else
	skip_part "no supervisor here"
fi
check_eq "$(came)" 4 "nothing more has come to the server"
finish
