#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sshd and ssh on LFP, each against a native peer and against each other; scp of 50 MB
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
sshd=$(PATH=$PATH:/usr/sbin command -v sshd) || skip "sshd is not installed"
needs ssh scp ssh-keygen
me=$(id -un)
[[ $(getent passwd "$me" | cut -d : -f 7) = */*sh ]] || skip "$me has no shell"

[ "$(id -u)" != 0 ] || mkdir -p /run/sshd || exit 1 # it stays: other tests may have sshds that want it for each session
mkdir "$work/ssh" && cd "$work/ssh" || exit 1
ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f user || die "ssh-keygen"
cp user.pub authorized
sshd_conf() { # PORT
	cat <<-END
		Port $1
		ListenAddress 127.0.0.1
		ListenAddress ::1
		HostKey $work/ssh/host
		PidFile none
		AuthorizedKeysFile $work/ssh/authorized
		StrictModes no
		UsePAM no
		PasswordAuthentication no
		PermitRootLogin yes
		MaxStartups 50
		Subsystem sftp internal-sftp
	END
}
sshd_conf 2201 >conf-lfp
sshd_conf 2202 >conf-native
options=(-F none -i "$work/ssh/user" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null
	-o IdentitiesOnly=yes -o BatchMode=yes -o ConnectTimeout=60 -o LogLevel=ERROR)
head -c 50000000 /dev/urandom >file
sum=$(md5sum <file)

# session TEXT PORT HOST PREFIX...: a command, its exit code, data both ways
session() {
	local text=$1 port=$2 host=$3 url=$3
	shift 3
	[[ $host != *:* ]] || url="[$host]"
	check_eq "$(timeout 120 "$@" ssh "${options[@]}" -p "$port" "$me@$host" 'echo to "$SSH_CLIENT" | cut -d" " -f 1,2; exit 3' </dev/null
		echo $?)" "to $host"$'\n'3 "$text: a command and its exit code"
	check_eq "$(timeout 120 "$@" ssh "${options[@]}" -p "$port" "$me@$host" md5sum <file)" "$sum" "$text: 50 MB through a pipe"
	rm -f copy back
	check "$text: scp to" timeout 120 "$@" scp -q "${options[@]}" -P "$port" file "$me@$url:$work/ssh/copy"
	check "$text: scp back" timeout 120 "$@" scp -q "${options[@]}" -P "$port" "$me@$url:$work/ssh/copy" back
	check "$text: is the same" cmp file back
}

lfp_up
background_on_lfp sshd-lfp "$sshd" -D -e -f conf-lfp
server=$!
background sshd-native "$sshd" -D -e -f conf-native
wait_listen_both 2201 && wait_listen_both 2202 || die "sshd does not listen"
session "sshd on LFP" 2201 127.0.0.1
session "ssh on LFP, IPv6" 2202 ::1 "${lfp_prefix[@]}"
session "both on LFP" 2201 127.0.0.1 "${lfp_prefix[@]}"
check "sshd ends when it is told" stop_pid $server
finish
