#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An lfpd that leaves processes behind in sessions of their own: none of them outlives it, and none of another instance's, or of root's, is
# touched
. "$(dirname "$0")/../system/lib.sh"
needs python3
# Names of this run alone: another one may go on beside it.
first=A$$ second=B$$
[ "$(id -u)" = 0 ] || skip "a mount namespace needs root"

configure() { # NAME...
	rm -rf "$work/via.d"
	mkdir "$work/via.d"
	echo "CONTROLLER = user 0" >"$work/via.d/via.conf"
	for name; do : >"$work/via.d/lfpd-$name.conf"; done
	"$bin/lfp-via" config "$work/via.d" "$work/disk" >"$work/config.log" 2>&1 || die "no disk: $(<"$work/config.log")"
}
# In the place of lfpd. Its orphans have a session of their own and take no polite signal: one that leaves lfpd at once, one that
# stays its child, and, where a file says so, one that is another process each moment.
cat >"$work/lfpd" <<'END'
#!/usr/bin/python3
import os, signal, sys, time
if sys.argv[1] == "-n":
    sys.exit(0)
name = os.path.basename(sys.argv[-1])[5:-5]
def orphan(kind):
    if os.fork():
        return
    os.setsid()
    for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(sig, signal.SIG_IGN)
    if kind == "early" and os.fork():
        os._exit(0)
    with open("/proc/self/comm", "w") as comm:
        comm.write(f"{kind}-{name}")
    end = time.monotonic() + 60
    while kind == "moving" and time.monotonic() < end:
        if os.fork():
            os._exit(0)
    while True:
        time.sleep(100)
for kind in ["early", "late"] + ["moving"] * os.path.exists("/run/moves"):
    orphan(kind)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
while True:
    time.sleep(100)
END
# A process of root's beside the first one, as somebody has who looks into a container
cat >"$work/keeper" <<END
#!/usr/bin/python3
import time
with open("/proc/self/comm", "w") as comm:
    comm.write("keeper-R$$")
time.sleep(1000)
END
chmod 755 "$work/keeper"
via() { timeout 30 "$bin/lfp-via" -t "unix:$work/run/via/control" "$@"; }
lists() { via list 2>&1 | grep -q "$1"; }
# has NAME [KIND...]: those orphans of the instance are there, and no others
has() { [ "$(cat /proc/[0-9]*/comm 2>/dev/null | sed -n "s/-$1\$//p" | sort -u | xargs)" = "${*:2}" ]; }

# part TEXT "KIND..." "KIND..." UNSHARE-OPTION...: those that are there, and those of the other instance that stay
part() {
	local text=$1 init
	local -a orphans stay
	read -ra orphans <<<"$2"
	read -ra stay <<<"$3"
	shift 3
	rm -rf "$work/run"
	mkdir "$work/run"
	[[ ${orphans[*]} != *moving* ]] || touch "$work/run/moves"
	configure $first $second
	# shellcheck disable=SC2016
	background init unshare --mount "$@" -- sh -c '
		[ $$ != 1 ] || "$1/keeper" &
		mount --bind "$1/run" /run && mount -t tmpfs -o mode=755 tmpfs /usr/sbin && cp "$1/lfpd" /usr/sbin &&
		chmod 755 /usr/sbin/lfpd && exec env container=test VIA_DISK="$1/disk" "$2"' sh "$work" "$bin/via-init"
	init=$!
	check "$text: the instances start" wait_for 60 lists "^$second .*starting" || cat "$work/init.log"
	check "- the second one leaves processes behind" wait_for 60 has $second "${orphans[@]}"
	check "- so does the first" wait_for 60 has $first "${orphans[@]}"
	[[ $* != *--pid* ]] || check "- one of root's is there" wait_for 60 has R$$ keeper
	configure $second
	check "- RELOAD ends the first" via reload
	gone() { ! lists "^$first"; }
	check "- it is gone" wait_for 60 gone
	check "- with all that it has left" wait_for 60 has $first
	check "- the other one is as it was" lists "^$second .*starting"
	check "- with its own" has $second "${stay[@]}"
	[[ $* != *--pid* ]] || check "- and root's" has R$$ keeper
	via shutdown >"$work/answer" 2>&1
	check "- the end" wait_for 60 ended $init
	check "- of everything" wait_for 60 has $second
}
part "with users" "early late moving" "early late moving" --pid --fork --mount-proc --kill-child
# There all instances have one user: an orphan is known by its parent, which it has from the first process, and ends when any process does.
[ -e "/proc/self/task/$$/children" ] || { skip_part "the kernel does not list children"; finish; }
part "without" "early late" "late" --user --map-root-user
finish
