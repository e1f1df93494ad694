#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An lfpd that leaves a process behind, which keeps its output open, does no harm to the instance that gets its place
. "$(dirname "$0")/../system/lib.sh"
[ "$(id -u)" = 0 ] || skip "a mount namespace needs root"

configure() { # NAME
	rm -rf "$work/via.d"
	mkdir "$work/via.d"
	echo "CONTROLLER = user 0" >"$work/via.d/via.conf"
	: >"$work/via.d/lfpd-$1.conf"
	"$bin/lfp-via" config "$work/via.d" "$work/disk" >"$work/config.log" 2>&1 || die "no disk: $(<"$work/config.log")"
}
# In the place of lfpd: its configuration is good, and what it starts outlives it for a while.
cat >"$work/lfpd" <<'END'
#!/bin/sh
[ "$1" = -n ] && exit 0
sleep 40 &
trap 'exit 0' TERM
while :; do sleep 0.1; done
END
configure VSE1
mkdir "$work/run"
# shellcheck disable=SC2016
background init unshare --mount -- sh -c '
	mount --bind "$1/run" /run && mount -t tmpfs -o mode=755 tmpfs /usr/sbin && cp "$1/lfpd" /usr/sbin && chmod 755 /usr/sbin/lfpd &&
	exec env VIA_DISK="$1/disk" "$2"' sh "$work" "$bin/via-init"
via() { timeout 20 "$bin/lfp-via" -t "unix:$work/run/via/control" "$@"; }
lists() { via list 2>&1 | grep -q "$1"; }
check "the first instance starts" wait_for 30 lists "^VSE1 .*starting" || cat "$work/init.log"
configure VSE2
check "another one is in its configuration" via reload
gone() { ! lists "^VSE1"; }
check "the first one ends" wait_for 30 gone
configure VSE3
check "RELOAD" via reload
check "the new one starts" wait_for 30 lists "^VSE3 .*starting" || { via list; cat "$work/init.log"; }
configure VSE4
check "RELOAD again" via reload
check "the next one, too" wait_for 30 lists "^VSE4 .*starting" || { via list; cat "$work/init.log"; }
finish
