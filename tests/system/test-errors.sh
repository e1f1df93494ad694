#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Calls fail on LFP as they fail natively, with the same errno
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

lfp_up
timeout 100 "$programs/errors" >"$work/native" 2>&1 || die "natively: exit $?"
timeout 100 "${lfp_prefix[@]}" "$programs/errors" >"$work/lfp" 2>&1
check_eq $? 0 "the program ends well"
# A line is a test.
paste -d '|' "$work/native" "$work/lfp" >"$work/both"
while IFS='|' read -r native lfp; do
	step=${native%%:*}
	check_eq "$lfp" "$native" "$step"
done <"$work/both"
check "all sockets are gone" wait_for 30 no_sockets

# RESTRICT_TO_HOSTID: z/VSE has VSE_HOSTID and nothing else of this host.
stop_pid "$instance"
stop_pid "$lfpd"
lfp_up VSE_HOSTID=10.0.0.1 RESTRICT_TO_HOSTID=yes
background echo "$programs/echo" 0.0.0.0 7000
wait_listen 7000
cat >"$work/restricted.py" <<-'END'
	import errno, socket
	def name(what, *args):
	    with socket.socket() as s:
	        try:
	            getattr(s, what)(*args)
	            return s.getsockname()[0]
	        except OSError as e:
	            return errno.errorcode[e.errno]
	print("bind 10.0.0.1:", name("bind", ("10.0.0.1", 0)))
	print("bind 0.0.0.0:", name("bind", ("0.0.0.0", 0)))
	print("bind 127.0.0.1:", name("bind", ("127.0.0.1", 0)))
	print("listen unbound:", name("listen"))
	print("connect 10.0.0.1:", name("connect", ("10.0.0.1", 7000)))
	print("connect 127.0.0.1:", name("connect", ("127.0.0.1", 7000)))
END
if command -v python3 >/dev/null; then
	timeout 100 "${lfp_prefix[@]}" python3 "$work/restricted.py" >"$work/restricted" 2>&1
	for line in 'bind 10.0.0.1: 10.0.0.1' 'bind 0.0.0.0: 10.0.0.1' 'bind 127.0.0.1: EADDRNOTAVAIL' \
		'listen unbound: 10.0.0.1' 'connect 10.0.0.1: 10.0.0.1' 'connect 127.0.0.1: ENETUNREACH'; do
		check "restricted: $line" grep -qx "$line" "$work/restricted"
	done
	# The first refusal of each kind is in the log, with its reason.
	for call in "listen at 127.0.0.1, port 0" "reach 127.0.0.1, port 7000"; do
		check "the log: to $call" grep -q "VLFD170W .* was refused to $call of TCP, by RESTRICT_TO_HOSTID = yes, ALLOW_LOOPBACK = no\." "$work/lfpd-LINR02.log"
	done
else
	skip_part "RESTRICT_TO_HOSTID: python3 is not installed"
fi
finish
