# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib.sh - for tests that run real daemons; a test sources it on its first line
#
# Its parts: tests/checks.sh (results), lib-processes.sh (waiting, processes, ports, descriptors), lib-lfp.sh (the daemons).
#
# Theory of operation
#
# A test runs in a network namespace of its own, "the host". Its loopback is up and also has 10.0.0.1, and all
# its ports are free. on_lfp runs programs on LFP in a second, empty namespace. A user without root gets
# both from a user namespace that keeps the user's id.
#
# All files are under $work, which is also LFP_ROOT's parent. A test never waits for a number of seconds,
# only for conditions (wait_for). At exit, the test ends its processes by their ids, and also every daemon
# that left a pid file under LFP_ROOT.
#
# Results: check counts one test and goes on after a failure; finish says "N passed, N failed, N
# skipped", which tests/run counts; skip ends the test with 77; skip_part counts one as skipped.

set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
O=$(cd "$top" && cd "${O:-build}" && pwd) || exit 1
export O
bin=$O/bin
# O_SAN: a build with sanitizers. The tests then use its daemons, and fail if a sanitizer reports anything.
daemons=${O_SAN:-$O}/bin
# LFP_TRANSPORT=unix, shm or local: the transport of the path, unless a test sets it
transport=${LFP_TRANSPORT:-unix}
# The path's own keys and statements, where the transport needs any. The ports of AF_VSOCK are the system's, whatever the
# network namespace: so each test has its own.
path_keys=() path_statements=()
if [ "$transport" = vsock ]; then
	path_keys=(PEER_CID=1 VSOCK_PORT=$((10000 + $$))) path_statements=(PeerCid=1 VsockPort=$((10000 + $$)))
fi
# LFP_USER: the user that root's lfpd becomes, unless a test sets it
here=$(cd "$(dirname "$0")" && pwd)
programs=$O/tests/system # C programs of tests/system
empty_net=(unshare --net --)
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"

if [ -z "${LFP_TEST_NET:-}" ]; then
	export LFP_TEST_NET=1
	if [ "$(id -u)" = 0 ]; then
		own_net=(unshare --net --)
	else
		own_net=(unshare --user --map-current-user --keep-caps --net --)
	fi
	why=$("${own_net[@]}" ip link set lo up 2>&1) || skip "no network namespace: $why"
	exec "${own_net[@]}" "$0" "$@"
fi
ip link set lo up
ip addr add 10.0.0.1/32 dev lo 2>/dev/null
# DGRAM_QLEN: net.unix.max_dgram_qlen. The kernel sets 10 (net/unix/af_unix.c, unix_net_init()), systemd 512.
[ -z "${DGRAM_QLEN:-}" ] || echo "$DGRAM_QLEN" 2>/dev/null >/proc/sys/net/unix/max_dgram_qlen ||
	skip "net.unix.max_dgram_qlen cannot be set here"

# shellcheck source=tests/system/lib-processes.sh
. "$top/tests/system/lib-processes.sh"

# The name is short, because the path of a UNIX socket has at most 107 bytes. Other users' programs may enter.
work=$(mktemp -d "${LFP_GUEST:-/tmp}/lfp.XXXXXX") && chmod 755 "$work" || exit 1
export LFP_ROOT=$work/root
mkdir -p "$LFP_ROOT"
mkfifo "$work/never" && exec {never}<>"$work/never" && rm "$work/never" || exit 1
if [ -n "${O_SAN:-}" ]; then
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:log_path=$work/sanitizer" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}:log_path=$work/sanitizer"
fi
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# shellcheck source=tests/system/lib-lfp.sh
. "$top/tests/system/lib-lfp.sh"

# hosts_file: $work/hosts is /etc/hosts for "${on_host[@]}" COMMAND..., which finds names there, by the name servers of
# $work/resolv.conf if it exists, and nowhere else. Skips the test where files cannot be bound.
hosts_file() {
	local bind_more=''
	echo "hosts: files" >"$work/nsswitch.conf"
	if [ -e "$work/resolv.conf" ]; then
		echo "hosts: files dns" >"$work/nsswitch.conf"
		bind_more=" && mount --bind $work/resolv.conf /etc/resolv.conf"
	fi
	cat >"$work/on-host" <<-END
		#!/bin/sh
		mount --bind $work/hosts /etc/hosts && mount --bind $work/nsswitch.conf /etc/nsswitch.conf$bind_more && exec "\$@"
	END
	chmod +x "$work/on-host"
	on_host=(unshare --mount -- "$work/on-host")
	"${on_host[@]}" true 2>/dev/null || skip "files can't be bound here"
}

# LFP_GUEST=DIR: the instance and the programs on LFP are in a running guest (tests/vsock/lib-files.sh)
# shellcheck source=tests/vsock/lib-inside.sh
[ -z "${LFP_GUEST:-}" ] || . "$top/tests/vsock/lib-inside.sh"
