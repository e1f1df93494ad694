# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-via.sh - the appliance in a guest under QEMU, with z/VSEs on this side; a test sources it behind lib.sh
#
# The network side is tap0 with 10.0.5.254. The appliance has 10.0.5.1 and 10.0.5.2, of z/VSE 1 and 2. z/VSEs and
# the controller come by AF_VSOCK, of which vhost-device-vsock makes the UNIX socket $work/vs.

needs qemu-system-x86_64 python3 curl
[ -c /dev/net/tun ] || skip "no /dev/net/tun"
vhost=$("$top/tests/vsock/device") || skip "$vhost"
image=$O/via/x86_64
why=$("$top/scripts/via-image" x86_64 "$image" 2>&1) || skip "no image: $(tail -n 1 <<<"$why")"
ip tuntap add tap0 mode tap 2>/dev/null || skip "no tap device can be made"
ip addr add 10.0.5.254/24 dev tap0
ip link set tap0 up
initrd=$image/initrd boots=0
machine=() # what QEMU gets besides

via() { timeout 60 "$bin/lfp-via" -t "vmm:$work/vs" "$@"; }
console_says() { grep -qaE "$1" "$work/console.log"; }
said_reason() { grep -aoE 'after [0-9.]+ s' "$work/console.log"; }

# appliance_start: begin to boot it; $qemu is its process
appliance_start() {
	boots=$((boots + 1))
	rm -f "$work/vhost" "$work/vs"
	background vhost "$vhost" --guest-cid 3 --socket "$work/vhost" --uds-path "$work/vs"
	vhost_pid=$!
	wait_for 30 test -S "$work/vhost" || die "vhost-device-vsock does not listen: $(cat "$work/vhost.log")"
	background console qemu-system-x86_64 -accel tcg -cpu max -m 192 -display none -monitor none -serial stdio -no-reboot -nodefaults \
		-object memory-backend-memfd,id=mem,size=192M,share=on -machine q35,memory-backend=mem \
		-chardev "socket,id=c0,path=$work/vhost" -device vhost-user-vsock-pci,chardev=c0 \
		-drive "file=$work/disk,format=raw,if=virtio,readonly=on,cache=none,aio=threads" \
		-nic tap,ifname=tap0,script=no,downscript=no,model=virtio-net-pci,mac=52:54:00:00:05:01 \
		-kernel "$image/kernel" -initrd "$initrd" -append "$(cat "$image/parm")" "${machine[@]}"
	qemu=$!
}
up_or_ended() { console_says VLFD550I || ended "$qemu"; }
# appliance_up: wait until it is up
appliance_up() {
	wait_for 240 up_or_ended
	console_says VLFD550I || die "the appliance does not boot: $(tail -n 20 "$work/console.log")"
}
# appliance_cut: its power goes
appliance_cut() {
	kill -KILL "$qemu" 2>/dev/null
	wait_for 30 ended "$qemu" || die "QEMU does not end"
	kill "$vhost_pid" 2>/dev/null
	wait_for 30 ended "$vhost_pid" || die "vhost-device-vsock does not end"
}

# via_conf [LINE...]: via.conf, with its controller
via_conf() {
	mkdir -p "$work/conf"
	{
		printf '%s\n' "HOST_NAME = appliance" "ADDRESS = 10.0.5.1/24" "ADDRESS = 10.0.5.2/24 52:54:00:00:05:01" "GATEWAY = 10.0.5.254"
		printf '%s\n' "${@:-CONTROLLER = vsock 2}"
	} >"$work/conf/via.conf"
}
# vse_conf N [LINE...]: the file of z/VSE N
vse_conf() {
	local nr=$1
	shift
	{
		printf '%s\n' "IUCV_SRC_APPNAME = VSE$nr" "PEER_IUCV_VMID = VSER0$nr" "PEER_IUCV_APPNAME = TESTV" \
			"VSE_CODEPAGE = EBCDIC-US" "VSE_HOSTID = 10.0.5.$nr" "RESTRICT_TO_HOSTID = yes" "VMID = LINVIA" \
			"IUCV_MSGLIMIT = 1024" "MTU_SIZE = 8192" "MAX_SOCKETS = 1000" "LOG_INFO_MSG = yes" \
			"CONNECTION_LOG = memory" "TRANSPORT = vsock" "PEER_CID = 2" "VSOCK_PORT = 502$nr"
		[ $# = 0 ] || printf '%s\n' "$@"
	} >"$work/conf/lfpd-VSE$nr.conf"
}
write_disk() { "$bin/lfp-via" config "$work/conf" "$work/disk" >"$work/written.log" 2>&1; }

# vse_start N: z/VSE N connects to the appliance
vse_start() {
	local nr=$1
	transport=unix statements "0$nr" UnixStream="$work/vs" UnixPort="502$nr" UnixDial=yes IucvDestAppName="VSE$nr" IucvDestVMId=LINVIA
	# The lfpd may not listen yet.
	wait_for 60 into "$work/start-$nr.log" env LFP_VMID="VSER0$nr" "$bin/ijblfpop" START "$start_file" ||
		die "instance 0$nr does not start: $(cat "$work/start-$nr.log")"
}
on_vse() { # N COMMAND...
	local nr=$1
	shift
	"${empty_net[@]}" "$bin/lfp-run" -i "0$nr" "$@"
}
# serves N: the HTTP server on z/VSE N answers on the network
serves() { [ "$(curl -sS -m 5 "http://10.0.5.$1:8080/who" 2>/dev/null)" = "z/VSE $1" ]; }
# http_server N: starts that server, port 8080
http_server() {
	mkdir -p "$work/www-$1"
	echo "z/VSE $1" >"$work/www-$1/who"
	background "http-$1" "${empty_net[@]}" "$bin/lfp-run" -i "0$1" python3 -m http.server --directory "$work/www-$1" 8080
	servers[$1]=$!
}
declare -A servers=()
# renew_server N: a power cut has reset what listened
renew_server() {
	stop_pid "${servers[$1]}" KILL
	wait_for 120 instance_up "0$1" || die "z/VSE $1 does not come back: $("$bin/ijblfpop" INFO "0$1" 2>&1 | head -n 5)"
	http_server "$1"
	wait_for 60 serves "$1"
}
