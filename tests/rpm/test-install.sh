#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 120 s
# The RPM that "make rpm" made, installed by rpm into a root, where its programs then work.
#
# The root is this machine's /usr under an overlay, with /etc, /var and /run of its own; network,
# processes and mounts are private, so that nothing of it stays.
set -u

skip() { echo "$1"; exit 77; }
if [ "${1-}" != inside ]; then
	[ "$(id -u)" = 0 ] || skip "only root can install an RPM into a root"
	[ -d "${O:?}/rpm/RPMS" ] || skip "no RPM was built"
	exec unshare --mount --net --pid --ipc --fork --kill-child --propagation private "$0" inside
fi

passed=0 failed=0
ok() { # TEXT COMMAND...
	local text=$1
	shift
	if "$@"; then
		passed=$((passed + 1)) && echo "ok: $text"
	else
		failed=$((failed + 1)) && echo "FAILED: $text: $*"
	fi
}
gives() { # RC COMMAND...
	local want=$1 rc
	shift
	"$@"
	rc=$?
	[ "$rc" = "$want" ] || { echo "rc $rc instead of $want"; return 1; }
}
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin "$@"; }

rpms=$O/rpm/RPMS/$(uname -m)
rpm=$(echo "$rpms"/lfpd-[0-9]*.rpm) debuginfo=$(echo "$rpms"/lfpd-debuginfo-*.rpm)
mount -t tmpfs tmpfs /mnt && mkdir -p /mnt/{root,upper,work} || exit 1
root=/mnt/root
mkdir -p "$root"/{etc,var/tmp,run,tmp,proc,dev,usr}
mount -t overlay overlay -o lowerdir=/usr,upperdir=/mnt/upper,workdir=/mnt/work "$root/usr" ||
	skip "no overlay file system here"
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 1
cp -a /bin /sbin /lib* "$root/" # links into /usr
cp -a /etc/{passwd,group,nsswitch.conf,ld.so.cache,ld.so.conf,ld.so.conf.d,hosts} "$root/etc/"
ip link set lo up && ip addr add 10.0.0.1/32 dev lo || exit 1

available=/etc/opt/ibm/vselfpd/confs-available/lfpd-LINR02.conf
enabled=/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf

rpm --root "$root" --nodeps -i "$rpm" || exit 1
ok "rpm installs it" test -x "$root/usr/sbin/lfpd-ctl"
ok "what it installed is as packed" rpm --root "$root" --nodeps -V lfpd
ok "debuginfo is there" grep -q 'lfpd.*\.debug$' <(rpm -qlp "$debuginfo")
ok "its manual pages are there" test -n "$(ls "$root"/usr/share/man/man8/lfpd.8*)"
if command -v systemd-analyze >/dev/null; then
	cp "$root/usr/lib/systemd/system/lfpd@.service" "$root/tmp/lfpd@LINR02.service"
	ok "systemd finds nothing to say about the unit" test -z \
		"$(in_root systemd-analyze verify --man=no /tmp/lfpd@LINR02.service 2>&1)"
fi

ok "start before it is enabled is refused" eval "! in_root lfpd-ctl start LINR02"
ln -s ../confs-available/lfpd-LINR02.conf "$root$enabled"
ok "lfpd-ctl start" in_root lfpd-ctl start LINR02
ok "lfpd-ctl status" in_root lfpd-ctl status LINR02
ok "lfpd-admin shows it" grep -q LINR02 <(in_root lfpd-admin -i LINR02 -s)
in_root lfpd-admin -i LINR02 -s
ok "lfpd-ctl stop" in_root lfpd-ctl stop LINR02
ok "lfpd-ctl status after that" gives 3 in_root lfpd-ctl status LINR02

echo "# edited" >>"$root$available"
ok "rpm erases it" rpm --root "$root" --nodeps -e lfpd
ok "its programs are gone" test ! -e "$root/usr/sbin/lfpd"
ok "an edited configuration file is kept" grep -q '^# edited' "$root$available.rpmsave"

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
