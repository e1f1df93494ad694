# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# root.sh - for tests that install packages into fresh roots; a test sources it on its first line
#
# Theory of operation
#
# A root is this machine's /usr under an overlay, with /etc, /var and /run of its own that have what a
# system has just after it was installed. All of it lies on a tmpfs; network, processes and mounts are
# private to the test, so that nothing stays and no other files are visible.
#
# snapshot records the contents of a root; left_behind prints files that are new or changed since.
set -u

# shellcheck source=tests/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"

packages=${O:?}/package
if [ -z "${PACKAGES_INSIDE-}" ]; then
	[ "$(id -u)" = 0 ] || skip "only root can install a package into a root"
	[ -d "$packages" ] || skip "no packages were made (make packages)"
	export PACKAGES_INSIDE=yes
	exec unshare --mount --net --pid --ipc --fork --kill-child --propagation private "$0" "$@"
fi
mount -t proc proc /proc || exit 1
mount -t tmpfs tmpfs /mnt || exit 1
ip link set lo up && ip addr add 10.0.0.1/32 dev lo || exit 1

not() { ! "$@"; }
# need FILE...: files that "make packages" makes
need() {
	local file
	for file in "$@"; do [ -e "$file" ] || { echo "there is no $file"; exit 1; }; done
}
gives() { # RC COMMAND...
	local want=$1 rc
	shift
	"$@"
	rc=$?
	[ "$rc" = "$want" ] || { echo "rc $rc instead of $want"; return 1; }
}
says() { # WORDS FILE: its words, whichever lines they stand in
	tr -s '[:space:]' ' ' <"$2" | grep -qF -- "$1" || { cat "$2"; return 1; }
}
finish() {
	counts
	exit
}
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

# new_root NAME: an empty one, from then on in $root
new_root() {
	local file
	root=/mnt/$1/root upper=/mnt/$1/upper
	mkdir -p "$root"/{etc,var/tmp,var/log,var/lib,run,tmp,proc,dev,usr} "$upper" "/mnt/$1/work" || exit 1
	mount -t overlay overlay -o "lowerdir=/usr,upperdir=$upper,workdir=/mnt/$1/work" "$root/usr" ||
		skip "no overlay file system here"
	mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 1
	cp -a /bin /sbin /lib* "$root/" || exit 1 # links into /usr
	for file in passwd group shadow gshadow login.defs nsswitch.conf ld.so.cache ld.so.conf ld.so.conf.d hosts; do
		[ ! -e "/etc/$file" ] || cp -a "/etc/$file" "$root/etc/" || exit 1
	done
}

# Everything in the root but what the package managers themselves keep; of /usr what is not this machine's.
contents() {
	(cd "$root" && find etc var run opt tmp \( -path var/lib/rpm -o -path var/lib/dpkg -o -name dpkg.log \) -prune -o \
		\( -type f -exec sha256sum {} + \) -o -printf '%y %p %l\n' 2>/dev/null)
	(cd "$upper" && find . -mindepth 1 -printf '%y %P\n') | while read -r type path; do
		# A directory that was copied up, or was empty here and was removed, belongs to this machine.
		case $type in
		d) [ ! -d "/usr/$path" ] || continue ;;
		c) [ ! -d "/usr/$path" ] || [ -n "$(ls -A "/usr/$path")" ] || continue ;;
		esac
		echo "$type usr/$path"
	done
}
snapshot() { contents | sort >"$root.before"; }
left_behind() { contents | sort | comm -13 "$root.before" - | sed 's/^[^ ]* *//; s/ *$//'; }

# nothing_left [EXTENDED-REGEXP]: except files that match the pattern, the user lfpd, which stays so that no other
# user gets its number, and directories of the distribution itself that a root of ours lacks. rpm owns a folder of build ids only
# in the package that made it first, so one of two packages with ids of one beginning leaves it
nothing_left() {
	local left file
	for file in passwd group shadow gshadow; do
		cmp -s <(grep -v '^lfpd:' "$root/etc/$file") "/etc/$file" || { echo "/etc/$file has changed"; return 1; }
	done
	left=$(left_behind | grep -vE '^etc/(passwd|group|shadow|gshadow|sub[ug]id)-?$|^etc/[.]pwd[.]lock$|^etc/opt$|^usr/share/licenses$|^usr/lib/[.]build-id(/[0-9a-f]{2})?$|^var/lib/systemd$' |
		grep -vE "^(${1:-})\$")
	[ -z "$left" ] || { echo "left behind: $left"; return 1; }
}

# shellcheck disable=SC2034 # for the tests
available=/etc/opt/ibm/vselfpd/confs-available/lfpd-LINR02.conf
# shellcheck disable=SC2034
enabled=/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf

# what_an_operator_does: both kinds of packages must stand it
what_an_operator_does() {
	local pid
	check "start before it is enabled is refused" not in_root lfpd-ctl start LINR02
	check "lfpd-ctl enable LINR02" in_root lfpd-ctl enable LINR02
	check "it has copied the sample" cmp "$root$available" "$root/usr/share/vselfpd/samples/lfpd-LINR02.conf"
	check "lfpd-ctl start LINR02" in_root LFP_VMID=LINLFP lfpd-ctl start LINR02
	check "lfpd-ctl status" in_root lfpd-ctl status LINR02
	check "lfpd-admin -i LINR02 -s" grep -q LINR02 <(in_root lfpd-admin -i LINR02 -s)
	pid=$(pid_of LINR02)
	check "lfpd runs as the user that the package made" test "$(stat -c %u "/proc/$pid")" = "$(uid_of lfpd)"
	check "ijblfpop START 01" in_root ijblfpop --vmid VSER05 START 01
	check "an unmodified program on LFP" in_root lfp-run -i 01 /usr/bin/true
}

# zdev_works: the package of the device emulation
zdev_works() {
	check "zdev runs a scenario of its package" grep -q "load zhpf4" <(in_root zdev run -q /usr/share/zdev/scenarios/units.zdev)
	check "and finds the published figures, what was measured of them, and their scenarios" eval 'in_root zdev check -q LFP MQ TN FX-036 FX-037 FX-068 >/mnt/said'
	check "with no row that differs" grep -qE '^[0-9]+ passed, 0 failed, [0-9]+ skipped$' /mnt/said
	check "its manual pages are there" test -n "$(ls "$root"/usr/share/man/man1/zdev.1* 2>/dev/null)" -a \
		-n "$(ls "$root"/usr/share/man/man5/zdev-scenario.5* 2>/dev/null)"
	check "the shells complete it" grep -q zdev "$root/usr/share/bash-completion/completions/zdev" \
		"$root"/usr/share/zsh/*/_zdev "$root/usr/share/fish/vendor_completions.d/zdev.fish"
}
# daemons_run: does a daemon of the root run?
daemons_run() {
	local exe
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe") in "$root"/usr/sbin/*lfp*) readlink "$exe" && return ;; esac
	done
	return 1
}
pid_of() { in_root lfpd-ctl list | awk -v name="$1" '$1 == name { print $4 }'; }
uid_of() { awk -F: -v name="$1" '$1 == name { print $3 }' "$root/etc/passwd"; }
# Does the instance run the installed program?
runs_installed() {
	local pid
	pid=$(pid_of "$1")
	[ -z "$pid" ] || [ "$(readlink "/proc/$pid/exe")" != "$root/usr/sbin/lfpd" ] || return 0
	echo "process ${pid:-none}: $(readlink "/proc/$pid/exe")"
	return 1
}

# A program on LFP talks with a server of the host: one line now, one when $root/tmp/go-on is there.
start_conversation() {
	local port
	cat >/mnt/echo.py <<-'END'
		import socket
		listener = socket.socket()
		listener.bind(("10.0.0.1", 0))
		listener.listen()
		print(listener.getsockname()[1], flush=True)
		conn = listener.accept()[0]
		while data := conn.recv(4096):
		    conn.sendall(data)
	END
	python3 /mnt/echo.py >/mnt/port &
	wait_for test -s /mnt/port && read -r port </mnt/port || return 1
	in_root lfp-run -i 01 bash -c '
		exec 3<>/dev/tcp/10.0.0.1/'"$port"' || exit
		echo before >&3 && read -r line <&3 && echo "$line"
		while [ ! -e /tmp/go-on ]; do sleep 0.1; done
		echo after >&3 && read -r line <&3 && echo "$line"' >"$root/tmp/heard" 2>"$root/tmp/heard.err" &
	talker=$!
	wait_for grep -q before "$root/tmp/heard"
}
conversation_goes_on() {
	touch "$root/tmp/go-on"
	if wait_for grep -q after "$root/tmp/heard"; then
		wait "$talker" && return
	fi
	cat "$root/tmp/heard" "$root/tmp/heard.err"
	return 1
}
# wait_for COMMAND...: until it ends with 0, for a minute
wait_for() {
	local i
	for ((i = 0; i < 600; i++)); do
		"$@" 2>/dev/null && return 0
		sleep 0.1
	done
	return 1
}
