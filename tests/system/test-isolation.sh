#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Started by root, lfpd becomes another user and drops unneeded privileges
# Time limit: 300 s
[ "$(id -u)" = 0 ] || { echo "skipped: not root"; exit 77; }
if [ -z "${LFP_TEST_MOUNT:-}" ]; then
	unshare --mount --propagation private true || { echo "skipped: no mount namespace"; exit 77; }
	export LFP_TEST_MOUNT=1
	exec unshare --mount --propagation private -- "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"
needs setpriv

user=daemon
uid=$(id -u $user) || skip "there is no user $user"
gid=$(id -g $user)
bind_service=0000000000000400
log=$work/lfpd-LINR02.log
of_status() { awk -v key="$1:" '$1 == key { $1 = ""; print substr($0, 2) }' "/proc/$lfpd/status"; }
logged() { grep -Eq -- "$1" "$log"; }
told() { grep -q -- "$1" "$work/out"; }
ready() { [ "$(grep -c VLFD001I "$log")" -ge "$1" ]; }

# is_isolated UID GID TEXT
is_isolated() {
	check_eq "$(of_status Uid) $(of_status Gid)" "$1 $1 $1 $1 $2 $2 $2 $2" "$3: user and group"
	check_eq "$(of_status CapPrm) $(of_status CapEff) $(of_status CapBnd)" \
		"$bind_service $bind_service $bind_service" "$3: CAP_NET_BIND_SERVICE and nothing else"
	check_eq "$(of_status NoNewPrivs) $(of_status Seccomp)" "1 2" "$3: no new privileges, a filter of system calls"
}

# A program of z/VSE that listens below 1024
serves_privileged() {
	background_on_lfp server python3 -c '
import socket
s = socket.create_server(("0.0.0.0", 81))
c, _ = s.accept()
c.sendall(b"from below 1024\n")'
	local server=$! text
	wait_listen 81 30 || return 1
	read -r -t 30 text </dev/tcp/127.0.0.1/81
	wait_for 30 ended $server
	[ "$text" = "from below 1024" ]
}

lfp_up
check_eq "$(of_status Uid)" "0 0 0 0" "in a private tree lfpd keeps its user"
! ended "$instance" && [ "$instance" != "$lfpd" ] && stop_pid "$instance"
stop_pid "$lfpd"

peer=0
[ "$transport" != local ] || peer=$uid
lfpd_conf LINR02 USER=$user PEER_USER=$peer ADMIN_GROUP=adm
lfpd_start LINR02
dir=$LFP_ROOT/run/vselfpd/LINR02
is_isolated "$uid" "$gid" "USER"
check_eq "$(stat -c '%u %a' "$dir")" "$uid 755" "its directory is the user's"
check_eq "$(stat -c '%U:%G %a' "$dir/admin")" "$user:adm 660" "the admin socket is ADMIN_GROUP's"
[ "$transport" = local ] || check_eq "$(stat -c %a "$dir/path")" 666 "where PEER_USER decides anybody may open the path's socket"
instance_start 01
check "a program of z/VSE listens below port 1024" serves_privileged

lfpd_conf LINR02 USER=$user ADMIN_GROUP=adm LOG_LEVEL=warning
check_exit 0 "reload, as the user" into "$work/out" "$bin/lfpd-ctl" reload LINR02
check "takes new values" told "new values of PEER_USER, LOG_LEVEL"
[ "$transport" = local ] || check_eq "$(stat -c %a "$dir/path")" 660 "without PEER_USER only lfpd's group may open the socket"
lfpd_conf LINR02 USER=root
check_exit 0 "reload with another USER" into "$work/out" "$bin/lfpd-ctl" reload LINR02
check "keeps it" told "keeps its values of USER"
check_eq "$(of_status Uid)" "$uid $uid $uid $uid" "and keeps its user"
lfpd_conf LINR02 USER=$user
chmod 600 "$conf"
check_exit 6 "reload of a file that only root may read" into "$work/out" "$bin/lfpd-ctl" reload LINR02
check "reports it" told "Permission denied"
chmod 644 "$conf"

if [ "$transport" = local ]; then
	skip_part "restart in place: lfpd hosts the instance"
elif ! setpriv --reuid $user --regid $user --clear-groups test -x "$daemons/lfpd"; then
	skip_part "restart in place: $user cannot execute $daemons/lfpd"
else
	kill -USR2 "$lfpd"
	check "SIGUSR2: it is ready again" wait_for 30 ready 2
	is_isolated "$uid" "$gid" "after a restart in its process"
	# The filter refuses io_uring, and libuv 1.48 aborts where it has begun to use it.
	check "libuv is not to use io_uring" grep -qz '^UV_USE_IO_URING=0$' "/proc/$lfpd/environ"
	wait_for 30 instance_up 01
	check "a program of z/VSE listens below port 1024 again" serves_privileged
fi
stop_pid "$lfpd"

chmod 600 "$conf"
lfpd_start LINR02
check "a start with such a file warns" logged "VLFD038W .*user $user.*Permission denied"
stop_pid "$lfpd"
chmod 644 "$conf"

lfpd_conf LINR02 USER=nobodyknows
check_exit 78 "USER without such a user" into "$work/out" "$bin/lfpd" -d -f "$conf"
check "reports it" told "USER: "
lfpd_conf LINR02 USER=123456
check_exit 78 "USER by an unused number" into "$work/out" "$bin/lfpd" -d -f "$conf"
check "reports it" told "VLFD036E .*USER = 123456: "
lfpd_conf LINR02 USER=root
cp "$daemons/lfpd" "$work/lfpd"
chmod 755 "$work/lfpd"
check_exit 78 "USER where root has not started it" into "$work/out" \
	setpriv --reuid $user --regid $user --clear-groups "$work/lfpd" -d -f "$conf"
check "reports it" told "VLFD037E "

# the system's own tree, with files of the test in the place of the real ones

if ! mount -t tmpfs tmpfs /run || ! mkdir -p /run/etc/up /run/etc/work ||
	! mount -t overlay -o lowerdir=/etc,upperdir=/run/etc/up,workdir=/run/etc/work overlay /etc; then
	skip_part "the system's own tree: no overlay file system here"
	finish
fi 2>/dev/null
lfpd_conf LINR02
mkdir -p /etc/opt/ibm/vselfpd
cp -r "$LFP_ROOT/etc/opt/ibm/vselfpd/." /etc/opt/ibm/vselfpd/
conf=/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf
if [ "$transport" = local ]; then
	mkdir -p /etc/vselfp
	cp "$LFP_ROOT/etc/vselfp/lfp-01.conf" /etc/vselfp/
fi
sed -i '/^lfpd:/d' /etc/passwd /etc/group

system_start() {
	rm -f "$log"
	background lfpd-LINR02 env -u LFP_ROOT LFP_VMID=LINLFP "$daemons/lfpd" -d -v -f $conf
	lfpd=$!
	wait_for 30 env -u LFP_ROOT "$bin/lfpd-admin" -i LINR02 -s >/dev/null || die "lfpd does not answer"
}
system_stop() { kill -TERM "$lfpd" && wait_for 30 ended "$lfpd"; }

system_start
check "without a user lfpd it says that" logged "VLFD035W "
is_isolated 0 0 "root without privileges"
mkdir -p /run/left
cp -p /run/vselfpd/LINR02/pid /run/left/
check "it ends" system_stop

cp -p /run/left/pid /run/vselfpd/LINR02/pid # as if it had been killed
echo 'lfpd:x:899:899::/:/usr/sbin/nologin' >>/etc/passwd
echo 'lfpd:x:899:' >>/etc/group
system_start
is_isolated 899 899 "the user lfpd"
for stage in isolate_early isolate_config isolate_run; do
	check "$stage is told to developers" logged "$stage: "
done
check_eq "$(stat -c '%U' /run/vselfpd/LINR02/pid)" lfpd "files of root's lfpd belong to lfpd now"
check_exit 0 "lfpd-ctl status" env -u LFP_ROOT "$bin/lfpd-ctl" status LINR02
check_exit 0 "lfpd-ctl reload" env -u LFP_ROOT "$bin/lfpd-ctl" reload LINR02
into "$work/out" env -u LFP_ROOT setpriv --reuid $user --regid $user --groups 899 "$bin/lfpd-admin" -i LINR02 -s
check_eq $? 0 "a member of the group lfpd may ask"
check_exit 69 "another user may not" into "$work/out" \
	env -u LFP_ROOT setpriv --reuid $user --regid $user --clear-groups "$bin/lfpd-admin" -i LINR02 -s
check "as it has no right to" told "VLFD903E .*/run/vselfpd/LINR02/admin: Permission denied"
check_exit 0 "lfpd-ctl stop" env -u LFP_ROOT "$bin/lfpd-ctl" stop LINR02
check_exit 0 "started by lfpd-ctl, it leaves the terminal" env -u LFP_ROOT "$bin/lfpd-ctl" start LINR02
lfpd=$(cat /run/vselfpd/LINR02/pid)
is_isolated 899 899 "and isolates itself"
check_exit 0 "lfpd-ctl stop" env -u LFP_ROOT "$bin/lfpd-ctl" stop LINR02

# HOST_NETNS and HOST_INTERFACE want more rights, and only at the start. A kernel before 5.7 lets nobody without
# CAP_NET_RAW bind a socket to an interface.
needs ip setarch
if ip netns add lfptest 2>/dev/null && ip -n lfptest link set lo up; then
	printf '%s\n' "HOST_NETNS = lfptest" "HOST_INTERFACE = lo" >>"$(realpath $conf)"
	system_start
	is_isolated 899 899 "in HOST_NETNS"
	check_eq "$(stat -Lc %i "/proc/$lfpd/ns/net")" "$(stat -Lc %i /run/netns/lfptest)" "and it is there"
	check "it ends" system_stop
	net_bind_raw=0000000000002400
	background lfpd-LINR02 env -u LFP_ROOT LFP_VMID=LINLFP setarch --uname-2.6 "$daemons/lfpd" -d -f $conf
	lfpd=$!
	wait_for 30 env -u LFP_ROOT "$bin/lfpd-admin" -i LINR02 -s >/dev/null || die "lfpd does not answer"
	check_eq "$(of_status CapPrm) $(of_status CapBnd)" "$net_bind_raw $net_bind_raw" "an old kernel: CAP_NET_RAW stays"
	check "it ends" system_stop
	ip netns del lfptest
else
	skip_part "HOST_NETNS: no network namespace here"
fi
finish
