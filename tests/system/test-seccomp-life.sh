#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The seccomp supervisor: it begins and ends with its program, nests, serves calls that bypass the shim, and reports calls
# that it can't serve
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

background echo "$programs/echo" 127.0.0.1 7000
wait_listen 7000
lfp_up
"$bin/lfp-run" --mode=seccomp -i 01 true >"$work/possible" 2>&1 || skip "$(cat "$work/possible")"
client=("$programs/supervised" get 127.0.0.1 7000)

one() { [ -z "$(supervisors)" ]; }
one() { [ "$(supervisors | wc -l)" = 1 ]; }

for mode in preload seccomp both; do
	lfp_mode $mode
	check_exit 0 "$mode: a program" on_lfp true
	check_exit 3 "$mode: its exit code" on_lfp sh -c 'exit 3'
	# shellcheck disable=SC2016
	check_exit 143 "$mode: a signal that ends it" on_lfp sh -c 'kill -TERM $$'
	# shellcheck disable=SC2016
	check_eq "$(on_lfp sh -c 'read -r children </proc/$$/task/$$/children; echo "<$children>"')" "<>" "$mode: it has no child"
	check_eq "$(echo in | on_lfp cat)" in "$mode: its standard files"
	check "$mode: a client" into "$work/said" on_lfp "${client[@]}"
	check "$mode: the supervisor has ended" wait_for 30 no_supervisor
done
"$bin/lfp-run" -i 01 --mode=nonsense true 2>/dev/null
check_eq $? 64 "there is no such mode"

# With a real-time policy, on one processor, threads that do not sleep would keep the one from ending that
# is to end all
cpu=$(sed -n 's/^Cpus_allowed_list:\t\([0-9]*\).*/\1/p' /proc/self/status)
if chrt -f 1 true 2>/dev/null && taskset -c "$cpu" true 2>/dev/null; then
	for _ in 1 2 3 4 5; do taskset -c "$cpu" chrt -f 1 "${lfp_prefix[@]}" "${client[@]}" >/dev/null; done
	check "with a real-time policy the supervisor ends, too" wait_for 30 no_supervisor
else
	skip_part "no real-time policy here"
fi

# A daemon that outlives its starter, and holds none of its files
cat >"$work/daemon.py" <<-'END'
	import os, socket, sys
	if os.fork(): sys.exit(0)
	os.setsid()
	null = os.open("/dev/null", os.O_RDWR)
	for fd in 0, 1, 2: os.dup2(null, fd)
	s = socket.create_server(("127.0.0.1", 7060))
	open(sys.argv[1], "w").write(str(os.getpid()))
	while True:
	    c, _ = s.accept()
	    c.sendall(b"alive")
	    c.close()
END
if [ -x /usr/bin/python3 ]; then
	lfp_mode seccomp
	said=$(timeout 60 "${lfp_prefix[@]}" /usr/bin/python3 "$work/daemon.py" "$work/daemon.pid")
	check_eq "$? $said" "0 " "a reader of its output does not wait for the supervisor"
	wait_listen 7060
	daemon=$(cat "$work/daemon.pid")
	pids+=("$daemon")
	check_eq "$(timeout 60 bash -c 'cat </dev/tcp/127.0.0.1/7060')" alive "its daemon is served"
	kill -TERM "$daemon"
	check "and the supervisor ends with it" wait_for 30 no_supervisor
else
	skip_part "python3 is not installed"
fi

lfp_mode both
check "lfp-run inside lfp-run" into "$work/said" on_lfp "$bin/lfp-run" -i 01 "${client[@]}"
check "it needs no environment for that" into "$work/said" on_lfp env -i LFP_ROOT="$LFP_ROOT" "$bin/lfp-run" --mode=seccomp -i 01 "${client[@]}"
background_on_lfp outer "$bin/lfp-run" -i 01 sleep 100
outer=$!
check "both have one supervisor" wait_for 30 one
kill "$outer"
wait "$outer" 2>/dev/null
on_lfp "$bin/lfp-run" --mode=seccomp -i 02 true >"$work/said" 2>&1
check_eq $? 69 "not with another instance"
check "$(cat "$work/said")" grep -q "^VLFB717E .*another instance" "$work/said"

watched=("${empty_net[@]}" "$programs/supervised" watched "$bin/lfp-run" -i 01)
"${watched[@]}" --mode=both "${client[@]}" >"$work/said" 2>&1
check_eq $? 69 "there is another supervisor"
check "$(cat "$work/said")" grep -q "^VLFB717E --mode=both .*already has a seccomp supervisor" "$work/said"
"${watched[@]}" -v "${client[@]}" >"$work/said" 2>&1
check_eq "$? $(tail -n 1 "$work/said")" "0 hello" "then the shim serves, unless more was asked for"
check "and -v tells" grep -q "^VLFB719I .*already has a seccomp supervisor" "$work/said"

check "a program without an environment" into "$work/said" on_lfp env -i "${client[@]}"
check "is a client" grep -qx hello "$work/said"
lfp_mode preload
on_lfp env -i "${client[@]}" >"$work/said" 2>&1
check_eq "$? $(cat "$work/said")" "1 connect: ENETUNREACH" "which the shim alone does not serve"
lfp_mode both

if [ "$(id -u)" = 0 ]; then
	cp "$programs/supervised" "$work/setuid"
	chown 1 "$work/setuid" && chmod 4755 "$work/setuid"
	lfp_mode both
	check "with CAP_SYS_ADMIN: a set-user-id program" into "$work/said" on_lfp "$work/setuid" get 127.0.0.1 7000
	# shellcheck disable=SC2016
	check_eq "$(on_lfp sh -c 'grep NoNewPrivs: /proc/$$/status')" "NoNewPrivs:	0" "and no_new_privs is not set"
	if type -P setpriv >/dev/null; then
		user=(setpriv --reuid 1000 --regid 1000 --clear-groups --bounding-set=-sys_admin)
		chmod 755 "$work" "$LFP_ROOT" "$LFP_ROOT"/run "$LFP_ROOT"/run/vselfp "$LFP_ROOT"/run/vselfp/01
		"${empty_net[@]}" "${user[@]}" "$bin/lfp-run" --mode=both -i 01 "$work/setuid" get 127.0.0.1 7000 >"$work/said" 2>&1
		check_eq $? 69 "without: it is not started"
		check "$(cat "$work/said")" grep -q '^VLFB718E .*setuid .*CAP_SYS_ADMIN.*--mode=preload' "$work/said"
		"${empty_net[@]}" "${user[@]}" "$bin/lfp-run" --mode=both -i 01 sh -c "cd '$work' && ./setuid get 127.0.0.1 7000" >"$work/said" 2>&1
		check_eq $? 0 "without: as a helper it runs, without its rights"
		check "$(head -n 1 "$work/said")" grep -q '^VLFB730W ./setuid .*CAP_SYS_ADMIN.*--mode=preload' "$work/said"
		check_eq "$(grep -c hello "$work/said")" 1 "and its sockets are LFP's"
		mkfifo "$work/full" && exec {full}<>"$work/full"
		dd if=/dev/zero of="$work/full" bs=4096 oflag=nonblock 2>/dev/null
		timeout 60 "${empty_net[@]}" "${user[@]}" "$bin/lfp-run" --mode=both -i 01 sh -c "cd '$work' && ./setuid get 127.0.0.1 7000" \
			>"$work/said" 2>&"$full"
		check_eq "$? $(tail -n 1 "$work/said")" "0 hello" "nor does it wait for a reader of the reason"
		exec {full}<&-
		check "a user's program without the shim" into "$work/said" \
			"${empty_net[@]}" "${user[@]}" "$bin/lfp-run" --mode=seccomp -i 01 "${client[@]}"
		"${empty_net[@]}" "${user[@]}" "$bin/lfp-run" --mode=seccomp -i 01 "$programs/supervised" hidden >"$work/said" 2>&1
		check_eq "$(cat "$work/said")" "socket: EAFNOSUPPORT" "a process that can't be looked into makes no Internet socket"
		check "the instance's log has it" grep -Eq \
			'VLFB050W Program supervised, process [0-9]+: refused socket\(AF_INET\): .*may not read' "$LFP_ROOT/run/vselfp/01/log"
		# More calls that wait than threads can be had
		check "no other supervisor is left" wait_for 30 no_supervisor
		mkfifo "$work/line" && exec {line}<>"$work/line"
		timeout 100 "${empty_net[@]}" "${user[@]}" "$bin/lfp-run" --mode=seccomp -i 01 "$programs/supervised" crowd 7070 \
			<"$work/line" >"$work/crowd.log" 2>&1 &
		crowd=$!
		pids+=("$crowd")
		check "a program with many threads" wait_for 30 grep -q ready "$work/crowd.log"
		"${user[@]}" prlimit --nproc=1:1 --pid "$(supervisors)" || die "prlimit"
		echo >&"$line"
		wait "$crowd"
		check_eq $? 0 "its calls do not hang where the supervisor has no thread for them"
		cat >"$work/want" <<-'END'
			ready
			bind: 0
			getsockname: 0
			sendto: 1
			recvfrom: 1
			recvfrom with nothing there: ENOBUFS
			connect: ENOBUFS
			connect without waiting: EINPROGRESS
			shutdown: 0
			all ended
		END
		check "those that wait are refused, all others are served" diff "$work/want" "$work/crowd.log"
		check_eq "$(grep -c 'VLFB050W Program supervised, .*: refused a call that would block: .*threads' \
			"$LFP_ROOT/run/vselfp/01/log")" 1 "the instance's log says so, once"
		exec {line}<&-
		lfp_mode seccomp
		check_eq "$(on_lfp "$programs/supervised" hidden)" "socket: 0" "but for a supervisor with CAP_SYS_PTRACE"
	else
		skip_part "setpriv is not installed"
	fi
else
	skip_part "set-user-id programs: not root"
fi

lfp_mode seccomp
background_on_lfp orphan "$programs/supervised" gone
orphan=$!
works() { grep -q '\.\.\.' "$work/orphan.log"; }
check "a program at work" wait_for 30 works
kill -KILL "$(supervisors)"
check "the program notices that its supervisor has died" wait_for 30 ended "$orphan"
check_eq "$(tail -n 1 "$work/orphan.log")" "socket: ENOSYS" "as the kernel tells it"
lfp_mode both
mkfifo "$work/go"
# shellcheck disable=SC2016
background_on_lfp heir sh -c 'read -r _ <"$1"; shift; exec "$@"' sh "$work/go" "${client[@]}"
heir=$!
check "a program with the shim and a supervisor" wait_for 30 one
kill -KILL "$(supervisors)"
check "whose supervisor dies" wait_for 30 no_supervisor
echo >"$work/go"
wait "$heir"
check_eq "$? $(tail -n 1 "$work/heir.log")" "0 hello" "does not need it: the shim's calls are not stopped"
check "all sockets are gone" wait_for 30 no_sockets
check "no supervisor is left" wait_for 30 no_supervisor
finish
