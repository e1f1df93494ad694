# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-files.sh - a guest without a network device that has this machine's files, read-only below a memory file system, and runs
# commands for this side (remote.c). A test sources it behind lib.sh. Root only: virtiofsd passes all users' files.

[ "$(id -u)" = 0 ] || skip "only root can give a guest this machine's files"
virtiofsd=/usr/lib/qemu/virtiofsd
[ -x $virtiofsd ] || skip "no virtiofsd: scripts/packages install vsock"
vhost=$("$top/tests/vsock/device") || skip "no guest: ${vhost##*$'\n'}"

# files_guest_start [WRAPPER...]: boot it, with GUEST_OPTIONS among those of QEMU. Its folder is $guest, which both sides write at the same place; LFP_GUEST=$guest
# before a test puts that test's programs into the guest. GUEST_MB, GUEST_CPUS: its
# memory and processors; more than one cost more than they give, but for programs of many threads. $files_qemu is its process,
# $files_device that of its AF_VSOCK.
files_guest_start() {
	local mb=${GUEST_MB:-2048} why khz
	guest=$(mktemp -d /tmp/vm.XXXXXX) && chmod 755 "$guest" && mkdir "$work/tree" || die "no folder for the guest"
	at_exit_too=(files_guest_end)
	inside=("$O/tests/vsock/remote" run "$guest/vs" 5050)
	why=$(O=$O "$top/tests/vsock/files-initrd" "$guest" "$work/initrd" 2>&1) || skip "no guest: $why"
	background files-vhost "$@" "$vhost" --guest-cid 3 --socket "$work/files-vhost" --uds-path "$guest/vs"
	files_device=$!
	# The guest's root could change this machine's files otherwise.
	background tree unshare --mount --propagation private sh -c 'mount --rbind / "$1/tree" && mount -o remount,bind,ro "$1/tree" &&
		exec '$virtiofsd' --socket-path="$1/fs-tree" -o source="$1/tree" -o cache=always -o sandbox=chroot' sh "$work"
	background shared $virtiofsd --socket-path="$work/fs-shared" -o source="$guest" -o cache=auto -o timeout=0 -o sandbox=chroot
	wait_for 30 test -S "$work/files-vhost" -a -S "$work/fs-tree" -a -S "$work/fs-shared" ||
		die "no devices: $(cat "$work/files-vhost.log" "$work/tree.log" "$work/shared.log")"
	# The guest's TSC is this machine's. Left to itself it measures the rate against an emulated timer, and on a busy machine its
	# clock then went twelve times too fast: each time-out of a program was over too early.
	khz=$("$O/tests/vsock/remote" khz) || die "no rate of the TSC"
	# shellcheck disable=SC2086 # words
	background files-console "$@" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp "${GUEST_CPUS:-1}" -m "$mb" -display none -monitor none -serial stdio \
		-no-reboot -nodefaults -object "memory-backend-memfd,id=mem,size=${mb}M,share=on" -machine q35,memory-backend=mem \
		-chardev "socket,id=c0,path=$work/files-vhost" -device vhost-user-vsock-pci,chardev=c0 \
		-chardev "socket,id=c1,path=$work/fs-tree" -device vhost-user-fs-pci,chardev=c1,tag=host \
		-chardev "socket,id=c2,path=$work/fs-shared" -device vhost-user-fs-pci,chardev=c2,tag=folder \
		-kernel "$O"/vsock-guest/kernel/boot/vmlinuz-* -initrd "$work/initrd" \
		-append "console=ttyS0 quiet panic=-1 no_timer_check nokaslr mitigations=off tsc=reliable clocksource=tsc tsc_early_khz=$khz" ${GUEST_OPTIONS:-}
	files_qemu=$!
	wait_for 120 grep -q REMOTE-READY "$work/files-console.log" || die "the guest does not boot: $(tail -n 20 "$work/files-console.log")"
}

files_guest_end() {
	[ -z "${files_qemu:-}" ] || { kill "$files_qemu"; wait_for 10 ended "$files_qemu"; }
	rm -rf "$guest"
} 2>/dev/null

# guest_percent COMMAND...: how many seconds go by in the guest in 100 seconds of this side, while the command runs
guest_percent() {
	local there here
	here=$(now_ms) there=$(inside date +%s%3N)
	"$@"
	echo $((($(inside date +%s%3N) - there) * 100 / ($(now_ms) - here)))
}

# inside COMMAND...: in the guest. In the background it is "${inside[@]}" COMMAND..., one process that takes the signals.
inside() { "${inside[@]}" "$@" </dev/null; }
