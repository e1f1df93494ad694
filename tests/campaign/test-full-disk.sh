#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The file system of sockets and logs is full: calls fail at once, streams go on, and with room again all works
if [ -n "${LFP_TEST_NET:-}" ] && [ -z "${LFP_TEST_MOUNTS:-}" ]; then
	unshare --mount --propagation private true || { echo "skipped: no mount namespace"; exit 77; }
	export LFP_TEST_MOUNTS=1
	exec unshare --mount --propagation private -- "$0" "$@"
fi
. "$(dirname "$0")/../system/lib.sh"

# Not below $work, which could not be removed with it.
mount -t tmpfs -o size=1m,nr_inodes=100 tmpfs /mnt && mkdir /mnt/run && rm -rf "$LFP_ROOT/run" &&
	ln -s /mnt/run "$LFP_ROOT/run" || skip "no file system of its own"
lfp_up
short() { on_lfp timeout 20 "$O/tests/campaign/short"; }

# A stream for the whole time: it sends a byte when it is told to, and tells when that is back.
background host python3 "$top/tests/apps/echo-server.py" asyncio 127.0.0.1 7000
wait_listen 7000 || die "no server: $(cat "$work/host.log")"
cat >"$work/stream.py" <<'END'
import socket, sys
s = socket.create_connection(("127.0.0.1", 7000), 20)
for line in open(sys.argv[1]):
    if line == "end\n":
        break
    s.sendall(b"x")
    print(s.recv(1).decode() + line.strip(), flush=True)
END
mkfifo "$work/order" && exec {order}<>"$work/order" || die "no fifo"
background_on_lfp stream python3 "$work/stream.py" "$work/order"
stream_goes_on() {
	echo "$1" >&"$order"
	wait_for 20 grep -qx "x$1" "$work/stream.log"
}

# fill WHAT: uses up all of one kind
fill() {
	local n=0
	case $1 in
	bytes) head -c 2m /dev/zero >"$LFP_ROOT/run/fill" ;;
	inodes) while : >"$LFP_ROOT/run/fill$n"; do n=$((n + 1)); done ;;
	esac 2>/dev/null
}

check "a program" short
check "a stream" stream_goes_on before
for what in bytes inodes; do
	fill $what
	short >"$work/short-$what.log"
	rc=$?
	echo "$what: exit $rc, $(cat "$work/short-$what.log")"
	check "no $what: a program's calls work or fail, and do not wait" test $rc -le 1
	check "no $what: a stream goes on" stream_goes_on $what
	check "no $what: lfpd answers" lfpd_answers LINR02
	check "no $what: so does the instance" instance_up 01
	rm "$LFP_ROOT"/run/fill*
	check "$what again: all works" short
done
check "nothing was lost" stream_goes_on after
echo end >&"$order"
check "all sockets are gone" wait_for 60 no_sockets
finish
