# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-lfp.sh - a part of lib.sh: lfpd, an LFP instance, and programs on it

# lfpd_conf NAME [KEY=VALUE | KEY=]...: write the presentation's file, without its restriction; "KEY=" leaves out a key
lfpd_conf() {
	local name=$1 dir=$LFP_ROOT/etc/opt/ibm/vselfpd pair key
	shift
	declare -A value=([IUCV_SRC_APPNAME]=$name [PEER_IUCV_VMID]=VSER05 [PEER_IUCV_APPNAME]=TESTV
		[IUCV_MSGLIMIT]=1024 [MTU_SIZE]=8192 [MAX_SOCKETS]=4096 [INITIAL_IO_BUFS]=128
		[WINDOW_SIZE]=65535 [WINDOW_THRESHOLD]=25 [VSE_CODEPAGE]=EBCDIC-US
		[VSE_HOSTID]=127.0.0.1 [RESTRICT_TO_HOSTID]=no [LOG_INFO_MSG]=yes)
	[ "$transport" = unix ] || value[TRANSPORT]=$transport
	[ "$transport" != local ] || value[LOCAL_INSTANCE]=01
	[ -z "${LFP_USER:-}" ] || value[USER]=$LFP_USER
	for pair in "${path_keys[@]}" "$@"; do value[${pair%%=*}]=${pair#*=}; done
	mkdir -p "$dir/confs-available" "$dir/confs-enabled"
	conf=$dir/confs-available/lfpd-$name.conf
	for key in "${!value[@]}"; do
		[ -z "${value[$key]}" ] || echo "$key = ${value[$key]}"
	done >"$conf"
	ln -sf "../confs-available/lfpd-$name.conf" "$dir/confs-enabled/lfpd-$name.conf"
}

# share N: print the number of sockets or tasks that the user of the tests may have, of N for all users
share() { [ "$(id -u)" = 0 ] && echo "$1" || echo $(($1 - $1 / 4)); }

# lfpd_start NAME [WRAPPER...]: start lfpd in the foreground of a process of ours; $lfpd is its id
lfpd_start() {
	local name=$1
	shift
	rm -f "$work/lfpd-$name.log"
	background "lfpd-$name" env LFP_VMID=LINLFP "$@" "$daemons/lfpd" -d -f \
		"$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-$name.conf"
	lfpd=$!
	[ "$transport" != local ] || instance=$lfpd
	wait_for 60 lfpd_answers "$name" || die "lfpd $name does not answer: $(tail -n 3 "$work/lfpd-$name.log")"
}

lfpd_answers() { "$bin/lfpd-admin" -i "$1" -s >/dev/null; }

# status NAME LABEL: a value of lfpd-admin's status
status() { "$bin/lfpd-admin" -i "$1" -s | value_of "$2"; }

# value_of LABEL: "LABEL ..... : VALUE" and "LABEL = VALUE"
value_of() {
	awk -v label="$1" '{
		sub(/^ */, "")
		rest = substr($0, length(label) + 1)
		if (index($0, label) == 1 && match(rest, /^[ .]*[:=] */)) { print substr(rest, RLENGTH + 1); exit }
	}'
}

# statements NN [KEY=VALUE | KEY=]...: the presentation's START statements, in $start_file
statements() {
	local nn=$1 pair key
	shift
	declare -A value=([ID]=$nn [MTU]=8192 [IucvMsgLimit]=1024 [InitialBufferSpace]=512K [MaxBufferSpace]=4M
		[IucvSrcAppName]=TESTV [IucvDestAppName]=LINR02 [IucvDestVMId]=LINLFP
		[WindowSize]=65535 [WindowThreshold]=25)
	[ "$transport" = unix ] || value[Transport]=$transport
	for pair in "${path_statements[@]}" "$@"; do value[${pair%%=*}]=${pair#*=}; done
	start_file=$work/start-$nn
	for key in "${!value[@]}"; do
		[ -z "${value[$key]}" ] || echo "$key = ${value[$key]}"
	done >"$start_file"
	if [ "$transport" = local ]; then
		mkdir -p "$LFP_ROOT/etc/vselfp"
		cp "$start_file" "$LFP_ROOT/etc/vselfp/lfp-$nn.conf"
	fi
}

# needs_own_processes: skip the test where the instance lives in lfpd's process
needs_own_processes() {
	[ "$transport" != local ] || skip "with TRANSPORT = local lfpd and the instance are one process: $*"
}

# instance_start NN [WRAPPER...]: start instance NN from $work/start-NN and wait for its path; $instance is its id
instance_start() {
	local nn=$1
	shift
	if [ "$transport" = local ]; then # lfpd starts the instance, and ends with it
		ended "${lfpd:-0}" && lfpd_start LINR02 "$@"
	else
		env LFP_VMID=VSER05 "$@" "$daemons/ijblfpop" START "$work/start-$nn" >"$work/start-$nn.log" 2>&1 ||
			die "ijblfpop START: exit $?: $(cat "$work/start-$nn.log")"
	fi
	instance=$(cat "$LFP_ROOT/run/vselfp/$nn/pid") || die "instance $nn has no pid file"
	wait_for 60 instance_up "$nn" || die "instance $nn is not up: $("$bin/ijblfpop" INFO "$nn" 2>&1 | head -n 5)"
}

instance_up() { [ "$(info "$1" STATUS)" = UP ] && [ "$(info "$1" 'DEVICE STATUS')" = ACTIVE ]; }

# fds_back BEFORE: as many descriptors as steady_fds gave before. The instance, which is lfpd with local, may keep one more: the
# set of a user's near ends without a path (ijblfp/near/near-living.h).
fds_back() {
	local was more=0
	IFS=: read -ra was <<<"$1"
	[ "$transport" != local ] || more=1
	[ "$(fds "$lfpd")" -le $((was[0] + more)) ] && [ "$(fds "$instance")" -le $((was[1] + 1)) ]
}

# info NN LABEL: a value of ijblfpop INFO, without its thousands separators
info() { "$bin/ijblfpop" INFO "$1" | value_of "$2" | tr -d ,; }

# lfp_up [KEY=VALUE...]: LINR02 and instance 01; keys in upper case (but ID and MTU) are lfpd's
lfp_up() {
	[ -z "${NATIVE:-}" ] || return 0
	local pair conf_keys=() start_keys=()
	for pair in "$@"; do
		if [[ ${pair%%=*} =~ ^[A-Z0-9_]{4,}$ ]]; then conf_keys+=("$pair"); else start_keys+=("$pair"); fi
	done
	lfpd_conf LINR02 "${conf_keys[@]}"
	statements 01 "${start_keys[@]}"
	lfpd_start LINR02
	instance_start 01
}

# LFP_MODE=preload, seccomp or both: how LFP serves programs, unless a test sets it
lfp_prefix=("${empty_net[@]}" "$bin/lfp-run" ${LFP_MODE:+"--mode=$LFP_MODE"} -i 01)

# NATIVE=1: a test of the test itself, without LFP
[ -z "${NATIVE:-}" ] || lfp_prefix=()

# lfp_mode MODE: serve programs in this mode from now on. The shim cannot serve static programs. The supervisor may
# have sanitizers, as long as its shim is not loaded into programs without them.
lfp_mode() {
	local runner=$bin/lfp-run
	[ "$1" != seccomp ] || runner=$daemons/lfp-run
	[ -n "${NATIVE:-}" ] || lfp_prefix=("${empty_net[@]}" "$runner" "--mode=$1" -i 01)
}

# supervisors: the ids of the seccomp supervisors of this test's programs
supervisors() {
	local exe dir
	# One find looks at all processes: a command for each process would take too long on a busy machine.
	find /proc/[0-9]*/exe -maxdepth 0 \( -lname "$bin/lfp-run" -o -lname "$daemons/lfp-run" \) 2>/dev/null | while read -r exe; do
		dir=${exe%/exe}
		[ "$(readlink "$dir/cwd")" = / ] && grep -qzxF "LFP_ROOT=$LFP_ROOT" "$dir/environ" && echo "${dir#/proc/}"
	done
}
no_supervisor() { command -v find >/dev/null && [ -z "$(supervisors)" ]; }

# on_lfp COMMAND...: run in an empty network namespace, where not even the loopback is up
on_lfp() { "${lfp_prefix[@]}" "$@"; }

# background_on_lfp NAME COMMAND...: $! is the program's own id
background_on_lfp() {
	local name=$1
	shift
	background "$name" "${lfp_prefix[@]}" "$@"
}

# instance_log NN: the file that has the messages of instance NN
instance_log() {
	if [ "$transport" = local ]; then
		echo "$work/lfpd-LINR02.log"
	else
		echo "$LFP_ROOT/run/vselfp/$1/log"
	fi
}

# children PID NAME: print the number of children of a program on LFP
children() { pgrep -c -P "$1"; }

# same_clock: the clock of programs on LFP is this side's
same_clock() { :; }

# ends_a_line FILE: it has lines, and the last one is whole
ends_a_line() { [ "$(tail -c 1 "$1" 2>/dev/null | wc -l)" = 1 ]; }

# Print the number of sockets that lfpd has now.
lfpd_sockets() { status LINR02 'Number of active sockets'; }
no_sockets() { [ "$(lfpd_sockets)" = 0 ]; }
