#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-run --no-unix: UNIX sockets with a path are closed, whatever the program tries
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs python3
${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -O1 -g -static -pthread -I"$top" -o "$work/door" "$here/unix-door.c" 2>"$work/cc.log" ||
	skip "no static C library: $(head -n 1 "$work/cc.log")"

# Says "g" or "b", and has a child that makes the first socket again.
cat >"$work/listen.py" <<'END'
import os, socket, sys, threading
def serve(path, word):
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    s.listen(100)
    while True:
        try: s.accept()[0].send(word)
        except OSError: pass
for path, word in (sys.argv[1], b"g"), (sys.argv[2], b"b"):
    threading.Thread(target=serve, args=(path, word), daemon=True).start()
while not all(map(os.path.exists, sys.argv[1:])): pass
print("listening", flush=True)
threading.Event().wait()
END
background listener python3 "$work/listen.py" "$work/good" "$work/evil"
wait_for 60 grep -q listening "$work/listener.log" || die "no listeners"
private=(timeout 60 "$daemons/lfp-run" --private --no-unix --unix "$work/good")
if ! timeout 60 "$daemons/lfp-run" --private --mode=seccomp true 2>"$work/said"; then
	check "without a supervisor it is refused" eval '! timeout 60 "$daemons/lfp-run" --private --no-unix true 2>/dev/null'
	skip_part "there is no supervisor here: $(cat "$work/said")"
	finish
fi
door() { "${private[@]}" "$work/door" "$@"; }
check_eq "$("$work/door" connect "$work/evil")" bad "without it a socket is open"
check_eq "$(door connect "$work/evil")" EACCES "a socket with a path is closed"
check_eq "$(door connect "$work/good")" good "one that is named is open"
check_eq "$(door connect "$work/none")" ENOENT "one that is missing is missing"
ln -s evil "$work/link"
ln -s good "$work/to-good"
check_eq "$(door connect "$work/link")" EACCES "a link to a closed one is closed"
check_eq "$(door connect "$work/to-good")" good "a link to an open one is open"
check_eq "$(cd "$work" && door connect ./good)$(cd "$work" && door connect ./evil)" goodEACCES "relative paths"
check_eq "$(door bind "$work/mine")$(ls "$work/mine" 2>/dev/null)" EACCES "none can be made"
check_eq "$(door datagram "$work/evil")" EACCES "nor one of datagrams"
check_eq "$(door race "$work/good" "$work/evil")" never "a path that changes meanwhile leads nowhere else"
cat >"$work/others.py" <<'END'
import multiprocessing, os, socket, sys
a, b = socket.socketpair()
socket.send_fds(a, [b"x"], [0])
print(len(socket.recv_fds(b, 1, 1)[1]))
s = socket.socket(socket.AF_UNIX)
s.bind("\0lfp-no-unix")
s.listen()
c = socket.socket(socket.AF_UNIX)
c.connect("\0lfp-no-unix")
print(s.accept()[0].fileno() > 0)
print(len(socket.if_nameindex()) > 0)
with socket.create_connection(("10.0.0.1", 7000)) as t: print(t.recv(2).decode())
with socket.socket(type=socket.SOCK_DGRAM) as u: print(u.sendto(b"x", ("10.0.0.1", 9)))
END
cat >"$work/server.py" <<'END'
import socket
s = socket.create_server(("10.0.0.1", 7000))
print("listening", flush=True)
while True: s.accept()[0].send(b"hi")
END
background server python3 "$work/server.py"
wait_for 60 grep -q listening "$work/server.log" || die "the server does not listen"
check_eq "$("${private[@]}" python3 "$work/others.py" 2>&1 | paste -sd ' ')" "1 True True hi 1" "pairs, passed descriptors, abstract names and LFP's sockets work"
cat >"$work/inherits.py" <<'END'
import os, socket, subprocess, sys
there = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
there.bind(sys.argv[1])
own = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
end, pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
child = f"""
import socket
own, pair = socket.socket(fileno={own.fileno()}), socket.socket(fileno={pair.fileno()})
for call in lambda: own.sendto(b"x", {sys.argv[1]!r}), lambda: own.sendmsg([b"x"], [], 0, {sys.argv[1]!r}), lambda: pair.send(b"x"):
    try: print(call(), flush=True)
    except PermissionError: print("EACCES", flush=True)
"""
subprocess.run([*sys.argv[2:], sys.executable, "-c", child], pass_fds=[own.fileno(), pair.fileno()])
END
check_eq "$(python3 "$work/inherits.py" "$work/there" "${private[@]}" | paste -sd ' ')" "EACCES EACCES 1" "inherited sockets of datagrams send to the peer that they have"
check "a lfp-run inside finds the instance" "${private[@]}" "$daemons/lfp-run" --mode=seccomp true
mv "$work/evil" "$work/good"
check_eq "$("${private[@]}" sh -c "'$work/door' connect '$work/good'")" bad "the name counts at the start"
if [ "$(id -u)" = 0 ]; then
	mkdir "$work/user"
	chown 65534:65534 "$work/user"
	chmod 777 "$work/good"
	as_user() { LFP_ROOT=$work/user setpriv --reuid 65534 --regid 65534 --clear-groups timeout 60 "$@"; }
	if as_user "$daemons/lfp-run" --private --mode=seccomp "$work/door" connect "$work/good" >/dev/null 2>&1; then
		check_eq "$(as_user "$daemons/lfp-run" --private --no-unix "$work/door" connect "$work/good")" EACCES "an ordinary user"
		check_eq "$(as_user "$daemons/lfp-run" --private --no-unix --unix "$work/good" "$work/door" connect "$work/good")" bad "and one that is named"
	else
		skip_part "an ordinary user cannot read this build"
	fi
fi
check_exit 69 "a path that is missing" into "$work/said" "$daemons/lfp-run" --private --no-unix --unix "$work/none" true
check "and the reason" grep -q '^VLFB743E .*none.*No such file' "$work/said"
check_exit 64 "--unix needs --no-unix" into "$work/said" "$daemons/lfp-run" --private --unix "$work/good" true
check_exit 64 "the library would be a way around" into "$work/said" "$daemons/lfp-run" --private --no-unix --mode=both true
finish
