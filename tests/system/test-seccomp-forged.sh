#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The seccomp supervisor acts only on near ends of its instance, whatever a program shows it
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs setpriv
[ "$(id -u)" = 0 ] || skip "only root's supervisor has more rights than its programs"
${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -O1 -g -static -no-pie -I"$top" -o "$work/forged" "$here/forged.c" 2>"$work/cc.log" ||
	skip "no static program can be linked here: $(head -n 1 "$work/cc.log")"
lfp_up
"$bin/lfp-run" --mode=seccomp -i 01 true >"$work/possible" 2>&1 || skip "$(cat "$work/possible")"
mkdir -m 777 "$work/cage"
cd "$work/cage" || exit 1
attack() { timeout 60 "${lfp_prefix[@]}" setpriv --reuid=65534 --regid=65534 --clear-groups "$work/forged" "$@"; }

for kind in stream dgram; do
	lfp_mode both
	name=$(on_lfp "$work/forged" name $kind) || die "a near end has no name: $name"
	lfp_mode seccomp
	check_eq "$(attack send $kind "$name" | tr '\n' ' ')" "user 65534 user 65534 " \
		"$kind: what is sent through it is sent by its own user"
done

lfp_mode both
check_eq "$(attack join)" "instance 01, a cookie" "mode both: the cookie is in the environment, and told"
lfp_mode seccomp
check_eq "$(attack join)" "instance 01, no cookie" "mode seccomp: no program gets the cookie"
background echo "$programs/echo" 127.0.0.1 7000
wait_listen 7000
for mode in seccomp both preload; do
	check "lfp-run --mode=$mode under that supervisor works" into "$work/inner" timeout 60 "${lfp_prefix[@]}" \
		"$bin/lfp-run" --mode=$mode -i 01 "$programs/supervised" get 127.0.0.1 7000
done

timeout 60 "${lfp_prefix[@]}" "$work/forged" foreign >"$work/foreign"
check_eq $? 0 "calls of other machines"
if grep -q 'no 32-bit calls' "$work/foreign"; then
	skip_part "this kernel has no 32-bit calls"
else
	for kind in i386 socketcall; do
		check_eq "$(grep "^$kind [a-z0-9]*:" "$work/foreign" | grep -vc EAFNOSUPPORT)" 0 "$kind: refused on a near end"
	done
	check_eq "$(grep '^x32' "$work/foreign" | grep -Evc 'EAFNOSUPPORT|ENOSYS')" 0 "x32: refused on a near end"
	check_eq "$(grep '^other' "$work/foreign" | sed 's/.*: //' | tr '\n' ' ')" "ENOENT ENOENT 0 " "on other sockets they are the kernel's"
	check "socketcall makes no Internet socket" grep -qx 'socketcall socket(AF_INET): EAFNOSUPPORT' "$work/foreign"
	check "but others" grep -qx 'socketcall socket(AF_UNIX): 0' "$work/foreign"
	check "as they were asked for" grep -qx 'close-on-exec: 1' "$work/foreign"
	check "with the kernel's errors" grep -Eqx 'socketcall socket\(AF_UNIX, 99\): (EINVAL|ESOCKTNOSUPPORT)' "$work/foreign"
	check "root's programs make the sockets that root may" grep -qx 'socketcall socket(AF_PACKET): 0' "$work/foreign"
	check "others do not get it from root's supervisor" grep -qx 'socketcall socket(AF_PACKET): EAFNOSUPPORT' <(attack foreign)
	check_eq "$(grep -c 'VLFB050W Program forged, .*32 bits' "$LFP_ROOT/run/vselfp/01/log")" 4 "the instance's log has it, once each"
	check "nor in another network namespace" grep -qx 'socketcall socket(AF_UNIX): EAFNOSUPPORT' \
		<(on_lfp unshare --net -- "$work/forged" foreign)
fi
check "all sockets are gone" wait_for 30 no_sockets
check "all supervisors have ended" wait_for 30 no_supervisor
finish
