# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib.sh - for tests that run real daemons; a test sources it on its first line
#
# Theory of operation
#
# A test runs in a network namespace of its own, "the host". Its loopback is up and also has 10.0.0.1, and all
# its ports are free. on_lfp runs programs on LFP in a second, empty namespace. A user without root gets
# both from a user namespace that keeps the user's id.
#
# All files are under $work, which is also LFP_ROOT's parent. A test never waits for a number of seconds,
# only for conditions (wait_for). At exit, the test ends its processes by their ids, and also every daemon
# that left a pid file under LFP_ROOT.
#
# Results: check counts one test and goes on after a failure; finish says "N passed, N failed, N
# skipped", which tests/run counts; skip ends the test with 77; skip_part counts one as skipped.

set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
O=$(cd "$top" && cd "${O:-build}" && pwd) || exit 1
export O
bin=$O/bin
# O_SAN: a build with sanitizers. The tests then use its daemons, and fail if a sanitizer reports anything.
daemons=${O_SAN:-$O}/bin
# LFP_TRANSPORT=unix, shm or local: the transport of the path, unless a test sets it
transport=${LFP_TRANSPORT:-unix}
# The path's own keys and statements, where the transport needs any. The ports of AF_VSOCK are the system's, whatever the
# network namespace: so each test has its own.
path_keys=() path_statements=()
if [ "$transport" = vsock ]; then
	path_keys=(PEER_CID=1 VSOCK_PORT=$((10000 + $$))) path_statements=(PeerCid=1 VsockPort=$((10000 + $$)))
fi
# LFP_USER: the user that root's lfpd becomes, unless a test sets it
here=$(cd "$(dirname "$0")" && pwd)
programs=$O/tests/system # C programs of tests/system
empty_net=(unshare --net --)

skip() {
	echo "skipped: $*"
	exit 77
}

if [ -z "${LFP_TEST_NET:-}" ]; then
	export LFP_TEST_NET=1
	if [ "$(id -u)" = 0 ]; then
		own_net=(unshare --net --)
	else
		own_net=(unshare --user --map-current-user --keep-caps --net --)
	fi
	why=$("${own_net[@]}" ip link set lo up 2>&1) || skip "no network namespace: $why"
	exec "${own_net[@]}" "$0" "$@"
fi
ip link set lo up
ip addr add 10.0.0.1/32 dev lo 2>/dev/null
# DGRAM_QLEN: net.unix.max_dgram_qlen. The kernel sets 10 (net/unix/af_unix.c, unix_net_init()), systemd 512.
[ -z "${DGRAM_QLEN:-}" ] || echo "$DGRAM_QLEN" 2>/dev/null >/proc/sys/net/unix/max_dgram_qlen ||
	skip "net.unix.max_dgram_qlen cannot be set here"

passed=0 failed=0 skipped=0

ok() {
	passed=$((passed + 1))
	echo "ok: $*"
}

fail() {
	failed=$((failed + 1))
	echo "FAILED: $*"
}

# die TEXT...: the test cannot go on
die() {
	fail "$*"
	exit 1
}

# check TEXT COMMAND...: one test, which passes if the command ends with 0
check() {
	local text=$1 rc
	shift
	"$@"
	rc=$?
	if [ $rc = 0 ]; then
		ok "$text"
	else
		fail "$text (exit $rc: $*)"
	fi
	return $rc
}

# check_exit RC TEXT COMMAND...
check_exit() {
	local want=$1 text=$2 rc
	shift 2
	"$@"
	rc=$?
	if [ $rc = "$want" ]; then
		ok "$text"
	else
		fail "$text (exit $rc, not $want: $*)"
		return 1
	fi
}

# check_eq GOT WANT TEXT
check_eq() {
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		fail "$3: '$1', not '$2'"
		return 1
	fi
}

# check_le GOT MOST TEXT
check_le() {
	if [ "$1" -le "$2" ]; then
		ok "$3 ($1, at most $2)"
	else
		fail "$3: $1, more than $2"
		return 1
	fi
}

skip_part() {
	skipped=$((skipped + 1))
	echo "skipped: $*"
}

finish() {
	local complaints
	if [ -n "${O_SAN:-}" ]; then
		for pid in $(pidfiles) ${lfpd:-}; do stop_pid "$pid"; done # leaks are reported at the end
		complaints=$(cat "$work"/sanitizer.* 2>/dev/null | head -n 60)
		check_eq "$complaints" "" "no sanitizer complains"
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}

# needs PROGRAM...: skip the test if one is not installed
needs() {
	local program
	for program in "$@"; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# into FILE COMMAND...: run the command with its output in a file, so that check can run it
into() {
	local file=$1
	shift
	"$@" >"$file" 2>&1
}

# wait_for SECONDS COMMAND...: wait until the command ends with 0. Returns 1 after so many seconds, TESTS_SLOWER times as many.
wait_for() {
	local end=$(($(now_ms) + $1 * 1000 * ${TESTS_SLOWER:-1}))
	shift
	until "$@" 2>/dev/null; do
		[ "$(now_ms)" -lt "$end" ] || return 1
		read -r -t 0.02 -u "$never" _ # a fifth of what starting sleep(1) costs
	done
	return 0
}

now_ms() {
	local t=$EPOCHREALTIME
	echo $((${t/[.,]/} / 1000))
}

# held_up [PID...]: print for how many ms so far the threads of these processes, by default of this one, were ready to
# run and had no processor. Other processes add this time to measurements. 0 if the kernel does not count it.
held_up() {
	local pid file waited sum=0
	for pid in "${@:-$$}"; do
		for file in "/proc/$pid/task"/*/schedstat; do
			waited=0
			read -r _ waited _ 2>/dev/null <"$file"
			sum=$((sum + waited))
		done
	done
	echo $((sum / 1000000))
}

# A zombie with other threads still has its files, and the locks on them.
ended() {
	local tasks
	kill -0 "$1" 2>/dev/null || return 0
	[ "$(process_state "$1")" = Z ] || return 1
	tasks=("/proc/$1/task"/*)
	[ ${#tasks[@]} -le 1 ]
}

process_state() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return
	stat=${stat##*) }
	echo "${stat%% *}"
}

# listens PORT: true if a socket of the host listens on this TCP port
listens() {
	local hex
	hex=$(printf ':%04X [0-9A-F]*:0000 0A ' "$1")
	grep -q "$hex" /proc/net/tcp /proc/net/tcp6
}
# listens_both PORT: true if sockets listen on an IPv4 and an IPv6 address. A server binds them one after the other.
listens_both() {
	local hex
	hex=$(printf ':%04X [0-9A-F]*:0000 0A ' "$1")
	grep -q "$hex" /proc/net/tcp && grep -q "$hex" /proc/net/tcp6
}

wait_listen() { wait_for "${2:-60}" listens "$1"; }
wait_listen_both() { wait_for 60 listens_both "$1"; }

# bound PORT: true if a socket of the host has this UDP port
bound() {
	local hex
	hex=$(printf '^ *[0-9]*: [0-9A-F]*:%04X ' "$1")
	grep -q "$hex" /proc/net/udp /proc/net/udp6
}

# bound_both PORT: true if an IPv4 and an IPv6 socket have this UDP port
bound_both() {
	local hex
	hex=$(printf '^ *[0-9]*: [0-9A-F]*:%04X ' "$1")
	grep -q "$hex" /proc/net/udp && grep -q "$hex" /proc/net/udp6
}

wait_bound() { wait_for "${2:-60}" bound "$1"; }
wait_bound_both() { wait_for 60 bound_both "$1"; }

pids=()
at_exit_too=(:) # a command

# background NAME COMMAND...: start it with its output in $work/NAME.log; $! is its id
background() {
	local name=$1
	shift
	: >"$work/$name.log" # here and not in the process, which starts later: an earlier process of this NAME has left output
	"$@" >"$work/$name.log" 2>&1 </dev/null &
	pids+=($!)
}

# ours PID: true if this is still a process of this test. The kernel gives the number of an ended process to
# another one, soon if a test starts thousands of programs (kernel/pid.c, alloc_pid()).
ours() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	stat=${stat##*) } # state, parent, ...
	[ "$(cut -d ' ' -f 2 <<<"$stat")" != $$ ] || return 0
	grep -qszFx "LFP_ROOT=$LFP_ROOT" "/proc/$1/environ"
	[ $? != 1 ] # 2: this user may not read it
}

# stop_pid PID [SIGNAL]: end a process and wait until it is gone
stop_pid() {
	ours "$1" || { wait "$1" 2>/dev/null; return 0; }
	kill "-${2:-TERM}" "$1" 2>/dev/null
	if ! wait_for 60 ended "$1"; then
		echo "process $1 does not end by ${2:-TERM}"
		kill -KILL "$1"
		wait_for 60 ended "$1"
		return 1
	fi
	wait "$1" 2>/dev/null
	return 0
}

# pidfiles: the ids of our own daemons that left a pid file and still run
pidfiles() {
	local file pid
	for file in "$LFP_ROOT"/run/vselfp*/*/pid; do
		pid=$(cat "$file" 2>/dev/null)
		[[ $pid =~ ^[0-9]+$ ]] || continue
		[[ $(readlink "/proc/$pid/exe") = /*/lfpd* || $(readlink "/proc/$pid/exe") = /*/ijblfpop* ]] && echo "$pid"
	done
}

at_exit() {
	local rc=$? pid log
	trap - EXIT INT TERM
	"${at_exit_too[@]}"
	for pid in "${pids[@]}" $(pidfiles); do ! ours "$pid" || kill -TERM "$pid" 2>/dev/null; done
	for pid in "${pids[@]}" $(pidfiles); do
		ours "$pid" || continue
		wait_for 10 ended "$pid" || { kill -KILL "$pid"; wait_for 10 ended "$pid"; }
	done
	if [ $rc != 0 ] && [ $rc != 77 ] || [ "$failed" != 0 ]; then
		for log in "$work"/*.log "$LFP_ROOT"/run/vselfp*/*/log; do
			[ -s "$log" ] && echo "--- the end of ${log#"$work"/}:" && tail -n 15 "$log" | cut -c 1-300
		done
		echo "$passed passed, $((failed > 0 ? failed : 1)) failed, $skipped skipped"
	fi
	if [ -n "${KEEP:-}" ]; then
		echo "kept: $work"
	else
		rm -rf "$work"
	fi
	exit $rc
}

# The name is short, because the path of a UNIX socket has at most 107 bytes. Other users' programs may enter.
work=$(mktemp -d "${LFP_GUEST:-/tmp}/lfp.XXXXXX") && chmod 755 "$work" || exit 1
export LFP_ROOT=$work/root
mkdir -p "$LFP_ROOT"
mkfifo "$work/never" && exec {never}<>"$work/never" && rm "$work/never" || exit 1
if [ -n "${O_SAN:-}" ]; then
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:log_path=$work/sanitizer" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}:log_path=$work/sanitizer"
fi
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# fds PID: print the number of descriptors of a process. Not counted are those that an LFP instance keeps for later:
# sockets without a name in the namespace of near ends, up to 16 of each kind, and pipes
fds() {
	local list=(/proc/"$1"/fd/*) maker='' stock=0
	stock=$(find "/proc/$1/fd" -lname 'pipe:*' 2>/dev/null | wc -l)
	read -r maker _ 2>/dev/null <"/proc/$1/task/$1/children"
	if [ -n "$maker" ] && grep -qx lfp-near "/proc/$maker/comm" 2>/dev/null; then
		stock=$((stock + $(find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null | tr -dc '0-9\n' | sort |
			comm -12 - <(awk 'NF == 7 { print $7 }' "/proc/$maker/net/unix" | sort) | wc -l)))
	fi
	echo $((${#list[@]} - stock))
}
# steady_fds PID...: print these numbers with colons between them, once they stay the same for a while: ended programs
# may still be closing descriptors
steady_fds() {
	local pid now='' last='' same=0 end
	end=$(($(now_ms) + 30000))
	while [ $same -lt 15 ] && [ "$(now_ms)" -lt $end ]; do
		now=''
		for pid in "$@"; do now+=:$(fds "$pid"); done
		[ "$now" = "$last" ] && same=$((same + 1)) || same=0
		last=$now
		read -r -t 0.02 -u "$never" _
	done
	echo "${now#:}"
}
rss_kib() { awk '/^VmRSS:/ { print $2 }' "/proc/$1/status"; }

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
# hosts_file: $work/hosts is /etc/hosts for "${on_host[@]}" COMMAND..., which finds names there, by the name servers of
# $work/resolv.conf if it exists, and nowhere else. Skips the test where files cannot be bound.
hosts_file() {
	local bind_more=''
	echo "hosts: files" >"$work/nsswitch.conf"
	if [ -e "$work/resolv.conf" ]; then
		echo "hosts: files dns" >"$work/nsswitch.conf"
		bind_more=" && mount --bind $work/resolv.conf /etc/resolv.conf"
	fi
	cat >"$work/on-host" <<-END
		#!/bin/sh
		mount --bind $work/hosts /etc/hosts && mount --bind $work/nsswitch.conf /etc/nsswitch.conf$bind_more && exec "\$@"
	END
	chmod +x "$work/on-host"
	on_host=(unshare --mount -- "$work/on-host")
	"${on_host[@]}" true 2>/dev/null || skip "files can't be bound here"
}

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

# LFP_GUEST=DIR: the instance and the programs on LFP are in a running guest (tests/vsock/lib-files.sh)
# shellcheck source=tests/vsock/lib-inside.sh
[ -z "${LFP_GUEST:-}" ] || . "$top/tests/vsock/lib-inside.sh"
