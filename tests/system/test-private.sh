#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-run --private: an LFP instance for one program, -n, and lfp-run without -i
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs python3 curl

stacks=$LFP_ROOT/run/vselfp/stacks-$(id -u)
private=(timeout 60 "$bin/lfp-run" --private)

# The ids of the processes of private instances: lfpd, its parent and that one's parent.
lfpd_of() {
	local file
	for file in /proc/[0-9]*/cmdline; do
		tr '\0' ' ' 2>/dev/null <"$file" | grep -q "lfpd .*-f $LFP_ROOT/run/vselfp/stacks-" && basename "${file%/cmdline}"
	done
}
parent_of() { sed -n 's/^PPid:\t//p' "/proc/$1/status"; }
nothing_left() { [ -z "$(ls -A "$stacks" 2>/dev/null)" ] && [ -z "$(lfpd_of)" ]; }

mkdir "$work/www"
head -c 300000 /dev/urandom >"$work/www/data"
background server python3 -m http.server -d "$work/www" --bind 10.0.0.1 7000
wait_listen 7000 || die "the server does not listen"

fetch() { # OPTION...
	"${private[@]}" "$@" curl -q -sS --noproxy '*' -o "$work/got" http://10.0.0.1:7000/data && cmp -s "$work/got" "$work/www/data"
}
check "a program fetches a file from the host" fetch
check "with the supervisor alone" fetch --mode=seccomp
check "with the library alone" fetch --mode=preload
check_eq "$("${private[@]}" cat /proc/net/dev | tail -n +3 | grep -v ' lo: *0')" "" "its own network has no interface but an unused lo"
check_exit 7 "the exit status is the program's" "${private[@]}" sh -c 'exit 7'
check_exit 143 "so is its signal" "${private[@]}" sh -c 'kill -TERM $$'
check_eq "$("${private[@]}" sh -c 'ls -d "$LFP_ROOT"/run/vselfp/00/ctl >/dev/null && id -u')" "$(id -u)" "the program keeps its user"
check_eq "$(echo word | "${private[@]}" cat)" word "it has the standard files of lfp-run"
wait_for 30 nothing_left # of those before
check "a lfp-run inside it uses the same instance" "${private[@]}" sh -c "'$bin/lfp-run' --private true && '$bin/lfp-run' true && ls '$stacks' | wc -l | grep -qx 1"
check "everything ends with the program" wait_for 30 nothing_left

background listener "${private[@]}" python3 -m http.server -d "$work/www" --bind 10.0.0.1 7001
check "a server in it listens at the host's address" wait_listen 7001
check "and serves the host" eval 'curl -q -sS --noproxy "*" -o "$work/got" http://10.0.0.1:7001/data && cmp -s "$work/got" "$work/www/data"'
stop_pid $! TERM
check "it is gone with its instance" wait_for 30 nothing_left

# SIGKILL of each part: nothing stays behind.
kill_part() { # PART: with a program that has a connection
	local victim program
	background victim "${private[@]}" python3 -c 'import socket
s = socket.create_connection(("10.0.0.1", 7000))
print("connected", flush=True)
try:
    s.recv(1)
except OSError: pass
import time
while True:
    time.sleep(1)'
	program=$!
	wait_for 60 grep -qx connected "$work/victim.log" || return 1
	victim=$(cat "$stacks"/P.*/run/vselfpd/STACK/pid)
	case $1 in
	keeper) victim=$(parent_of "$victim") ;;
	sweeper) victim=$(parent_of "$(parent_of "$victim")") ;;
	program) victim=$(pgrep -P "$program") ;;
	esac
	kill -KILL "$victim" || return 1
	case $1 in
	# The rest of the partition lives until its program ends.
	sweeper) ours "$program" && [ -n "$(lfpd_of)" ] || return 1 ;;
	esac
	[ "$1" = sweeper ] || wait_for 30 nothing_left || return 1
	kill -KILL "$(pgrep -P "$program")" 2>/dev/null
	wait "$program" 2>/dev/null
	wait_for 30 nothing_left
}
for part in program lfpd keeper sweeper; do
	check "SIGKILL of the $part leaves nothing behind" kill_part $part
done

check_exit 127 "a program that does not exist" into "$work/said" "${private[@]}" no-such-program
check "starts nothing" nothing_left
for wrong in "-i 01 --private" "--keep-net" "--private --keep-net -n" "--no-userns"; do
	# shellcheck disable=SC2086 # words
	check_exit 64 "refused: $wrong" into "$work/said" "$bin/lfp-run" $wrong true
done

# Abstract names of the caller's network namespace
cat >"$work/abstract.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX)
if sys.argv[1] == "listen":
    s.bind("\0lfp-test-private")
    s.listen()
    print("listening", flush=True)
    while True: s.accept()
try:
    s.connect("\0lfp-test-private")
    print("connected")
except OSError as e:
    print(e.strerror)
END
background abstract python3 "$work/abstract.py" listen
wait_for 60 grep -q listening "$work/abstract.log" || die "no listener with an abstract name"
check_eq "$("${private[@]}" python3 "$work/abstract.py" connect)" "Connection refused" "abstract names of the host are not there"
if "${private[@]}" --keep-net true 2>"$work/said"; then
	check "--keep-net: the network namespace stays" eval '[ "$("${private[@]}" --keep-net readlink /proc/self/ns/net)" = "$(readlink /proc/self/ns/net)" ]'
	check_eq "$("${private[@]}" --keep-net python3 "$work/abstract.py" connect)" "Operation not permitted" "but abstract names are closed"
	check "--keep-net: the program has the sockets of LFP" fetch --keep-net
else
	check "--keep-net is refused, and says why" grep -q '^VLFB737E .*Landlock' "$work/said"
	skip_part "--keep-net: this kernel lacks Landlock's scope"
fi

# An ordinary user
if [ "$(id -u)" = 0 ]; then
	mkdir "$work/user"
	chown 65534:65534 "$work/user"
	as_user() { LFP_ROOT=$work/user setpriv --reuid 65534 --regid 65534 --clear-groups timeout 60 "$@"; }
	if as_user "$bin/lfp-run" -V >/dev/null 2>&1; then
		check_eq "$(as_user "$bin/lfp-run" --private curl -q -sS --noproxy '*' http://10.0.0.1:7000/data | cksum)" "$(cksum <"$work/www/data")" \
			"an ordinary user fetches a file"
		check_eq "$(as_user "$bin/lfp-run" --private sh -c 'id -u; tail -n +3 /proc/net/dev | wc -l')" "65534
1" "and keeps the user, in an empty network"
		check_exit 69 "--no-userns is refused to an ordinary user" into "$work/said" as_user "$bin/lfp-run" --private --no-userns true
		check "and the reason given" grep -q '^VLFB738E .*unshare(CLONE_NEWNET): Operation not permitted' "$work/said"
	else
		skip_part "an ordinary user cannot read this build"
	fi
fi

# Without -i
check_exit 69 "no instance runs" into "$work/said" "$bin/lfp-run" true
check "--private is recommended" grep -q '^VLFB736E .*--private' "$work/said"
lfp_up VSE_HOSTID=10.0.0.1
fetch_on() {
	timeout 60 "$bin/lfp-run" "$@" curl -q -sS --noproxy '*' -o "$work/got" http://10.0.0.1:7000/data && cmp -s "$work/got" "$work/www/data"
}
check "the only instance that runs is taken" fetch_on
check "-n: in an empty network" eval '[ "$(timeout 60 "$bin/lfp-run" -n tail -n +3 /proc/net/dev | wc -l)" = 1 ] && fetch_on -n -i 1'
# A second one, that only answers
cat >"$work/answer.py" <<'END'
import os, socket, struct, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
os.makedirs(os.path.dirname(sys.argv[1]))
s.bind(sys.argv[1])
s.listen()
print("listening", flush=True)
while True:
    s.accept()[0].close()
END
background second python3 "$work/answer.py" "$LFP_ROOT/run/vselfp/07/ctl"
wait_for 60 grep -q listening "$work/second.log" || die "the second instance does not listen"
check "one that does not speak the language does not count" fetch_on
if [ "$transport" = local ]; then
	skip_part "one lfpd starts one instance"
else
	lfpd_conf LINR03 PEER_IUCV_APPNAME=TESTV3
	statements 03 IucvDestAppName=LINR03 IucvSrcAppName=TESTV3
	lfpd_start LINR03
	instance_start 03
	check_exit 69 "among several it takes none" into "$work/said" timeout 60 "$bin/lfp-run" true
	check "but lists them, and says what to type" grep -q '^VLFB735E Several LFP instances are running: 01, 03. Choose one with -i NN' "$work/said" || cat "$work/said"
	check "and takes the one of -i" fetch_on -i 01
fi
finish
