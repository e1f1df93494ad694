#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Under SystemCallFilter=@system-service programs run on LFP, or are told why not; nothing dies of SIGSYS
# Time limit: 100 s
. "$(dirname "$0")/lib.sh"
needs python3

filtered() { timeout 60 "$programs/system-service" "$@"; }
filtered kill true || skip "no seccomp filter here"
check_exit 159 "the filter kills" into "$work/said" filtered kill unshare --root=/ true

cat >"$work/do.py" <<'END'
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
peer = server.accept()[0]
client.sendall(b"x")
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
udp.sendto(b"y", udp.getsockname())
print(peer.recv(1), udp.recv(1), socket.getaddrinfo("127.0.0.1", 80)[0][4][0])
END
said="b'x' b'y' 127.0.0.1"
for action in kill errno; do
	for mode in '' --mode=preload; do
		# shellcheck disable=SC2086 # no option, or one
		check "$action, ${mode:-the default mode}: a private instance and its program" \
			into "$work/said" filtered $action "$bin/lfp-run" --private $mode python3 "$work/do.py"
		check_eq "$(cat "$work/said")" "$said" "the program has its sockets"
	done
	for option in --mode=seccomp --mode=both '--resolve program'; do
		# shellcheck disable=SC2086 # words
		check_exit 69 "$action: $option is refused" into "$work/said" filtered $action "$bin/lfp-run" --private $option true
		check "with the reason" grep -q "a system call filter around lfp-run forbids what the supervisor needs" "$work/said"
	done
	check_exit 69 "$action: --keep-net is refused" into "$work/said" filtered $action "$bin/lfp-run" --private --keep-net true
	check "with the call" grep -q "landlock_create_ruleset()" "$work/said"
	filtered $action "$bin/lfp-run" -v --private true 2>&1 | grep -q "VLFB719I .* system call filter" && ok "$action: -v tells the reason" || fail "$action: -v tells no reason"
done
if "$bin/lfp-run" --private --mode=seccomp true 2>"$work/said"; then
	for mode in seccomp both; do
		check "with seccomp and pidfd_getfd there is a supervisor: --mode=$mode" \
			into "$work/said" filtered more "$bin/lfp-run" --private --mode=$mode python3 "$work/do.py"
		check_eq "$(cat "$work/said")" "$said" "the program has its sockets"
	done
else
	skip_part "no supervisor here: $(cat "$work/said")"
fi

# Daemons of the system, and a program beside them
lfp_up
check "an instance's program" into "$work/said" on_lfp "$programs/system-service" kill python3 "$work/do.py"
check_eq "$(cat "$work/said")" "$said" "under a filter of its own"
finish
