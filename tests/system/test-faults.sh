#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd, the LFP instance or the program ends without warning, at random moments; FAULTS times each
# Time limit: 600 s
. "$(dirname "$0")/lib.sh"

faults=${FAULTS:-50}
RANDOM=${SEED:-1}
within_ms=1000
declare -A waited=() # by thread

# The host: an endless source, a sink, an echo server, and a client of the program's own server
cat >"$work/host.py" <<-'END'
	import socket, threading
	data = bytes(100000)
	def source(s):
	    while True: s.sendall(data)
	def sink(s):
	    while s.recv(100000): pass
	def guard(f, s):
	    try: f(s)
	    except OSError: pass
	    s.close()
	def serve(port, f):
	    l = socket.create_server(("127.0.0.1", port), backlog=100)
	    while True:
	        s, _ = l.accept()
	        threading.Thread(target=guard, args=(f, s), daemon=True).start()
	def client(port):
	    while True:
	        try:
	            with socket.create_connection(("127.0.0.1", port), 1) as s:
	                s.sendall(b"x")
	                s.recv(1)
	        except OSError:
	            event.wait(0.005)
	event = threading.Event()
	for port, f in (7001, source), (7002, sink):
	    threading.Thread(target=serve, args=(port, f), daemon=True).start()
	client(7004)
END
needs python3
background host python3 "$work/host.py"
background echo "$programs/echo" 127.0.0.1 7003
for port in 7001 7002 7003; do wait_listen $port; done
lfp_up

load_start() {
	background_on_lfp load setsid "$programs/load" 127.0.0.1 7001 7002 7003 7004
	load=$!
	# Waits for its sockets; the fault then comes at a random moment.
	wait_for 30 listens 7004 || die "the program does not start: $(cat "$work/load.log")"
	read -r role_pids <"/proc/$load/task/$load/children"
	random_moment
}
random_moment() { read -r -t "0.$(printf '%03d' $((RANDOM % 100)))" -u "$never" _; }

# starved_ms: print for how many ms so far some process of this machine was ready to run and had no processor
starved_ms() {
	local total=total=0
	read -r _ _ _ _ total 2>/dev/null </proc/pressure/cpu
	echo $((${total#total=} / 1000))
}

# Time in which a thread of this process, of a daemon or of the program was ready to run and had no processor does not count. Threads
# wait at the same time: of what they waited between two looks, the longest counts, because the sum would be too much.
# look_begins, look_more: length[i] is the time between looks i - 1 and i, and delay[i] the part of it that does not count, in us.
look_begins() {
	length=() delay=() look=0
	waits
	looked=${EPOCHREALTIME/[.,]/}
}
look_more() {
	local now=${EPOCHREALTIME/[.,]/} wait at part
	look=$((look + 1))
	length[look]=$((now - looked)) delay[look]=0 looked=$now
	waits
	for wait in "${waits[@]}"; do
		# The kernel adds a wait when it ends. It may have begun before the previous look.
		for ((at = look; wait > 0 && at > 0; wait -= length[at], at--)); do
			part=$((wait < length[at] ? wait : length[at]))
			[ $part -le "${delay[at]}" ] || delay[at]=$part
		done
	done
}

# waits: ${waits[@]} is what each thread has waited for a processor since the last call, in us
waits() {
	local pid file now
	waits=()
	for pid in $$ "$lfpd" "$instance" "$load" $role_pids; do
		for file in "/proc/$pid/task"/*/schedstat; do
			read -r _ now _ 2>/dev/null <"$file" || continue
			waits+=($(((now - ${waited[$file]:-0}) / 1000)))
			waited[$file]=$now
		done
	done
}

# so_in COMMAND...: repeats the command until it ends with 0; 1 after a minute. $ms is the start of the last failed
# look, because the state may have changed right after it, plus the time of the last look, if that was unusually long and
# the machine had a processor for each process: then a daemon did not answer.
so_in() {
	local starved took end failed=0 rc=0
	end=$(($(now_ms) + 60000))
	look_begins
	while look_more && starved=$(starved_ms) && ! "$@" 2>/dev/null; do
		failed=$look
		[ "$(now_ms)" -lt $end ] || { rc=1 && break; }
		read -r -t 0.02 -u "$never" _
	done
	starved=$((($(starved_ms) - starved) * 1000))
	look_more
	took=$((length[look] - (delay[look] > starved ? delay[look] : starved)))
	for ((ms = 0, look = 1; look <= failed; look++)); do ms=$((ms + length[look] - delay[look])); done
	[ $rc = 1 ] || [ $took -lt 300000 ] || ms=$((ms + took))
	ms=$((ms / 1000))
	return $rc
}

# Every role says how it ended. Nothing but stdio may take a cut for an end of file. The port may listen before the program
# is told.
role_errors() {
	grep -Ev \
		-e '^(recv|read|readv|sleeper) [a-z]+ ECONNRESET socket' \
		-e '^stdio fread (ECONNRESET|EOF) socket' \
		-e '^writer send (ECONNRESET|EPIPE) socket' \
		-e '^(connector|nonblocking|opener) [a-zSO_ER]+ (ECONNRESET|ENETDOWN|EPIPE) socket' \
		-e '^acceptor accept (ECONNRESET|ENETDOWN) socket' \
		-e '^acceptor listen ENETDOWN socket' \
		-e '^[a-z]+ (socket|connect) (ECONNRESET|ENETDOWN) socket' "$work/load.log"
	grep -Ev ' socket (ENETDOWN|made)$' "$work/load.log"
	[ "$(wc -l <"$work/load.log")" = 10 ] || echo "$(wc -l <"$work/load.log") roles of 10 have reported"
}

# verdict WHAT COUNT WORST BAD: one test for each of the three things that a series shows
verdict() {
	check_le "$3" $within_ms "$1: in $2 times all noticed within, ms"
	check_eq "$4" "" "$1: every call ended as it should"
}

fds_before="$(fds "$lfpd"):$(fds "$instance")"
idle() { no_sockets && fds_back "$fds_before" && [ "$(info 01 'ACTIVE TASK COUNT')" = 0 ]; }

worst=0 bad='' left=0
for ((i = 0; i < faults; i++)); do
	load_start
	kill -KILL -- "-$load" 2>/dev/null || kill -KILL "$load" $(pgrep -P "$load")
	so_in idle || left=$((left + 1))
	[ $ms -le $worst ] || worst=$ms
	wait "$load" 2>/dev/null
	[ $left = 0 ] || break
done
# A socket of a call that was under way is found by the sweep.
check_le $worst $within_ms "the program is killed: in $i times all was freed within, ms"
check_eq $left 0 "the program is killed: nothing is left" ||
	echo "lfpd: $(lfpd_sockets) sockets, $(fds "$lfpd") descriptors; instance: $(fds "$instance"), not $fds_before; $(info 01 'ACTIVE TASK COUNT') tasks"

# Sockets that were never connected: no event of the kernel reports their close.
cat >"$work/unconnected.py" <<-'END'
	import resource, socket, time
	resource.setrlimit(resource.RLIMIT_NOFILE, (2000, 2000))
	socks = [socket.socket() for _ in range(1000)]
	for s in socks[:500]: s.bind(("127.0.0.1", 0))
	print("ready", flush=True)
	time.sleep(100)
END
background_on_lfp unconnected python3 "$work/unconnected.py"
wait_for 120 grep -q ready "$work/unconnected.log" || die "no 1,000 sockets: $(cat "$work/unconnected.log")"
kill -KILL $!
so_in idle
check_le $ms $within_ms "a program with 1,000 unconnected sockets is killed: freed within, ms"

worst=0 bad='' hangs=''
for ((i = 0; i < faults; i++)); do
	load_start
	kill -KILL "$lfpd"
	so_in ended "$load" || hangs=yes
	[ $ms -le $worst ] || worst=$ms
	[ -z "$hangs" ] || { bad+="never ends: $(cat "$work/load.log")"; kill -KILL -- "-$load"; break; }
	bad+=$(role_errors)
	wait_for 30 ended "$lfpd"
	lfpd_start LINR02
	wait_for 30 instance_up 01 || { bad+="no new path"; break; }
	lfpd_fds=$(fds "$lfpd")
done
verdict "lfpd is killed" $i "$worst" "$bad"
if [ "$transport" = local ]; then
	skip_part "lfpd and the instance are one process: neither outlives the other"
	finish
fi
check "lfpd is killed: the instance has freed everything" wait_for 30 idle ||
	echo "instance: $(fds "$instance") descriptors, not $instance_fds"
downs=$(grep -c 'VLFB[0-9]*[WE].*path' "$LFP_ROOT/run/vselfp/01/log")
check_le "$downs" $((i + 1)) "lfpd is killed: reported once each time"
[ "$downs" -ge "$i" ] || fail "lfpd is killed: said only $downs times"

worst=0 bad='' hangs=''
for ((i = 0; i < faults; i++)); do
	load_start
	kill -KILL "$instance"
	so_in ended "$load" || hangs=yes
	[ $ms -le $worst ] || worst=$ms
	[ -z "$hangs" ] || { bad+="never ends: $(cat "$work/load.log")"; kill -KILL -- "-$load"; break; }
	bad+=$(role_errors)
	so_in no_sockets || bad+="lfpd keeps $(lfpd_sockets) sockets"
	[ $ms -le $worst ] || worst=$ms
	instance_start 01
done
verdict "the instance is killed" $i "$worst" "$bad"
check_eq "$(grep -c VLFD113W "$work/lfpd-LINR02.log")" "$i" "the instance is killed: lfpd says it once each time"
instance_fds=$(fds "$instance")
check "the instance is killed: lfpd has freed everything" wait_for 30 idle || echo "lfpd: $(fds "$lfpd") descriptors, not $lfpd_fds"

check "later calls work" timeout 60 "${lfp_prefix[@]}" python3 -c '
import socket
s = socket.create_connection(("127.0.0.1", 7003))
s.sendall(b"hello")
assert s.recv(5) == b"hello"'
finish
