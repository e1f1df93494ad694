#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each system call fails with each of its errors, each allocation fails, the clock jumps: nothing crashes or
# hangs, and nothing else is lost
# Time limit: 600 s
#
# In lfpd, the LFP instance, the shim of a program and the supervisor of one. FAILING_PART: one of so many
# cases, chosen by FAILING_SEED. FAILING_IN: only in these; the instance is left to make soak.
. "$(dirname "$0")/../system/lib.sh"

[ "$(id -u)" = 0 ] || skip "only root may trace the daemons"
needs_own_processes "each has calls of its own"
seed=${FAILING_SEED:-1} part=${FAILING_PART:-25}
echo "FAILING_SEED=$seed"

# inside NAME: the variables with which a process fails allocations, and with which its clock jumps
inside() {
	[ -z "${O_SAN:-}" ] || return 0 # sanitizers have allocations of their own
	truncate --size=4096 "$work/inside-$1"
	echo "LD_PRELOAD=$O/tests/campaign/inside/preload.so" "INSIDE_PAGE=$work/inside-$1"
	case $1 in
	shim) echo INSIDE_ONLY=libvsesock-preload.so ;; # of the program, only the calls that the shim makes
	supervisor) echo INSIDE_ONLY=lfp-run ;;
	esac
}

# try NAME MODE TARGET
try() {
	[[ " ${FAILING_IN:-lfpd shim supervisor} " = *" $1 "* ]] || return 0
	lfp_mode "$2"
	local inside=()
	[[ $1 != shim && $1 != supervisor ]] || read -ra inside <<<"$(inside "$1" | tr '\n' ' ')"
	INSIDE_PAGE=$work/inside-$1 "$O/tests/campaign/failing" "$LFP_ROOT/run/vselfp/01/ctl" "$seed" "$part" "$3" \
		env "${inside[@]}" "${lfp_prefix[@]}" "$O/tests/campaign/short" >"$work/failing-$1" 2>&1
	local rc=$?
	sed "s/^/$1: /" "$work/failing-$1"
	[ $rc != 77 ] || skip "$(tail -n 1 "$work/failing-$1")"
	check_eq $rc 0 "failures in $1"
}

lfpd_conf LINR02
statements 01
# shellcheck disable=SC2046 # words
lfpd_start LINR02 $(inside lfpd)
# shellcheck disable=SC2046
instance_start 01 $(inside instance)
try lfpd preload "$lfpd"
# A lack of memory of the moment does not end the path, and no error makes a guard reset connections that live.
[ -n "${FAILING_ONLY:-}" ] || for call in recvmmsg sendto; do FAILING_ONLY=$call,ENOMEM,4 try lfpd preload "$lfpd"; done
[ -n "${FAILING_ONLY:-}" ] || FAILING_ONLY=recvmsg,ECONNRESET try supervisor seccomp lfp-run
[ -n "${FAILING_ONLY:-}" ] || FAILING_ONLY=clock,ALL try lfpd preload "$lfpd"
# An edge reports that a far end is ready: the kernel does not say EAGAIN then, and no second edge would come.
FAILING_WITHOUT=" recvfrom,EAGAIN sendmsg,EAGAIN " try instance preload "$instance"
try shim preload short
try supervisor seccomp lfp-run
check "all sockets are gone" wait_for 60 no_sockets
finish
