#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The configuration of lfpd as an operator meets it: the sample, lfpd -n, lfpd-ctl enable and disable
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

ctl() { "$bin/lfpd-ctl" "$@" >"$work/out" 2>&1; }
says() { grep -q -- "$1" "$work/out" || { cat "$work/out"; return 1; }; }
confs=$LFP_ROOT/etc/opt/ibm/vselfpd
mkdir -p "$confs/confs-available" "$confs/confs-enabled"
conf=$confs/confs-available/lfpd-LINR02.conf
link=$confs/confs-enabled/lfpd-LINR02.conf

cp "$top/samples/lfpd-LINR02.conf" "$conf"
check_eq "$(sed '/^# --- Keys/,$d' "$conf" | grep -v -e '^#' -e '^$')" "$(grep -v '^#' "$top/tests/data/lfpd-LINR02.conf")" "the sample has the values of IBM's"
check_eq "$(sed '1,/^# --- Keys/d' "$conf" | grep -v -e '^#' -e '^$')" "VMID = LINLFP" "and, of the others, the z/VM user id"
check_eq "$(sed -n 's/^IucvDestVMId *= *//p' "$top/samples/lfp-01.conf")" LINLFP "which the sample of START names"
check "lfpd -n takes it" into "$work/shown" "$bin/lfpd" -n -f "$conf"
# With a value for each key that is only named in it, it is a good file as well.
sed -E -e 's/^#(VSE_HOSTID6) =$/\1 = fd00::1/' -e "s/^#(PEER_USER|PEER_GROUP|ADMIN_GROUP) =$/\\1 = 0/" \
	-e 's/^#([A-Z_0-9]+) = (.+)$/\1 = \2/' "$conf" >"$work/all" && cp "$work/all" "$conf"
check "and so with its other keys" into "$work/shown" "$bin/lfpd" -n -f "$conf" || cat "$work/shown"
check_eq "$(grep -c '^[A-Z_0-9]* = ' "$work/shown")" "$(grep -c '^[A-Z_0-9]* = ' "$conf")" "lfpd -n shows each value in force"
check "and derived values" grep -q "in force: a window of 65536 bytes, with a threshold of 16384" "$work/shown"
# The output of lfpd -n is a configuration file with the same values.
cp "$work/shown" "$conf"
check "its output is a valid file" into "$work/again" "$bin/lfpd" -n -f "$conf"
check "of the same values" diff "$work/shown" "$work/again"
for key in $("$bin/lfpd" -n -f "$conf" | sed -nE 's/^(# )?([A-Z_0-9]+) (=|is not set).*/\2/p'); do
	grep -qE "^#?$key =" "$top/samples/lfpd-LINR02.conf" || fail "the sample does not name $key"
done

named() { # NAME FILE-NAME: lfpd -n
	printf 'IUCV_SRC_APPNAME = "%s"\n' "$1" >"$work/$2"
	"$bin/lfpd" -n -f "$work/$2" >"$work/out" 2>&1
}
check "a NAME of one letter" named A lfpd-A.conf
check 'a NAME of eight, with $#@_' named 'A$#@_123' 'lfpd-A$#@_123.conf'
check_exit 78 "a NAME of nine" named LINR02345 lfpd-LINR02345.conf
check "says which line and why" says 'lfpd-LINR02345.conf:1: IUCV_SRC_APPNAME: must be 1 to 8 of A-Z'
check_exit 78 "a NAME in lower case" named linr02 lfpd-linr02.conf
check_exit 78 "a NAME that is not the file's" named LINR03 lfpd-LINR02.conf
check "says which file it needs" says 'LINR03 needs the file name lfpd-LINR03.conf'

printf 'IUCV_SRC_APPNAME = LINR02\nMTU_SIZE = 1\nMAX_SOKCETS = 1\nLOG_LEVEL = loud\n' >"$work/lfpd-LINR02.conf"
verify() { "$bin/lfpd" -n -f "$work/lfpd-LINR02.conf" >"$work/out" 2>&1; }
check_exit 78 "a file with three errors" verify
check_eq "$(sed -nE 's/^VLFD020E .*conf:([0-9]+): ([A-Z_]+): .*/\1 \2/p' "$work/out" | paste -sd,)" "2 MTU_SIZE,3 MAX_SOKCETS,4 LOG_LEVEL" "each is told"
check "and the key that is meant" says '(perhaps MAX_SOCKETS)'

lfpd_conf LINR02
rm "$link"
check_exit 6 "an instance that is not enabled is not started" ctl start LINR02
check_exit 0 "enable" ctl enable LINR02
check "reports it" says "VLFD832I LINR02 is enabled"
check_eq "$(readlink "$link")" ../confs-available/lfpd-LINR02.conf "there is a link"
check_exit 0 "enable an enabled instance" ctl enable LINR02
check "reports it" says "VLFD831I LINR02 is already enabled"
check "list shows it" ctl list
check "as enabled" says "LINR02 *enabled *stopped"
# VMID comes before the environment.
echo 'VMID = LINLFP' >>"$conf"
check_exit 0 "it can be started" env LFP_VMID=OTHER "$bin/lfpd-ctl" start LINR02
vmid() { "$bin/lfpd-admin" -i LINR02 --json -s | python3 -c 'import json, sys; print(json.load(sys.stdin)["vmid"])'; }
check_eq "$(vmid)" LINLFP "VMID is its z/VM user id"
check_exit 0 "disable while it runs" ctl disable LINR02
check "says that it runs on" says "VLFD836W LINR02 keeps running"
check "the link is gone" eval '! [ -e "$link" ]'
check "the file is not" [ -f "$conf" ]
check_exit 0 "stop" ctl stop LINR02
check_exit 0 "disable an instance that is not enabled" ctl disable LINR02
check "reports it" says "VLFD833I LINR02 is not enabled"
echo "MTU_SIZE = 1" >>"$conf"
check_exit 6 "a wrong file is not enabled" ctl enable LINR02
check "says where and why" says 'lfpd-LINR02.conf:[0-9]*: MTU_SIZE: is already in line'
check "there is no link" eval '! [ -L "$link" ]'
# Some systems have the code pages of the C library in a package of their own.
if converters=$(dirname "$(find /usr/lib /usr/lib64 -path '*/gconv/EBCDIC-US.so' 2>/dev/null | head -n 1)") && [ "$converters" != . ] &&
	unshare --mount mount -t tmpfs tmpfs "$converters" 2>/dev/null; then
	lfpd_conf LINR04 VSE_CODEPAGE=
	check_exit 78 "a system without the default code page" into "$work/out" unshare --mount sh -c 'mount -t tmpfs tmpfs "$1" && exec "$2" -n -f "$3"' \
		sh "$converters" "$daemons/lfpd" "$conf"
	check "is told" says "VSE_CODEPAGE: iconv does not know EBCDIC-US, the default"
	rm "$conf" "$confs/confs-enabled/lfpd-LINR04.conf"
else
	skip_part "the code pages cannot be covered"
fi
ln -s ../confs-available/nowhere "$link"
lfpd_conf LINR03
rm "$confs/confs-enabled/lfpd-LINR03.conf"
sed -i '/MTU_SIZE = 1$/d' "$confs/confs-available/lfpd-LINR02.conf"
check_exit 0 "a link to nowhere is replaced" ctl enable LINR02 LINR03
check "both are enabled" [ -e "$link" -a -e "$confs/confs-enabled/lfpd-LINR03.conf" ]
check_exit 6 "enable an unconfigured instance" ctl enable NONE
check "reports it" says "VLFD822E NONE is not configured"
check_exit 2 "enable needs a NAME" ctl enable
check_exit 2 "disable, too" ctl disable
check_exit 2 "an invalid NAME" ctl enable ../LINR02
rm "$link"
cp "$conf" "$link"
check_exit 1 "a file in the place of the link is not removed" ctl disable LINR02
check "reports it" says "VLFD834E LINR02: .* is a file, not a link"
check "it is there" [ -f "$link" ]
finish
