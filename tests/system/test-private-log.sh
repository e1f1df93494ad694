#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-run --private --log and --summary: the log is whole when lfp-run returns, which ends as its program does
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs python3 curl

private=(timeout 60 "$bin/lfp-run" --private)
log=$work/run.log
mkdir "$work/www"
head -c 300000 /dev/urandom >"$work/www/data"
background server python3 -m http.server -d "$work/www" --bind 10.0.0.1 7000
wait_listen 7000 || die "the server does not listen"
fetch=(curl -q -sS --noproxy '*' -o "$work/got" http://10.0.0.1:7000/data)

"${private[@]}" --allow 10.0.0.1:7000 --log "$log" --summary sh -c "$(printf '%q ' "${fetch[@]}"); $(printf '%q ' "${fetch[@]/7000/7001}"); exit 7" 2>"$work/err"
check_eq $? 7 "the exit status is the program's"
check "and it has its data" cmp -s "$work/got" "$work/www/data"
events() { sed -n 's/.*"event":"\([a-z]*\)".*/\1/p' "$1" | paste -sd ' '; }
check_eq "$(events "$log")" "connect end connect" "the log is whole when lfp-run returns"
check "the end has its bytes" grep -Eq '"event":"end".*"program":"[^"]*curl".*"port":7000.*"bytes_in":300[0-9]{3}' "$log"
check "the refusal has its rule" grep -q '"port":7001.*"rule":2,"refused_by":"rule","by_default":1,"result":"ECONNREFUSED"' "$log"
check "the summary has what was reached" grep -Eq '^curl +tcp +10.0.0.1:7000 +1 +0 +0 +[0-9]+ +300[0-9]{3}$' "$work/err"
check "and what was refused" grep -Eq '^curl +tcp +10.0.0.1:7001 +0 +0 +1 .*refused by the default$' "$work/err"
"${private[@]}" --log "$log" true
check_eq "$(events "$log")" "connect end connect" "a second log is added to the first"
check "--log - is standard error" eval '"${private[@]}" --log - "${fetch[@]}" 2>&1 >/dev/null | grep -q "\"event\":\"end\""'
cat >"$work/many.py" <<'END'
import os, socket, sys
os.set_blocking(2, False)
for i in range(int(sys.argv[1])):
    with socket.socket() as s:
        try:
            s.connect(("127.0.0.2", 1 + i))
        except OSError:
            pass
os.write(1, b"finished\n")
END
# The reader of the log takes nothing until the program has ended: 64 KiB are in its pipe then.
"${private[@]}" --log - --summary python3 "$work/many.py" 600 2>&1 >"$work/finished" | {
	wait_for 60 grep -q finished "$work/finished"
	cat
} >"$work/all"
check_eq "$(grep -c '^{.*"event":"connect".*}$' "$work/all") $(grep -c '"event":"connect"' "$work/all")" "600 600" "a program that sets O_NONBLOCK takes no record away"
check "nor the summary" grep -q "127.0.0.2:1 " "$work/all"
"${private[@]}" --log - python3 "$work/many.py" 300 2>&1 >"$work/finished" | true
check_eq "${PIPESTATUS[0]} $(cat "$work/finished")" "0 finished" "a reader of the log that has gone ends nothing"
check "--mode=seccomp has a log, too" eval '"${private[@]}" --mode=seccomp --log - "${fetch[@]}" 2>&1 >/dev/null | grep -q "\"event\":\"end\""'
check_eq "$("${private[@]}" --log "$log" sh -c 'ls /proc/self/fd | wc -l')" "$("${private[@]}" sh -c 'ls /proc/self/fd | wc -l')" \
	"the program has no descriptor of it"
check_eq "$(echo word | "${private[@]}" --summary cat 2>/dev/null)" word "it has the standard files of lfp-run"
check_exit 69 "a log that cannot be opened" into "$work/said" "${private[@]}" --log "$work/none/log" true
check "and the reason given" grep -q '^VLFB740E .*No such file' "$work/said"
check_exit 64 "--summary needs --private" into "$work/said" "$bin/lfp-run" -i 01 --summary true
check_exit 69 "another log inside is refused" into "$work/said" "${private[@]}" "$bin/lfp-run" --private --summary true
check_exit 127 "a program that is missing" into "$work/said" "${private[@]}" --summary "$work/none"

# Signals: each way ends both.
started_status() { # SIGNAL: to lfp-run
	background life "$bin/lfp-run" --private --summary python3 -c '
import signal, sys, time
signal.signal(signal.SIGUSR1, lambda *a: sys.exit(3))
print("runs", flush=True)
while True: time.sleep(1)'
	life=$!
	wait_for 60 grep -qx runs "$work/life.log" || return 1
	program=$(pgrep -P $life)
	case $1 in
	program-*) kill "-${1#program-}" "$program" ;;
	*) kill "-$1" $life ;;
	esac
	wait $life 2>/dev/null
}
started_status USR1
check_eq $? 3 "a signal for lfp-run is the program's"
started_status program-TERM
check_eq $? 143 "the program's death by a signal is lfp-run's"
started_status KILL
check_eq $? 137 "SIGKILL of lfp-run"
check "ends the program" wait_for 30 ended "$program"
nothing_left() { [ -z "$(ls -A "$LFP_ROOT/run/vselfp/stacks-$(id -u)")" ]; }
check "and leaves nothing behind" wait_for 30 nothing_left
stopped() { [ "$(process_state "$1")" = T ]; }
background life "$bin/lfp-run" --private --summary python3 -c 'import time
print("runs", flush=True)
while True: time.sleep(1)'
life=$!
wait_for 60 grep -qx runs "$work/life.log" || die "no program"
program=$(pgrep -P $life)
kill -STOP "$program"
check "lfp-run stops when its program stops" wait_for 30 stopped $life
kill -CONT $life
goes_on() { ! stopped "$program" && ! stopped $life; }
check "and both go on together" wait_for 30 goes_on
stop_pid $life TERM
check "nothing is left" wait_for 30 nothing_left
finish
