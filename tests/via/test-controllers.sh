#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hostile controllers: silent ones, ones that take no answers, and ones that are none. Others are answered, and memory is bounded
. "$(dirname "$0")/../system/lib.sh"
needs python3
[ "$(id -u)" = 0 ] || skip "a mount namespace needs root"

configure() { # CONTROLLER
	mkdir -p "$work/via.d"
	echo "CONTROLLER = $1" >"$work/via.d/via.conf"
	"$bin/lfp-via" config "$work/via.d" "$work/disk" >"$work/config.log" 2>&1 || die "no disk: $(<"$work/config.log")"
}
configure "user 0"
mkdir "$work/run"
# shellcheck disable=SC2016
background init unshare --mount -- sh -c 'mount --bind "$1" /run && exec env VIA_DISK="$2" "$3"' sh "$work/run" "$work/disk" "$bin/via-init"
init=$!
control=$work/run/via/control
wait_for 30 test -S "$control" || die "no control socket: $(<"$work/init.log")"
via() { timeout 60 "$bin/lfp-via" -t "unix:$control" "$@"; }
high_water() { awk '/^VmHWM:/ { print $2 }' "/proc/$init/status"; }
check "a controller is answered" into "$work/answer" via query
before=$(high_water)

# A program that prints which of 6 silent connections are still open, after each further one
cat >"$work/silent.py" <<'END'
import select, socket, sys, time
held = []
for number in range(6):
    held.append(socket.socket(socket.AF_UNIX))
    held[-1].connect(sys.argv[1])
    # An answer shows that it is held, and from when it is silent: a busy machine would take several at one moment.
    held[-1].sendall(b"LIST\n")
    answer = b""
    while not answer.endswith(b"\n") or answer.split(b"\n")[-2][:1] != b".":
        answer += held[-1].recv(4096) or sys.exit("no answer")
    end = time.monotonic() + 30
    while True:
        poll = select.poll()
        for one in held:
            poll.register(one, select.POLLRDHUP)
        ended = {fd for fd, _ in poll.poll(50)}
        if len(held) - len(ended) <= 4 or time.monotonic() > end:
            break
    print("".join("-" if one.fileno() in ended else "+" for one in held), end=" ", flush=True)
print()
END
check_eq "$(python3 "$work/silent.py" "$control" | xargs)" "+ ++ +++ ++++ -++++ --++++" "4 silent ones are held, and a further one ends the oldest"

# Commands as long as any are taken, and no byte of an answer.
cat >"$work/deaf.py" <<'END'
import signal, socket, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
held, sent = [socket.socket(socket.AF_UNIX) for _ in range(4)], 0
for one in held:
    one.connect(sys.argv[1])
    one.settimeout(1)
    try:
        while sent < 100000000:
            sent += one.send(b"QUERY\nLIST\nLOG 200\n" * 100)
    except OSError:
        pass
print(sent, "bytes of commands", flush=True)
signal.sigwait([signal.SIGTERM])
END
background deaf python3 "$work/deaf.py" "$control"
deaf=$!
wait_for 60 grep -q commands "$work/deaf.log" || die "$(<"$work/deaf.log")"
cat "$work/deaf.log"
answered() { into "$work/answer" via query; }
check "beside 4 that take no answers another one is answered" wait_for 30 answered
stop_pid $deaf
check_le $(($(high_water) - before)) 4096 "KiB that init has grown at most"

# What is no controller is refused before anything of it is read, and does not fill the console.
configure "user 900"
check "RELOAD takes the right away" into "$work/answer" via reload
cat >"$work/refused.py" <<'END'
import socket, sys
answered = 0
for _ in range(200):
    one = socket.socket(socket.AF_UNIX)
    one.connect(sys.argv[1])
    one.settimeout(30)
    try:
        one.sendall(b"QUERY\n")
        answered += len(one.recv(1)) > 0
    except (BrokenPipeError, ConnectionResetError):
        pass
print(answered)
END
since=$(now_ms)
check_eq "$(python3 "$work/refused.py" "$control")" 0 "200 connections of another user: none is answered"
periods=$((1 + ($(now_ms) - since) / 10000 + 1))
told=$(grep -c "VLFD533W Commands of user 0" "$work/init.log")
check_le "$told" $((10 * periods)) "lines on the console, 10 in ten seconds"
check "- at least one" test "$told" -gt 0
check "the appliance goes on" kill -0 "$init"
finish
