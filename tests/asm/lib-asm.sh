# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-asm.sh - for tests that assemble and run programs of z/VSE, after lib.sh
#
# On s390x they run as they are. Elsewhere qemu-user runs them, and also the LFP instance: both sides of the control
# channel are of one machine. lfpd and the peers are always this machine's.

if [ "$(uname -m)" = s390x ]; then
	machine=() libraries=$O/lib
else
	emulator=$(command -v qemu-s390x-static) || skip "no qemu-s390x-static: scripts/packages install s390x"
	s390x=$O/s390x
	"$top/tests/cross/make" s390x "$s390x/build/lib/libvsesock.so" "$s390x/build/bin/ijblfpop" >"$work/make" 2>&1
	rc=$?
	[ $rc != 77 ] || skip "$(tail -n 1 "$work/make")"
	[ $rc = 0 ] || { cat "$work/make"; die "the build for s390x"; }
	libraries=$s390x/build/lib root=$s390x/sysroot
	machine=("$emulator" -L "$root"
		-E "LD_LIBRARY_PATH=$libraries:$root/usr/lib/s390x-linux-gnu:$root/lib/s390x-linux-gnu")
	s390x-linux-gnu-gcc -O2 -shared -fPIC -o "$work/cookie.so" "$top/tests/cross/preload/cookie.c" -ldl || die "cookie.so"
	mkdir "$work/bin"
	ln -s "$O/bin/lfpd" "$O/bin/lfpd-admin" "$work/bin"
	printf '#!/bin/sh\nexec' >"$work/bin/ijblfpop"
	printf ' "%s"' "${machine[@]}" -E "LD_PRELOAD=$work/cookie.so" "$s390x/build/bin/ijblfpop" >>"$work/bin/ijblfpop"
	echo ' "$@"' >>"$work/bin/ijblfpop"
	chmod +x "$work/bin/ijblfpop"
	bin=$work/bin daemons=$work/bin
fi

# assemble NAME [FOLDER]: FOLDER/NAME.asm, by default of examples/asm, as $work/NAME
assemble() {
	into "$work/$1.out" "$O/bin/vseasm" -L "$libraries" -o "$work/$1" "${2:-$top/examples/asm}/$1.asm"
	check_eq "$?$(cat "$work/$1.out")" 0 "$1 is assembled without a word"
}

# up: lfpd and the instance; a pid file does not tell that of an emulator
up() {
	lfp_up
	pids+=("$instance")
}

# phase NAME ARG...: run it with no network but LFP's
phase() { timeout 40 env "${variables[@]}" "${empty_net[@]}" "${machine[@]}" "$work/$1" "${@:2}"; }
variables=('LFP_SETPARM=LFP$ID=01')
