# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-inside.sh - lib.sh sources it where LFP_GUEST names the folder of a running guest (lib-files.sh): then the LFP instance and
# the programs on LFP are in that guest, and lfpd is here
# shellcheck disable=SC2034

# In the place of an empty network namespace: a command in the guest, which has no network device
empty_net=("$O/tests/vsock/remote" run "$LFP_GUEST/vs" 5050)
lfp_prefix=("${empty_net[@]}" "$bin/lfp-run" ${LFP_MODE:+"--mode=$LFP_MODE"} -i 01)
path_keys=(UNIX_STREAM="$LFP_GUEST/vs" UNIX_PORT=5023)
path_statements=(Transport=vsock)

in_guest() { "${empty_net[@]}" "$@" </dev/null; }

instance_start() {
	local nn=$1
	in_guest env LFP_VMID=VSER05 "$bin/ijblfpop" START "$work/start-$nn" >"$work/start-$nn.log" 2>&1 ||
		die "ijblfpop START in the guest: exit $?: $(cat "$work/start-$nn.log")"
	at_exit_too=(instance_end "$nn")
	wait_for 60 instance_up "$nn" || die "instance $nn is not up: $(in_guest "$bin/ijblfpop" INFO "$nn" 2>&1 | head -n 5)"
}

instance_end() { in_guest "$bin/ijblfpop" STOP "$1" IMMEDIATE >/dev/null 2>&1; }

info() { in_guest "$bin/ijblfpop" INFO "$1" | value_of "$2" | tr -d ,; }

# A pid of this side is that of remote.
children() { in_guest sh -c 'pgrep -c -P "$(pgrep -o -x "$1")"' sh "$2"; }

# An emulated machine's clock is its own, and not exact: it is set until it is right within 100 ms.
same_clock() {
	local before there after
	for _ in {1..20}; do
		in_guest date -s "@$(awk -v t="$EPOCHREALTIME" -v off="${late:=0}" 'BEGIN { printf "%.3f", t + off }')" >/dev/null
		before=$EPOCHREALTIME there=$(in_guest date +%s.%N) after=$EPOCHREALTIME
		late=$(awk -v a="$before" -v g="$there" -v b="$after" -v late="$late" 'BEGIN { printf "%.3f", late + ((a + b) / 2 - g) / 2 }')
		! awk -v a="$before" -v g="$there" -v b="$after" 'BEGIN { d = (a + b) / 2 - g; exit d * d < 0.01 ? 0 : 1 }' || return 0
	done
	return 1
}

# An emulated processor takes its time: limits are TESTS_SLOWER times as long.
timeout() {
	local limit=$1
	shift
	[[ ! $limit =~ ^[0-9]+$ ]] || limit=$((limit * ${TESTS_SLOWER:-1}))
	command timeout "$limit" "$@"
}
