# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The parts of the demo: checks, processes, namespaces and daemons. The demo sets root, the private
# root; bin, where the programs are; and here, where their configurations are.
# shellcheck disable=SC2154

passed=0 failed=0 skipped=0
jobs_started=()   # processes that end with the demo
instances=()      # what was started: "lfpd NAME" and "lfp NN"
daemons=()        # the process id of each
operator=()       # words that run a program for the operator where the LFP instances are
statements=$here  # where their statements are

title() { printf '\n== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }
ok() { passed=$((passed + 1)) && printf 'ok   %s\n' "$*"; }
not_ok() { failed=$((failed + 1)) && printf 'FAIL %s\n' "$*"; }
skip() { skipped=$((skipped + 1)) && printf 'skip %s\n' "$*"; }

# give_up REASON: nothing that follows would make sense
give_up() {
	not_ok "$*"
	exit 1
}

# check WHAT COMMAND...: does the command succeed?
check() {
	local what=$1
	shift
	if "$@"; then ok "$what"; else not_ok "$what" && return 1; fi
}

# The command as a visitor would type it, then its output.
show() {
	printf '$ %s\n' "$1"
	sed 's/^/   /' "$2"
}

# A zombie has ended; in a container it may stay forever.
alive() { grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status"; }

# in_time SECONDS COMMAND...: wait until the command succeeds
in_time() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# Run a command so that a signal to the demo is obeyed at once, not when the command has ended.
run() {
	local pid rc
	"$@" &
	pid=$!
	jobs_started+=("$pid")
	wait "$pid"
	rc=$?
	forget "$pid"
	return "$rc"
}

forget() {
	local pid rest=()
	for pid in "${jobs_started[@]}"; do [ "$pid" = "$1" ] || rest+=("$pid"); done
	jobs_started=("${rest[@]}")
}

end_job() {
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	forget "$1"
}

ended() { ! alive "$1"; }

# new_namespace [COMMAND...]: a network namespace in which the command succeeds. It lives as long as a process in it.
# Sets ENTER to the words that run a command there. Fails where the kernel or the container forbids namespaces, or rights
# in them: root without CAP_NET_ADMIN has these only in a user namespace of its own.
new_namespace() {
	local words pid ready=$root/namespace flags=(-r\ -n)
	[ "$(id -u)" != 0 ] || flags=(-n "${flags[@]}")
	for words in "${flags[@]}"; do
		: >"$ready"
		# shellcheck disable=SC2086 # words
		unshare $words -- sh -c 'echo ready; exec sleep infinity' >"$ready" 2>/dev/null &
		pid=$!
		jobs_started+=("$pid")
		until [ -s "$ready" ] || ! alive "$pid"; do sleep 0.02; done
		enter=(nsenter -t "$pid" -n --)
		[ "$words" = -n ] || enter=(nsenter -t "$pid" -U -n --preserve-credentials --)
		[ -s "$ready" ] && "${enter[@]}" "${@:-true}" 2>/dev/null && return 0
		end_job "$pid"
	done
	enter=()
	return 1
}

pid_of() { cat "$root/run/$1/pid" 2>/dev/null; }

# Both start in a session of their own, so that Ctrl-C never meets them half started.

# start_lfpd NAME PREFIX...: the prefix says where
start_lfpd() {
	local name=$1 out=$root/start.out rc
	shift
	instances+=("lfpd $name")
	"$@" setsid -w env LFP_VMID=LINLFP "$bin/lfpd-ctl" start "$name" >"$out" 2>&1
	rc=$?
	daemons+=("$(pid_of "vselfpd/$name")")
	show "lfpd-ctl start $name" "$out"
	check "lfpd $name runs" [ "$rc" = 0 ] || exit 1
}

# start_lfp NN PREFIX...
start_lfp() {
	local nn=$1 out=$root/start.out rc
	shift
	instances+=("lfp $nn")
	"$@" setsid -w env LFP_VMID=VSER05 "$bin/ijblfpop" START DD:SYSIPT LOGALL <"$statements/lfp-$nn.conf" >"$out" 2>&1
	rc=$?
	daemons+=("$(pid_of "vselfp/$nn")")
	show "ijblfpop START DD:SYSIPT LOGALL <lfp-$nn.conf" "$out"
	[ "$rc" = 0 ] && in_time 60 lfp_is_up "$nn"
	check "LFP instance $nn is up" [ $? = 0 ] || exit 1
}

lfp_is_up() { "${operator[@]}" "$bin/lfp-run" -i "$1" -- true 2>/dev/null; }

stop_instance() {
	case $1 in
	lfp) "${operator[@]}" "$bin/ijblfpop" STOP "$2" IMMEDIATE ;;
	lfpd) "$bin/lfpd-ctl" stop "$2" ;;
	esac >/dev/null 2>&1 </dev/null
}

# Ask them in the reverse order; what does not obey is ended by its number, if that is still ours.
stop_daemons() {
	local i pid rc=0
	for ((i = ${#instances[@]} - 1; i >= 0; i--)); do
		# shellcheck disable=SC2086 # words
		stop_instance ${instances[i]} || rc=1
	done
	for pid in "${daemons[@]}"; do
		if [ -z "$pid" ] || in_time 30 ended "$pid"; then continue; fi
		case $(readlink "/proc/$pid/exe") in "$bin"/*) kill -KILL "$pid" ;; esac
		rc=1
	done
	instances=() daemons=()
	return "$rc"
}

end_jobs() {
	local pid
	for pid in "${jobs_started[@]}"; do end_job "$pid"; done
}
