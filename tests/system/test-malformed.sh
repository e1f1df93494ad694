#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Malformed packets, requests and questions end neither lfpd nor an LFP instance; total time:
# MALFORMED_SECONDS
# Time limit: 600 s
. "$(dirname "$0")/lib.sh"
needs python3
[ "$transport" = unix ] || skip "it sends packets as TRANSPORT = unix does; tests/transport/test-shm*.c do for shm"

seconds=${MALFORMED_SECONDS:-12}
each=$(((seconds + 3) / 4))
seed=${SEED:-$RANDOM}
echo "seed $seed, $each s each, daemons of $daemons"

instances=(01 02 03 04 05 06 07 08)
lfpd_path=$LFP_ROOT/run/vselfpd/LINR02/path

# goes_on TEXT: the three programs work together
goes_on() {
	check "$1: LFP works" into "$work/many.log" timeout 100 "${lfp_prefix[@]}" "$programs/many" 127.0.0.1 7000 20 4095
	grep -q '^20 sockets carry data' "$work/many.log" || { cat "$work/many.log"; tail -n 3 "$work/lfpd-LINR02.log"; }
}

background echo "$programs/echo" 127.0.0.1 7000
wait_listen 7000
lfpd_conf LINR02 PEER_IUCV_APPNAME= PEER_IUCV_VMID= MAX_SOCKETS=4096 MAX_SOCKETS_USER=4096
statements 01

lfpd_start LINR02
before=$(fds "$lfpd")
check "to lfpd" timeout $((each + 100)) python3 "$here/malform.py" lfpd "$lfpd_path" $each "$seed"
check "to lfpd's admin socket" timeout 100 python3 "$here/malform.py" lines "$LFP_ROOT/run/vselfpd/LINR02/admin" 1 "$seed"
check "lfpd lives" kill -0 "$lfpd"
freed() { [ "$(fds "$lfpd")" -le "$before" ] && no_sockets; }
check "lfpd has freed everything" wait_for 30 freed || echo "$(fds "$lfpd") descriptors, not $before; $(lfpd_sockets) sockets"
instance_start 01
goes_on "after that"

before=$(fds "$instance")
check "to the control socket" timeout $((each + 100)) python3 "$here/malform.py" ctl "$LFP_ROOT/run/vselfp/01/ctl" $each "$seed"
check "to the operator's socket" timeout 100 python3 "$here/malform.py" lines "$LFP_ROOT/run/vselfp/01/op" 1 "$seed"
check "the instance lives" kill -0 "$instance"
instance_freed() { [ "$(fds "$instance")" -le "$before" ] && no_sockets; }
check "the instance has freed everything" wait_for 30 instance_freed || echo "$(fds "$instance") descriptors, not $before; $(lfpd_sockets) sockets"
goes_on "after that"

# instances, by a bad lfpd. A path lives until the first packet whose framing is bad, and there is one a
# second and instance: so there are several. ---
stop_pid "$instance"
for nn in "${instances[@]}"; do
	statements "$nn" "IucvSrcAppName=TEST$nn"
done
check "lfpd ends when it is told" stop_pid "$lfpd"
background malform python3 "$here/malform.py" instance "$lfpd_path" $((each * 2 + 2)) "$seed"
bad_lfpd=$!
wait_for 30 grep -q listening "$work/malform.log" || die "$(cat "$work/malform.log")"
instance_pids=()
try_start() { # until the bad lfpd lets the first path come up
	env LFP_VMID=VSER05 "$daemons/ijblfpop" START "$work/start-$1" >"$work/start-$1.log" 2>&1
}
for nn in "${instances[@]}"; do
	wait_for 30 try_start "$nn" || die "instance $nn: $(cat "$work/start-$nn.log")"
	instance_pids+=("$(cat "$LFP_ROOT/run/vselfp/$nn/pid")")
done
touch "$lfpd_path.go"
# Programs give the bad lfpd requests to answer; their results do not matter here.
programs_run() {
	local nn
	while ! ended $bad_lfpd; do
		for nn in "${instances[@]}"; do
			timeout 1 "${empty_net[@]}" "$bin/lfp-run" -i "$nn" "$programs/load" 127.0.0.1 7001 7002 7000 7004 >/dev/null 2>&1 &
		done
		wait
	done
}
programs_run &
programs_pid=$!
pids+=($programs_pid)
wait $bad_lfpd
check_eq $? 0 "to the instances: $(tail -n 1 "$work/malform.log")"
wait_for 60 ended $programs_pid
for i in "${!instances[@]}"; do
	check "instance ${instances[i]} lives" kill -0 "${instance_pids[i]}"
done
# With a good lfpd all is good again. One instance at a time: the others are stopped.
for i in "${!instances[@]}"; do
	[ "$i" = 0 ] || check "STOP of instance ${instances[i]}" into "$work/stop.log" "$bin/ijblfpop" STOP "${instances[i]}"
done
rm -f "$lfpd_path" "$lfpd_path.go"
lfpd_start LINR02
check "the path comes back" wait_for 30 instance_up 01
goes_on "after that"
check "STOP" "$bin/ijblfpop" STOP 01
check "lfpd ends when it is told" stop_pid "$lfpd"
finish
