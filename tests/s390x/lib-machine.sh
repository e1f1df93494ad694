# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-machine.sh - the appliance's image as a machine of its own on a kernel for s390x, under QEMU; a test sources it behind lib.sh, with
# LFP_TRANSPORT=hipersockets
#
# The network side is tap0 with 10.0.5.254. The appliance has 10.0.5.1 and 10.0.5.2, of z/VSE 1 and 2. z/VSEs and the controller
# come by the kernel's HiperSockets.

needs python3 curl
[ -c /dev/net/tun ] || skip "no /dev/net/tun"
image=$O/via/s390x

"$top/tests/s390x/initrd" >"$O/s390x-initrd.log" 2>&1
rc=$?
[ $rc != 77 ] || skip "$(tail -n 1 "$O/s390x-initrd.log")"
[ $rc = 0 ] || die "$(tail -n 3 "$O/s390x-initrd.log")"
"$top/scripts/via-image" s390x "$image" >"$work/image.log" 2>&1 || skip "no image: $(tail -n 1 "$work/image.log")"
ip tuntap add tap0 mode tap 2>/dev/null || skip "no tap device can be made"
ip addr add 10.0.5.254/24 dev tap0
ip link set tap0 up

# One network device has both, for the kernel does not number two of them in a fixed order.
# QEMU has no HiperSockets: our module stands in for the driver of a real one.
mkdir -p "$work/more/mods"
cp "$O/s390x/modules/hsi.ko" "$work/more/mods/" || die "there is no hsi.ko"
s390x-linux-gnu-strip -g "$work/more/mods/hsi.ko"
gzip -dc "$image/initrd" | (cd "$work" && cpio -id --quiet mods/order) &&
	grep -v '^af_iucv' "$work/mods/order" >"$work/more/mods/order"
printf '%s\n' "hsi.ko ids=LINUX1 mtu=1500 link=eth0" af_iucv.ko >>"$work/more/mods/order"
chmod a-w "$work/more/mods/"*
(cd "$work/more" && find . | cpio -o -H newc --quiet -R 0:0) | gzip -1 | cat "$image/initrd" - >"$work/initrd"

mkdir "$work/conf"
printf '%s\n' "DEVICE = hsi0" "ADDRESS = 10.0.5.1/24 eth0" "ADDRESS = 10.0.5.2/24 eth0" "CONTROLLER = iucv OPERATOR" \
	"CONTROLLER_HSUID = LINUX1" >"$work/conf/via.conf"
for nr in 1 2; do
	printf '%s\n' "IUCV_SRC_APPNAME = VSE$nr" "PEER_IUCV_VMID = VSE$nr" "PEER_IUCV_APPNAME = TESTV" "VSE_CODEPAGE = EBCDIC-US" \
		"VSE_HOSTID = 10.0.5.$nr" "RESTRICT_TO_HOSTID = yes" "MTU_SIZE = 1024" "MAX_SOCKETS = 200" "LOG_INFO_MSG = yes" \
		"TRANSPORT = iucv" "IUCV_HSUID = LINUX1" >"$work/conf/lfpd-VSE$nr.conf"
done
write_disk() { "$bin/lfp-via" config "$work/conf" "$work/disk" >"$work/written.log" 2>&1; }
write_disk || die "no disk: $(cat "$work/written.log")"

initrd=$work/initrd boots=0
background switch "$top/tests/s390x/switch.py" "$work/lan" "$work/vm" "VSE1=$work/b1" "VSE2=$work/b2" "OPERATOR=$work/op" "OTHER=$work/op"
console_says() { grep -qaE "$1" "$work/console.log"; }
appliance_start() {
	rm -f "$work/vm"
	boots=$((boots + 1))
	background console qemu-system-s390x -M s390-ccw-virtio -accel tcg,thread=single -cpu max -m 256 -nographic -nodefaults -serial stdio -no-reboot \
		-netdev "dgram,id=n0,local.type=unix,local.path=$work/vm,remote.type=unix,remote.path=$work/lan" \
		-netdev tap,id=n1,ifname=tap0,script=no,downscript=no -netdev hubport,id=h0,hubid=0,netdev=n0 \
		-netdev hubport,id=h1,hubid=0,netdev=n1 -netdev hubport,id=h2,hubid=0 -device virtio-net-ccw,netdev=h2 \
		-drive "file=$work/disk,format=raw,if=none,id=d0,readonly=on" -device virtio-blk-ccw,drive=d0 \
		-kernel "$image/kernel" -initrd "$initrd" -append "$(cat "$image/parm")"
	qemu=$!
}
appliance_up() {
	wait_for 600 console_says VLFD550I || die "the appliance does not boot: $(tail -n 20 "$work/console.log")"
	grep -aoE 'up after [0-9.]+ s' "$work/console.log" | sed 's/^/  | /'
}
appliance_cut() {
	kill -KILL "$qemu" 2>/dev/null
	wait_for 30 ended "$qemu" || die "QEMU does not end"
}
operator() { "$top/tests/s390x/operator.py" "$work/op" "$work/lan" OPERATOR LINUX1 "$@"; }
answers() { # TEXT COMMAND...
	local text=$1
	shift
	operator "$@" >"$work/answer" 2>&1 && grep -qE "$text" "$work/answer" || { cat "$work/answer"; return 1; }
}
serves() { [ "$(curl -sS -m 10 "http://10.0.5.$1:8080/who" 2>/dev/null)" = "z/VSE $1" ]; }
on_vse() { # N COMMAND...
	local nr=$1
	shift
	"${empty_net[@]}" "$bin/lfp-run" -i "0$nr" "$@"
}
declare -A bridges=() servers=()
# vse_start N: a z/VSE with a device of its own
vse_start() {
	local nr=$1 path=$LFP_ROOT/run/vselfpd/VSE$1/path
	wait_for 300 console_says "VSE$nr: VLFD001I" || die "lfpd VSE$nr is not ready: $(tail -n 20 "$work/console.log")"
	rm -f "$work/b$nr"
	mkdir -p "${path%/*}"
	background "bridge-$nr" "$O/tests/s390x/bridge" listen "$path" 16384 "$work/b$nr" "$work/lan"
	bridges[$nr]=$!
	wait_for 30 test -S "$path" || die "the bridge does not listen"
	statements "0$nr" MTU=1024 IucvHsuid="VSE$nr" IucvDestAppName="VSE$nr" IucvDestVMId=LINUX1
	wait_for 120 into "$work/start-$nr.log" env LFP_VMID="VSER0$nr" "$bin/ijblfpop" START "$work/start-0$nr" ||
		die "z/VSE $nr does not start: $(cat "$work/start-$nr.log")"
	mkdir -p "$work/www-$nr"
	echo "z/VSE $nr" >"$work/www-$nr/who"
	background "http-$nr" "${empty_net[@]}" "$bin/lfp-run" -i "0$nr" python3 -m http.server --directory "$work/www-$nr" 8080
	servers[$nr]=$!
}
# vse_end N: it goes down, without a word to an appliance that is gone already
vse_end() {
	stop_pid "${servers[$1]}" KILL
	stop_pid "$(cat "$LFP_ROOT/run/vselfp/0$1/pid")" KILL
	stop_pid "${bridges[$1]}" KILL
}

# both_again: the z/VSEs connect again, for a cut has ended all that they had
both_again() {
	for nr in 1 2; do
		vse_end $nr
		vse_start $nr
	done
	wait_for 120 serves 1 && wait_for 120 serves 2
}
