#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# In the seccomp tier a reset, or the death of a daemon, is no end of file: the supervisor guards the
# connections
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -O1 -g -static -I"$top" -o "$work/cut-short" "$here/cut-short.c" 2>"$work/cc.log" ||
	skip "no static program can be linked here: $(head -n 1 "$work/cc.log")"
export GOCACHE=$O/tests/apps/go-cache GOPATH=$work/gopath GOPROXY=off GO111MODULE=off GOENV=off CGO_ENABLED=0 GOFLAGS=
go=
if command -v go >/dev/null && go build -o "$work/cut-short-go" "$here/cut-short.go" >"$work/go.log" 2>&1; then go=yes; fi
lfp_up
"$bin/lfp-run" --mode=seccomp -i 01 true >"$work/possible" 2>&1 || skip "$(cat "$work/possible")"
lfp_mode seccomp

port=7100
said() { grep -qx "$1" "$work/reader.log"; }
result() { grep ', then' "$work/reader.log"; }

# meet WHAT HOW [ARGUMENT...]: a reader on LFP, $reader, that connects or listens, and a sender on the host, $sender
meet() {
	local what=$1 how=$2
	shift 2
	port=$((port + 1))
	if [ "$how" = connect ]; then
		background sender "$work/cut-short" send listen $port "$what"
		sender=$!
		wait_listen $port
		background_on_lfp reader "$work/cut-short" read connect $port "$@"
		reader=$!
	else
		background_on_lfp reader "$work/cut-short" read "$how" $port "$@"
		reader=$!
		wait_listen $port
		background sender "$work/cut-short" send connect $port "$what"
		sender=$!
	fi
}

# is WANTED TEXT: the reader ends, and says this
is() {
	check "$2: the reader wakes" wait_for 30 ended "$reader"
	check_eq "$(result)" "20000 bytes, then $1" "$2"
	check_eq "$(sed -n 's/^again: //p' "$work/reader.log")" 0 "$2: and the end after that"
	kill "$sender" 2>/dev/null
	wait "$sender" 2>/dev/null
}

heard_end() { grep -qx '5 bytes came' "$work/sender.log"; }
kill_instance() { stop_pid "$instance" KILL; }
kill_lfpd() { stop_pid "$lfpd" KILL; }
up_again() {
	ended "$lfpd" && lfpd_start LINR02
	ended "$instance" && instance_start 01
	wait_for 60 instance_up 01 || die "instance 01 is not up again"
}

for how in connect listen; do
	meet end $how
	is 0 "$how: an end in order"
	meet reset $how
	is ECONNRESET "$how: a reset"
	meet reply $how write 5
	is ECONNRESET "$how: a reset after the program has written"
	rm -f "$work/go"
	meet reset $how late "$work/go"
	check "$how: all has arrived" wait_for 30 said there
	wait_for 30 ended "$sender"
	touch "$work/go"
	is ECONNRESET "$how: a reset after data that were not read yet"
done

# came NR TEXT: the host has received this many bytes
came() { check_eq "$(cat "$work/sender.log")" "$1 bytes came" "$2: the host has what was written"; }

for how in connect listen; do
	for nr in 0 5 3000000; do
		meet answer $how write $nr shut
		is ECONNRESET "$how: a reset after $nr bytes and the program's end"
		came $nr "$how, $nr bytes"
		meet end $how write $nr shut
		is 0 "$how: an end in order after $nr bytes and the program's end"
	done
	rm -f "$work/go"
	meet answer $how write 5 shut late "$work/go"
	check "$how: all has arrived" wait_for 30 said there
	wait_for 30 ended "$sender"
	touch "$work/go"
	is ECONNRESET "$how: a reset after the program's end and data that were not read yet"
done

background counter "$work/cut-short" count 7089
counter=$!
wait_listen 7089
check "a process writes while another one shuts down" into "$work/race.log" on_lfp "$work/cut-short" race 7089 300
check_eq "$(cat "$work/race.log" "$work/counter.log")" "" "and nothing is lost, or added"
stop_pid $counter

# die_under WHO TEXT: WHO is killed under connections of all kinds
die_under() {
	local how
	for how in connect listen; do
		meet hold $how
		check "$2, $how: all is read" wait_for 30 said read
		"$1"
		is ECONNRESET "$2, $how: a blocked reader"
		up_again
		rm -f "$work/go"
		meet hold $how late "$work/go"
		check "$2, $how: all has arrived" wait_for 30 said there
		"$1"
		touch "$work/go"
		is ECONNRESET "$2, $how: after data that were not read yet"
		up_again
		rm -f "$work/go"
		meet end $how late "$work/go"
		check "$2, $how: the end has arrived" wait_for 30 said ended
		"$1"
		touch "$work/go"
		is 0 "$2, $how: an end in order that came before"
		up_again
		meet stay $how write 5 shut
		check "$2, $how: all is read" wait_for 30 said read
		check "$2, $how: the host has the end" wait_for 30 heard_end
		"$1"
		is ECONNRESET "$2, $how: a reader that has shut down writing"
		up_again
		rm -f "$work/go"
		meet end $how shut late "$work/go"
		check "$2, $how: both ends have arrived" wait_for 30 said ended
		"$1"
		touch "$work/go"
		is 0 "$2, $how: both ends in order that came before"
		up_again
	done
	if [ -n "$go" ]; then
		die_under_go "$1" "$2: a Go program" hold
		die_under_go "$1" "$2: a Go program after its end" stay shut
	else
		skip_part "there is no Go here"
	fi
}

# die_under_go WHO TEXT WHAT [ARGUMENT]
die_under_go() {
	port=$((port + 1))
	background sender "$work/cut-short" send listen $port "$3"
	sender=$!
	wait_listen $port
	background_on_lfp reader "$work/cut-short-go" $port ${4:+"$4"}
	reader=$!
	check "$2 has read all" wait_for 30 said read
	"$1"
	check "$2 wakes" wait_for 30 ended "$reader"
	check_eq "$(result)" "20000 bytes, then ECONNRESET" "$2"
	stop_pid "$sender"
	up_again
}

if [ "$transport" != local ]; then
	die_under kill_instance "the instance is killed"
	die_under kill_lfpd "lfpd is killed"
	for pid in $instance $lfpd; do stop_pid "$pid"; done
	transport=local
	lfp_up
fi
die_under kill_lfpd "lfpd that hosts the instance is killed"

# The instance of the last part is lfpd's
rm -f "$work/go"
meet reset "listen:$work/go"
missed() { grep -q 'VLFB070W Instance 01: a reset may look like an end of file .*(1 connections so far)' "$work/lfpd-LINR02.log"; }
check "the log reports a reset before accept()" wait_for 30 missed
touch "$work/go"
check "the program ends" wait_for 30 ended "$reader"

cat >"$work/serve.py" <<-'END'
	import socket
	s = socket.create_server(("127.0.0.1", 7090), backlog=64)
	while True:
	    c, _ = s.accept()
	    c.sendall(b"x")
	    c.close()
END
if command -v python3 >/dev/null; then
	background serve python3 "$work/serve.py"
	wait_listen 7090
	background_on_lfp many "$work/cut-short" many 7090 200 "$work/begin" "$work/stop"
	ready() { grep -qx "$1" "$work/many.log"; }
	wait_for 30 ready ready || die "no connection"
	supervisor=$(supervisors)
	before=$(steady_fds "$supervisor")
	touch "$work/begin"
	check "200 connections" wait_for 60 ready done
	check_eq "$(steady_fds "$supervisor")" "$before" "the supervisor has as many descriptors as before"
	touch "$work/stop"
else
	skip_part "no python3"
fi

strict() { "${empty_net[@]}" "$bin/lfp-run" --mode=seccomp --strict-eof -i 01 "$@"; }
check "--strict-eof" strict true
check "--strict-eof under a supervisor" on_lfp "$bin/lfp-run" --mode=seccomp --strict-eof -i 01 true
if command -v python3 >/dev/null; then
	cat >"$work/guards.py" <<-'END'
		import socket, struct, sys, time
		kept = []
		for i in range(600):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		    s.connect(sys.argv[1])
		    s.send(struct.pack("=IHHiiiIiiQ", 0x4C465031, int(sys.argv[2]), 0, 0, 0, 0, 0, 0, 0, 0))
		    if struct.unpack_from("=Ii", s.recv(8192))[1]: break
		    kept.append(s)
		print(len(kept), flush=True)
		time.sleep(1000)
	END
	check "the guards of before have ended" wait_for 30 no_supervisor
	guard_op=$(grep -v '^\s*\*\|^\s*/\*' "$top/lfp/ctl.h" | sed -n '/^enum lfp_ctl_op/,/^};/s/^\t\(LFP_CTL_[A-Z]*\).*/\1/p' | grep -n '^LFP_CTL_GUARD$' | cut -d : -f 1)
	background guards python3 "$work/guards.py" "$LFP_ROOT/run/vselfp/01/ctl" "$guard_op"
	guards=$!
	full() { [ "$(cat "$work/guards.log")" = "$(share 512)" ]; }
	check "an instance has a bound of guards" wait_for 30 full
	check_exit 69 "--strict-eof without a guard" into "$work/strict" strict true
	check "and why" grep -q 'VLFB731E --strict-eof is unavailable: ' "$work/strict"
	check "without --strict-eof the program starts" on_lfp true
	meet end connect
	is 0 "and works"
	stop_pid $guards
fi
check "all sockets are gone" wait_for 30 no_sockets
check "all supervisors have ended" wait_for 30 no_supervisor
finish
