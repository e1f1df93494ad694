#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An ordinary user logs in to an sshd on LFP: privilege separation with its chroot and its seccomp
# filter, forwarding of ports in both directions, sftp into a chroot; and, from the session, onward by
# LFP
# Time limit: 300 s
. "$(dirname "$0")/users.sh"
. "$(dirname "$0")/../system/lib.sh"
sshd=$(PATH=$PATH:/usr/sbin command -v sshd) || skip "sshd is not installed"
needs ssh sftp ssh-keygen curl python3 openssl
own_users lfpuser secret lfpfiles secret

mkdir -p /run/sshd || exit 1 # it stays: other tests may have sshds that want it for each session
mkdir "$work/ssh" "$work/www" && cd "$work/ssh" || exit 1
ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f user || die "ssh-keygen"
cp user.pub authorized && chmod 755 "$work/ssh" && chmod 644 authorized
# Only root may write above a chroot, so it cannot be in /tmp.
mkdir "$work/jail" "$work/jail/in" && chown lfpfiles: "$work/jail/in" && mount --bind "$work/jail" /srv || skip "no chroot for sftp"
head -c 10000000 /dev/urandom >"$work/www/file"
sum=$(md5sum <"$work/www/file")
cat >conf <<-END
	Port 2201
	ListenAddress 127.0.0.1
	ListenAddress ::1
	HostKey $work/ssh/host
	PidFile none
	AuthorizedKeysFile $work/ssh/authorized
	StrictModes no
	UsePAM no
	PasswordAuthentication no
	AllowTcpForwarding yes
	Subsystem sftp internal-sftp
	Match User lfpfiles
		ChrootDirectory /srv
		ForceCommand internal-sftp
END
options=(-F none -i "$work/ssh/user" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null
	-o IdentitiesOnly=yes -o BatchMode=yes -o ConnectTimeout=60 -o LogLevel=ERROR -o ExitOnForwardFailure=yes)
user() { timeout 120 ssh "${options[@]}" -p 2201 "lfpuser@$1" "${@:2}"; }
answers() { curl -sI --max-time 100 -o /dev/null "http://127.0.0.1:$1/file"; } # localhost may be two addresses
fetched() { curl -sS --fail --max-time 100 "http://127.0.0.1:$1/file" | md5sum; }

background httpd python3 "$here/httpd.py" 8000 "$work/www"
lfp_up
background_on_lfp sshd "$sshd" -D -e -f conf
server=$!
wait_listen_both 2201 && wait_listen 8000 || die "sshd or the web server does not listen"

for host in 127.0.0.1 ::1; do
	# shellcheck disable=SC2016 # it is the session's variable
	check_eq "$(user "$host" 'id -un; echo to "$SSH_CLIENT" | cut -d" " -f 1,2; exit 3' </dev/null; echo $?)" \
		$'lfpuser\nto '"$host"$'\n3' "the user's session from $host"
	check_eq "$(user "$host" md5sum <"$work/www/file")" "$sum" "10 MB through a pipe, from $host"
done
check_eq "$(user 127.0.0.1 -tt 'tty >/dev/null && stty size >/dev/null && echo terminal' </dev/null 2>/dev/null | tr -d '\r')" terminal \
	"with a terminal"

# The session's processes have the user's rights, and are still on LFP.
check_eq "$(user 127.0.0.1 curl -sS --max-time 100 http://127.0.0.1:8000/file </dev/null | md5sum)" "$sum" "curl in the session"

background forward timeout 280 ssh "${options[@]}" -N -p 2201 -L 8101:127.0.0.1:8000 -L '8103:[::1]:8000' -R 8102:127.0.0.1:8000 lfpuser@127.0.0.1
forward=$!
for port in 8101 8102 8103; do wait_for 60 answers $port || fail "ssh does not forward $port"; done
check_eq "$(fetched 8101)" "$sum" "-L: sshd connects, as the user"
check_eq "$(fetched 8103)" "$sum" "-L to IPv6"
check_eq "$(fetched 8102)" "$sum" "-R: sshd listens, as the user"
stop_pid $forward

check "sftp into a chroot" into "$work/sftp.log" timeout 120 sftp "${options[@]}" -P 2201 -b - lfpfiles@127.0.0.1 <<-END
	put $work/www/file /in/file
	get /in/file $work/ssh/back
END
check "is the same" cmp "$work/ssh/back" "$work/www/file"
check_exit 255 "an unknown user" into "$work/refused" timeout 120 ssh "${options[@]}" -p 2201 lfpnobody@127.0.0.1 true
check "sshd ends when it is told" stop_pid $server
finish
