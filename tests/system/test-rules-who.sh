#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Rules about the program, its groups and its task: what the kernel knows of the process decides, whatever it says itself
# Time limit: 100 s
. "$(dirname "$0")/lib.sh"
needs python3 setpriv
python3 -c 'import socket; socket.socketpair()[0].getsockopt(socket.SOL_SOCKET, 77)' 2>/dev/null ||
	skip "no SO_PEERPIDFD before Linux 6.5: rules know no program"

cat >"$work/do.py" <<'END'
import errno, os, socket, struct, sys, time
def connect(s=None):
    s = s or socket.socket()
    try:
        s.settimeout(20)
        s.connect(("10.0.0.1", 7000))
        return "connected"
    except OSError as e:
        return errno.errorcode[e.errno]
def say(text): print(text, flush=True)
def execute(program, *words): os.execv(program, [program, sys.argv[0], *words])
class acts:
    def plain(): say(connect())
    def fork():
        if os.fork() == 0:
            say(connect())
            os._exit(0)
        os.wait()
    # The socket was made by the program before.
    def execute(other):
        s = socket.socket()
        s.bind(("10.0.0.1", 0))
        os.set_inheritable(s.fileno(), True)
        execute(other, "inherited", str(s.fileno()))
    def inherited(fd):
        say("inherited " + connect(socket.socket(fileno=int(fd))))
        say("own " + connect())
    # What is connected stays so.
    def later(other):
        s = socket.create_connection(("10.0.0.1", 7000))
        os.set_inheritable(s.fileno(), True)
        execute(other, "go_on", str(s.fileno()))
    def go_on(fd):
        s = socket.socket(fileno=int(fd))
        s.send(b"x")
        say("goes on " + s.recv(1).decode())
    # Many sockets, so that the library makes near ends itself, from spare sockets of lfpd.
    def many(other):
        for _ in range(8): socket.socket().close()
        execute(other, "plain")
    def passed(other):
        a, b = socket.socketpair(socket.AF_UNIX)
        os.set_inheritable(b.fileno(), True)
        pid = os.fork()
        if pid == 0: execute(other, "take", str(b.fileno()))
        s = socket.socket()
        s.bind(("10.0.0.1", 0))
        socket.send_fds(a, [b"x"], [s.fileno()])
        os.waitpid(pid, 0)
    def take(fd):
        way = socket.socket(socket.AF_UNIX, fileno=int(fd))
        say("passed " + connect(socket.socket(fileno=socket.recv_fds(way, 1, 1)[1][0])))
        say("own " + connect())
    def setgroups(gid):
        say(connect())
        os.setgroups([int(gid)])
        say(connect())
        os.setgroups([])
        say(connect())
    def setuid(uid):
        say(connect())
        os.setresuid(int(uid), int(uid), int(uid))
        say(connect())
    # A child asks on the connection of a process that has executed a set-user-ID program since.
    def inherits(program, gid):
        os.setgroups([])
        os.setresgid(int(gid), int(gid), int(gid))
        os.setresuid(1234, 1234, 1234)
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        channel.connect(os.environ["LFP_ROOT"] + "/run/vselfp/01/ctl")
        pid = os.getpid()
        if os.fork():
            os.set_inheritable(channel.fileno(), True)
            os.execv(program, ["sleep", "50"])
        while "sleep" not in open(f"/proc/{pid}/comm").read(): time.sleep(0.01)
        channel.send(struct.pack("=IHHiiiIiiQ", 0x4c465031, 2, 0, socket.AF_INET, socket.SOCK_STREAM, 0, 0, 0, 0, 0))
        fd = socket.recv_fds(channel, 16, 1)[1][0]
        say(connect(socket.socket(socket.AF_INET, socket.SOCK_STREAM, fileno=fd)))
        os.kill(pid, 9)
    def lookup(name):
        try: say(socket.getaddrinfo(name, 80)[0][4][0])
        except socket.gaierror: say("NONAME")
getattr(acts, sys.argv[1])(*sys.argv[2:])
END
cat >"$work/echo.py" <<'END'
import socket, threading
server = socket.create_server(("10.0.0.1", 7000))
print("listening", flush=True)
def echo(s):
    with s:
        while data := s.recv(9): s.send(data)
while True: threading.Thread(target=echo, args=[server.accept()[0]], daemon=True).start()
END
# The same interpreter at another place is another program.
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
mkdir "$work/bin"
other=$work/bin/python
cp "$python" "$other"
PYTHONHOME=$("$python" -c 'import sys; print(sys.base_prefix)')
export PYTHONHOME
"$other" -c 'import socket' 2>"$work/err" || skip "a copy of python3 does not run: $(tail -n 1 "$work/err")"
background echo "$python" "$work/echo.py"
wait_for 60 grep -q listening "$work/echo.log" || die "no server"

echo "default deny" >"$work/rules"
lfp_up POLICY_FILE="$work/rules"
lines() {
	printf '%s\n' "$@" >"$work/rules"
	"$bin/lfpd-ctl" reload LINR02 >"$work/said" 2>&1 || cat "$work/said"
}
acts() { # PROGRAM ACT...: prints what it has said, in one line
	on_lfp timeout 60 "$1" "$work/do.py" "${@:2}" 2>>"$work/err" | paste -sd ' '
}
lines "allow connect any program $python" "allow listen any" "default deny"
# An lfpd that hosts the instance may have another user than the programs.
if [ "$transport" = local ] && [ "$(acts "$python" plain)" != connected ]; then
	skip_part "lfpd may not see here what programs execute"
	finish
fi
check_eq "$(acts "$python" plain)" connected "the program of the rule"
check_eq "$(acts "$other" plain)" ECONNREFUSED "another program"
check_eq "$(acts "$python" fork)" connected "a child"
check_eq "$(acts "$python" execute "$other")" "inherited connected own ECONNREFUSED" \
	"exec of another program: an inherited socket is its maker's, a new one is not"
check_eq "$(acts "$other" execute "$python")" "inherited ECONNREFUSED own connected" "and the other way round"
check_eq "$(acts "$python" later "$other")" "goes on x" "a connection goes on after exec"
check_eq "$(acts "$python" many "$other")" ECONNREFUSED "spare sockets do not survive exec"
check_eq "$(acts "$other" many "$python")" connected "and do no harm"
check_eq "$(acts "$python" passed "$other")" "passed connected own ECONNREFUSED" "a passed socket is its maker's"
check_eq "$(acts "$other" passed "$python")" "passed ECONNREFUSED own connected" "and the other way round"
# Root's lfpd gives up the right to look into root's other processes.
as_user=()
user_python=$python
if [ "$(id -u)" = 0 ]; then
	as_user=(setpriv --reuid 1234 --regid 1234 --clear-groups env -u PYTHONHOME -u XDG_RUNTIME_DIR -u LFP_ROOT)
	user_python=$(readlink -f /usr/bin/python3)
fi
if "${as_user[@]}" test -x "$bin/lfp-run" && "${as_user[@]}" "$user_python" -c 'import socket' 2>/dev/null; then
	chmod -R a+rX "$work"
	cp "$user_python" "$work/bin/user-python"
	for mode in preload seccomp; do
		check_eq "$("${on_host[@]}" timeout 60 "${as_user[@]}" "$bin/lfp-run" --private --mode=$mode --allow "any program $user_python" \
			"$work/bin/user-python" "$work/do.py" execute "$user_python" 2>&1 | paste -sd ' ')" \
			"inherited ECONNREFUSED own connected" "a private instance, $mode"
	done
else
	skip_part "no user who may run lfp-run and python3"
fi
lines "deny connect any program $python" "default allow"
check_eq "$(acts "$python" plain) $(acts "$other" plain)" "ECONNREFUSED connected" "a rule that denies"
check "check --would knows the one" into "$work/said" "$bin/lfpd-ctl" check LINR02 --would connect 10.0.0.1:7000 program "$other"
check_exit 1 "and the other" into "$work/said" "$bin/lfpd-ctl" check LINR02 --would connect 10.0.0.1:7000 program "$python"
ln -s "$python" "$work/bin/link"
lines "allow connect any program $work/bin/link" "default deny"
check_eq "$(acts "$python" plain)" connected "a link in the rule is followed"
lines "allow lookup localhost program $python" "default deny"
if getent ahosts localhost >/dev/null; then
	check_eq "$(acts "$python" lookup localhost) $(acts "$other" lookup localhost)" "127.0.0.1 NONAME" "look-ups"
else
	skip_part "this machine does not know localhost"
fi
# In a mount namespace of its own any user puts any file at any path.
if unshare --user --map-current-user --keep-caps --mount true 2>/dev/null; then
	mounted() { # FILE PLACE ACT...: with FILE mounted at PLACE
		on_lfp timeout 60 unshare --user --map-current-user --keep-caps --mount sh -c \
			'mount --bind "$1" "$2" && shift && exec "$@"' sh "$1" "$2" "$work/do.py" "${@:3}" 2>>"$work/err"
	}
	lines "allow connect any program $python" "default deny"
	check_eq "$(mounted "$other" "$python" plain)" ECONNREFUSED "a program that is mounted at the path of another is not allowed"
	lines "deny connect any program $work/none" "default allow"
	check_eq "$(mounted "$other" "$python" plain)" ECONNREFUSED "a rule that denies a program counts for an unknown one"
else
	skip_part "no mount namespace"
fi
lines "allow connect any task 22" "default deny"
check_eq "$(acts "$python" plain)" connected "the first task"
lines "allow connect any task 23" "default deny"
check_eq "$(acts "$python" plain)" ECONNREFUSED "is not the second"

lines "allow connect any group $(id -g)" "default deny"
check_eq "$(acts "$python" plain)" connected "the group of the process"
lines "allow connect any group 4711" "default deny"
check_eq "$(acts "$python" plain)" ECONNREFUSED "is not another one"
if [ "$(id -u)" != 0 ]; then
	skip_part "only root changes its groups and its user"
	finish
fi
check_eq "$(acts "$python" setgroups 4711)" "ECONNREFUSED connected ECONNREFUSED" "setgroups()"
lines "deny connect any group 4711" "default allow"
check_eq "$(acts "$python" setgroups 4711)" "connected ECONNREFUSED connected" "setgroups(), denied"
lines "allow connect any user 0" "default deny"
check_eq "$(acts "$python" setuid 4711)" "connected ECONNREFUSED" "setuid()"
chmod -R a+rX "$work" && mkdir "$work/set-id" && cp "$(command -v sleep)" "$work/set-id/sleep"
chown 0:4711 "$work/set-id/sleep" && chmod 6755 "$work/set-id/sleep"
check_eq "$(acts "$python" inherits "$work/set-id/sleep" 1234)" ECONNREFUSED "a set-user-ID program that the maker has executed is not the sender"
lines "allow connect any group 4711" "default deny"
check_eq "$(acts "$python" inherits "$work/set-id/sleep" 1234)" ECONNREFUSED "nor a set-group-ID program"
lines "allow connect any user 1234" "default deny"
check_eq "$(acts "$python" inherits "$work/set-id/sleep" 1234)" connected "the user of the maker is"
finish
