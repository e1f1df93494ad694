#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# vsftpd with chroot_local_user under lftp and curl: PASV, EPSV, PORT, EPRT; each of them on LFP, and both
# Time limit: 300 s
. "$(dirname "$0")/users.sh"
. "$(dirname "$0")/../system/lib.sh"
needs vsftpd lftp curl openssl
own_users lfpuser secret
home=$work/home/lfpuser

mkdir "$home/files" "$work/pam.d" "$work/empty"
for i in {1..10}; do head -c $((i * 100000)) /dev/urandom >"$home/files/f$i"; done
head -c 20000000 /dev/urandom >"$home/big"
chown -R lfpuser: "$home"
sums=$(cd "$home/files" && md5sum f*)
big=$(md5sum <"$home/big")

# The system's own rule forbids nothing here that matters, but wants a shell of /etc/shells and more.
echo 'auth required pam_unix.so
account required pam_unix.so
session required pam_permit.so' >"$work/pam.d/vsftpd"
mount --bind "$work/pam.d/vsftpd" /etc/pam.d/vsftpd || skip "the rule for vsftpd cannot be covered"

conf() { # PORT
	cat <<-END
		listen=NO
		listen_ipv6=YES
		background=NO
		listen_port=$1
		ftp_data_port=20
		connect_from_port_20=YES
		local_enable=YES
		write_enable=YES
		anonymous_enable=NO
		chroot_local_user=YES
		allow_writeable_chroot=YES
		pasv_min_port=$(($1 + 100))
		pasv_max_port=$(($1 + 199))
		secure_chroot_dir=$work/empty
		pam_service_name=vsftpd
		xferlog_enable=NO
	END
}
conf 2101 >"$work/conf-lfp"
conf 2102 >"$work/conf-native"
chmod 600 "$work"/conf-*

# session TEXT PORT HOST PASSIVE EPSV PREFIX...: list, fetch many, send and fetch a large one
session() {
	local text=$1 port=$2 host=$3 settings
	settings="set net:max-retries 1; set net:timeout 60; set net:reconnect-interval-base 1; set ftp:ssl-allow no; set cmd:fail-exit yes; set xfer:log no;
		set ftp:passive-mode $4; set ftp:prefer-epsv $5"
	shift 5
	ftp() { timeout 120 "${prefix[@]}" env HOME="$work" lftp -c "$settings; open ftp://lfpuser:secret@$host:$port; $1"; }
	local prefix=("$@")
	rm -rf "$work/got" "$home/sent" && mkdir "$work/got"
	check_eq "$(ftp 'cls -1 /; cls -1 /files' | LC_ALL=C sort | tr '\n' ' ')" \
		"/big /files/ /files/f1 /files/f10 /files/f2 /files/f3 /files/f4 /files/f5 /files/f6 /files/f7 /files/f8 /files/f9 " \
		"$text: lists what chroot leaves"
	check "$text: a directory" ftp "mirror -P 3 /files $work/got"
	check_eq "$(cd "$work/got" && md5sum f*)" "$sums" "$text: is the same"
	check "$text: send 20 MB" ftp "put $home/big -o /sent"
	check "$text: is the same" cmp "$home/big" "$home/sent"
	check_eq "$(ftp 'cat /sent' | md5sum)" "$big" "$text: fetch 20 MB"
}

# session6 TEXT PORT CURL-OPTION... -- PREFIX...: with curl, as lftp wants more than loopback for IPv6
session6() {
	local text=$1 url="ftp://[::1]:$2" options=()
	shift 2
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	local curl=(timeout 120 "$@" curl -sS -u lfpuser:secret "${options[@]}")
	rm -f "$home/sent"
	check_eq "$("${curl[@]}" -l "$url/files/" | tr -d '\r' | LC_ALL=C sort | tr '\n' ' ')" "f1 f10 f2 f3 f4 f5 f6 f7 f8 f9 " \
		"$text: list"
	check "$text: send 20 MB" "${curl[@]}" -T "$home/big" "$url/sent"
	check "$text: is the same" cmp "$home/big" "$home/sent"
	check_eq "$("${curl[@]}" "$url/sent" | md5sum)" "$big" "$text: fetch 20 MB"
}

lfp_up
background_on_lfp vsftpd-lfp vsftpd "$work/conf-lfp"
server=$!
background vsftpd-native vsftpd "$work/conf-native"
wait_listen 2101 && wait_listen 2102 || die "vsftpd does not listen"
session "vsftpd on LFP, PASV" 2101 127.0.0.1 yes no
session "vsftpd on LFP, EPSV" 2101 127.0.0.1 yes yes
session6 "vsftpd on LFP, EPSV on IPv6" 2101 --
session "vsftpd on LFP, PORT" 2101 127.0.0.1 no no
session6 "vsftpd on LFP, EPRT" 2101 --ftp-port ::1 --
session "lftp on LFP, PASV" 2102 127.0.0.1 yes no "${lfp_prefix[@]}"
session "lftp on LFP, EPSV" 2102 127.0.0.1 yes yes "${lfp_prefix[@]}"
session "lftp on LFP, PORT" 2102 127.0.0.1 no no "${lfp_prefix[@]}"
session6 "curl on LFP, EPSV on IPv6" 2102 -- "${lfp_prefix[@]}"
session6 "curl on LFP, EPRT" 2102 --ftp-port ::1 -- "${lfp_prefix[@]}"
[ -n "${NATIVE:-}" ] || session "both on LFP" 2101 127.0.0.1 yes no "${lfp_prefix[@]}"
check_exit 1 "a wrong password" into "$work/refused" timeout 120 lftp -c "set net:max-retries 1; set ftp:ssl-allow no;
	open ftp://lfpuser:wrong@127.0.0.1:2101; ls"
check "vsftpd ends when it is told" stop_pid $server
finish
