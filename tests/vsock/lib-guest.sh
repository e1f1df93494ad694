# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-guest.sh - a guest without a network device, under QEMU, with vhost-device-vsock beside it; a test sources it behind lib.sh

vhost=$("$top/tests/vsock/device") || skip "no guest: ${vhost##*$'\n'}"
why=$(O=$O "$top/tests/vsock/initrd" 2>&1) || skip "no guest: $why"

# guest_start [WRAPPER...]: boot it, with GUEST_OPTIONS among those of QEMU, DEVICE_OPTIONS among those of its device. Its AF_VSOCK is $work/vs (CONNECT PORT) and $work/vs_PORT on this side. $qemu is the
# process of the guest, $device that of its AF_VSOCK.
guest_start() {
	rm -f "$work/vhost" "$work/vs" "$work/console.in"
	# shellcheck disable=SC2086 # words
	background vhost "$@" "$vhost" --guest-cid 3 --socket "$work/vhost" --uds-path "$work/vs" ${DEVICE_OPTIONS:-}
	device=$!
	wait_for 30 test -S "$work/vhost" || die "vhost-device-vsock does not listen: $(cat "$work/vhost.log")"
	mkfifo "$work/console.in"
	exec {console}<>"$work/console.in"
	# shellcheck disable=SC2086 # words
	"$@" qemu-system-x86_64 -accel tcg -cpu max -m 256 -display none -monitor none -serial stdio -no-reboot -nodefaults \
		-object memory-backend-memfd,id=mem,size=256M,share=on -machine q35,memory-backend=mem \
		-chardev "socket,id=c0,path=$work/vhost" -device vhost-user-vsock-pci,chardev=c0 \
		-kernel "$O"/vsock-guest/kernel/boot/vmlinuz-* -initrd "$O/vsock-guest/initrd" \
		-append "console=ttyS0 quiet panic=-1 no_timer_check" ${GUEST_OPTIONS:-} <&"$console" >"$work/console.log" 2>&1 &
	qemu=$!
	pids+=($!)
	wait_for 120 grep -q GUEST-READY "$work/console.log" || die "the guest does not boot: $(tail -n 20 "$work/console.log")"
	tr -d '\r' <"$work/console.log" | grep GUEST-READY
}

# guest COMMAND: run it in the guest's shell; prints its output, and returns its exit code
guest() {
	local code nr=${EPOCHREALTIME/[.,]/} # not a counter: callers are subshells, too
	# The guest puts the marks together, so that no echo of the command has them.
	printf 'echo "BE""GIN%d."; { %s\n} 2>&1; echo "E""ND%d:$?."\n' $nr "$*" $nr >&"$console"
	wait_for 60 grep -q "END$nr:[0-9]*\." "$work/console.log" || { cat "$work/console.log" >&2; die "the guest does not answer"; }
	code=$(sed -n "s/.*END$nr:\([0-9]*\)\..*/\1/p" "$work/console.log")
	tr -d '\r' <"$work/console.log" | sed -n "/BEGIN$nr\./,/END$nr:/{//!p}"
	return "$code"
}

# guest_file PATH: write standard input there
guest_file() {
	guest "cat >$1 <<'END'
$(cat)
END"
}

# guest_kill: QEMU alone is killed
guest_kill() {
	kill -9 "$qemu"
	wait_for 30 ended "$qemu"
	exec {console}>&-
}

# ran_us PID...: how many us their threads have run so far
ran_us() {
	local pid file ns sum=0
	for pid in "$@"; do
		for file in "/proc/$pid/task"/*/schedstat; do
			ns=0
			read -r ns _ 2>/dev/null <"$file"
			sum=$((sum + ns))
		done
	done
	echo $((sum / 1000))
}
