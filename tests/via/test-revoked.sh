#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A controller that RELOAD takes the right from gives no more commands, on a connection that it has open either
. "$(dirname "$0")/../system/lib.sh"
needs python3
[ "$(id -u)" = 0 ] || skip "a mount namespace needs root"

configure() { # CONTROLLER...
	mkdir -p "$work/via.d"
	printf 'CONTROLLER = %s\n' "$@" >"$work/via.d/via.conf"
	"$bin/lfp-via" config "$work/via.d" "$work/disk" >"$work/config.log" 2>&1 || die "no disk: $(<"$work/config.log")"
}
configure "user 0" "user 900"
# Outside of a machine of its own it is as in a container.
mkdir "$work/run"
# shellcheck disable=SC2016
background init unshare --mount -- sh -c 'mount --bind "$1" /run && exec env VIA_DISK="$2" "$3"' sh "$work/run" "$work/disk" "$bin/via-init"
control=$work/run/via/control
listens() { [ -S "$control" ]; }
wait_for 30 listens || die "no control socket: $(<"$work/init.log")"

python3 - "$control" "$work/go" "$work/ready" >"$work/answers" <<'END' &
import os, socket, sys, time
control, go, ready = sys.argv[1:]
kept = socket.socket(socket.AF_UNIX)
kept.connect(control)
kept.settimeout(30)
stream = kept.makefile("rb")
def ask(command):
    try:
        kept.sendall(command + b"\n")
        for line in stream:
            if line.startswith(b"."):
                return line[5:].decode().strip()
    except OSError:
        pass
    return "refused"
print(ask(b"LIST"), flush=True)
open(ready, "w").close()
while not os.path.exists(go):
    time.sleep(0.02)
print(ask(b"RELOAD"), ask(b"LIST"), flush=True)
END
asker=$!
pids+=($asker)
wait_for 30 test -e "$work/ready" || die "no first answer"
configure "user 900"
touch "$work/go"
wait "$asker" || die "the controller has failed"
check_eq "$(xargs <"$work/answers")" "0 0 refused" "LIST and RELOAD are answered, and what follows is not"
check "the console names the user" grep -q "VLFD533W Commands of user 0" "$work/init.log"
finish
