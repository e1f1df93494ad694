# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# users.sh - for tests that log in as users of their own; sourced before lib.sh
#
# The test gets a mount namespace, in which own_users covers the files of users with copies, so that
# nothing of the machine is changed. Only root can do that.

if [ "$(id -u)" = 0 ] && [ -z "${LFP_TEST_USERS:-}" ]; then
	export LFP_TEST_USERS=1
	exec unshare --mount --propagation private -- "$0" "$@"
fi

# own_users NAME PASSWORD...: each with a home in $work/home
own_users() {
	local uid=64100 file
	[ "$(id -u)" = 0 ] || skip "only root can have users of its own"
	mkdir "$work/etc" "$work/home"
	for file in passwd group shadow; do
		cp -p "/etc/$file" "$work/etc/$file"
	done
	while [ $# -gt 0 ]; do
		uid=$((uid + 1))
		echo "$1:x:$uid:$uid::$work/home/$1:/bin/sh" >>"$work/etc/passwd"
		echo "$1:x:$uid:" >>"$work/etc/group"
		echo "$1:$(openssl passwd -6 "$2"):19000:0:99999:7:::" >>"$work/etc/shadow"
		mkdir "$work/home/$1"
		chown "$uid:$uid" "$work/home/$1"
		shift 2
	done
	for file in passwd group shadow; do
		mount --bind "$work/etc/$file" "/etc/$file" || skip "the files of users cannot be covered"
	done
	[ -z "${LFP_GUEST:-}" ] || in_guest cp "$work/etc/passwd" "$work/etc/group" "$work/etc/shadow" /etc
}
