#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HOST_NETNS and HOST_INTERFACE: instances with the same ports in two namespaces, and on two interfaces
# Time limit: 200 s
[ "$(id -u)" = 0 ] || { echo "skipped: not root, who alone may enter a network namespace"; exit 77; }
if [ -z "${LFP_TEST_MOUNT:-}" ]; then
	unshare --mount --propagation private true || { echo "skipped: no mount namespace"; exit 77; }
	export LFP_TEST_MOUNT=1
	exec unshare --mount --propagation private -- "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"
needs python3 ip

tied=("$(python3 -c 'import sys; print(sys.executable)')" "$here/tied.py")
mkdir -p /run/netns && mount -t tmpfs none /run/netns || skip "no directory for network namespaces"
for ns in blue red; do
	ip netns add $ns && ip -n $ns link set lo up || skip "no network namespace"
done
# link NAME NAMESPACE NAME NUMBER: a cable with 10.NUMBER.0.1 and 10.NUMBER.0.2 at its ends; the first is in $near
near=
link() {
	ip ${near:+-n "$near"} link add "$1" type veth peer name "$3" netns "$2" &&
		ip ${near:+-n "$near"} addr add "10.$4.0.1/24" dev "$1" && ip ${near:+-n "$near"} link set "$1" up &&
		ip -n "$2" addr add "10.$4.0.2/24" dev "$3" && ip -n "$2" link set "$3" up
}
near=blue link eth0 red eth0 1 || skip "no veth"
link wa blue wb 2 && link xa red xb 3 || die "no more cables"

on() { # NN COMMAND...
	local nn=$1
	shift
	"${empty_net[@]}" "$bin/lfp-run" ${LFP_MODE:+"--mode=$LFP_MODE"} -i "$nn" timeout 60 "$@" 2>&1
}
up() { # NAME NN KEY=VALUE...
	local name=$1 nn=$2
	shift 2
	lfpd_conf "$name" ${by_local:+LOCAL_INSTANCE=$nn} PEER_IUCV_APPNAME= "$@"
	statements "$nn" IucvSrcAppName="TEST$nn" IucvDestAppName="$name"
	lfpd_start "$name"
	[ -n "$by_local" ] || instance_start "$nn"
	wait_for 60 instance_up "$nn" || die "instance $nn is not up"
	declare -g "lfpd_$nn=$lfpd"
}
by_local=''
[ "$transport" != local ] || by_local=1
serve() { background "server-$1" on "$1" "${tied[@]}" serve "$2" "$3"; }
listens_in() { ip netns exec "$1" grep -q "$(printf ':%04X [0-9A-F]*:0000 0A ' "$2")" /proc/net/tcp; }
of_status() { awk -v key="$2:" '$1 == key { $1 = ""; print substr($0, 2) }' "/proc/$1/status"; }
netns_of() { stat -Lc %i "/proc/$1/ns/net"; }
logged() { grep -Eq -- "$2" "$work/lfpd-$1.log"; }
refused() { # NAME EXIT TEXT KEY=VALUE...: lfpd does not start
	local name=$1 want=$2 text=$3
	shift 3
	lfpd_conf "$name" TRANSPORT=unix LOCAL_INSTANCE= "$@"
	timeout 60 "$daemons/lfpd" -d -f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-$name.conf" >"$work/out" 2>&1
	check_eq "$?" "$want" "not started: $text"
	grep -Fq -- "$text" "$work/out" || fail "the reason: $(cat "$work/out")"
	rm "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-$name.conf"
}

refused BAD1 69 "HOST_NETNS = green: there is no such network namespace." HOST_NETNS=green
refused BAD1 69 "HOST_NETNS = $here/tied.py: it is not a network namespace." "HOST_NETNS=$here/tied.py"
refused BAD1 78 "must be a name below /run/netns or an absolute path" HOST_NETNS=../blue
refused BAD1 69 "HOST_INTERFACE = eth7: there is no such interface." HOST_INTERFACE=eth7
refused BAD1 69 "HOST_INTERFACE = wa: there is no such interface." HOST_INTERFACE=wa HOST_NETNS=blue
refused BAD1 78 "cannot reach loopback addresses" HOST_INTERFACE=wa ALLOW_LOOPBACK=yes

up LINR02 01 HOST_NETNS=blue
up LINR03 02 "HOST_NETNS=/run/netns/red"
check_eq "$(netns_of "$lfpd_01") $(netns_of "$lfpd_02")" \
	"$(stat -Lc %i /run/netns/blue) $(stat -Lc %i /run/netns/red)" "each lfpd is in its namespace"
serve 01 7000 blue
serve 02 7000 red
wait_for 60 listens_in blue 7000 && wait_for 60 listens_in red 7000 || die "no servers"
check_eq "$(on 01 "${tied[@]}" ask 10.1.0.2 7000) $(on 02 "${tied[@]}" ask 10.1.0.1 7000)" "red blue" \
	"both listen on one port, and reach each other over the namespaces' cable"
check_eq "$(on 01 "${tied[@]}" ask 127.0.0.1 7000)" "blue" "the loopback is the namespace's"
check "the host itself has no such port" test "$(listens 7000; echo $?)" = 1
check_eq "$(on 01 "${tied[@]}" names) $(on 02 "${tied[@]}" names)" "eth0 lo wb eth0 lo xb" "programs see its interfaces"
check_eq "$(status LINR02 'Host network namespace') $(status LINR03 HOST_NETNS)" "blue (in use) /run/netns/red" "the status says so"
"$bin/lfpd-ctl" check LINR02 >"$work/out" 2>&1
check "so does check" grep -Eq '^ok +host netns +the network namespace HOST_NETNS = blue exists' "$work/out"

if [ -z "$by_local" ]; then
	before=$(netns_of "$lfpd_01")
	check_exit 0 "a restart in place" into "$work/out" "$bin/lfpd-ctl" restart LINR02
	check_eq "$(netns_of "$lfpd_01")" "$before" "stays in the namespace"
	wait_for 60 instance_up 01
	check_eq "$(on 02 "${tied[@]}" ask 10.1.0.1 7000)" blue "with its listener"
fi
lfpd_conf LINR02 ${by_local:+LOCAL_INSTANCE=01} PEER_IUCV_APPNAME= HOST_NETNS=red
check_exit 0 "another namespace by reload" into "$work/out" "$bin/lfpd-ctl" reload LINR02
check "needs a new start" grep -q "VLFD844W LINR02 keeps its values of HOST_NETNS" "$work/out"
kill -USR2 "$lfpd_01"
check "which is none in place" wait_for 30 logged LINR02 "VLFD$([ -n "$by_local" ] && echo 028W || echo '040W .*HOST_NETNS')"
ip netns del blue
check_eq "$(status LINR02 'Host network namespace')" "blue (deleted)" "a deleted namespace lives on with its lfpd"
check_eq "$(on 02 "${tied[@]}" ask 10.1.0.1 7000)" blue "and serves"
for nn in 01 02; do lfpd=lfpd_$nn; "$bin/ijblfpop" TERM $nn >/dev/null 2>&1; stop_pid "${!lfpd}"; done

# Two interfaces of one host, and an lfpd without rights
user=daemon
ip netns add blue2 && ip link del wa
link wa blue2 wb 2 || die "no second cable"
up LINR04 03 HOST_INTERFACE=wa USER=$user PEER_USER="$([ -n "$by_local" ] && id -u $user || echo 0)"
up LINR05 04 HOST_INTERFACE=xa
check_eq "$(of_status "$lfpd_03" CapPrm)" 0000000000000400 "no more capabilities than otherwise"
serve 03 7100 wa
serve 04 7100 xa
both() { [ "$(grep -c ':1BBC 00000000:0000 0A' /proc/net/tcp)" = 2 ]; }
wait_for 60 both || die "no servers: $(cat "$work"/server-0[34].log)"
check_eq "$(ip netns exec blue2 "${tied[@]}" ask 10.2.0.1 7100) $(ip netns exec red "${tied[@]}" ask 10.3.0.1 7100)" \
	"wa xa" "both listen on one port of the wildcard address, each on its interface"
check_eq "$("${tied[@]}" ask 127.0.0.1 7100)" ECONNREFUSED "and not on the loopback"
check_eq "$(on 03 "${tied[@]}" names) $(on 04 "${tied[@]}" names)" "wa xa" "programs see their interface alone"
other=$(cat /sys/class/net/xa/ifindex 2>/dev/null || ip -o link show xa | cut -d : -f 1)
check_eq "$(on 03 "${tied[@]}" hold "$other")" "wa EPERM EPERM EINVAL ENODEV works" "a program cannot leave it"
check_eq "$(on 03 "${tied[@]}" bound 7200 10.2.0.2)" wa "not by dissolving a connection of UDP either"
check_eq "$(ip -o maddr show dev wa | grep -c 239.1.1.1)" 0 "its groups end with it"
check_eq "$(status LINR04 'Host interface') $(status LINR04 HOST_INTERFACE)" "wa (up) wa" "the status says so"
"$bin/lfpd-ctl" check LINR04 >"$work/out" 2>&1
check "so does check" grep -Eq '^ok +host interface +the interface HOST_INTERFACE = wa is up' "$work/out"

lfpd_conf LINR05 ${by_local:+LOCAL_INSTANCE=04} PEER_IUCV_APPNAME= HOST_INTERFACE=eth7
check_exit 6 "reload: no such interface" into "$work/out" "$bin/lfpd-ctl" reload LINR05
check "reports it" grep -q "HOST_INTERFACE = eth7: there is no such interface" "$work/out"
lfpd_conf LINR05 ${by_local:+LOCAL_INSTANCE=04} PEER_IUCV_APPNAME= HOST_INTERFACE=wa
check_exit 0 "reload: another interface" into "$work/out" "$bin/lfpd-ctl" reload LINR05
check_eq "$(on 04 "${tied[@]}" names) $(ip netns exec red "${tied[@]}" ask 10.3.0.1 7100)" "wa xa" \
	"new sockets have it, older ones theirs"

coproc again { on 03 "${tied[@]}" again; }
pids+=("$again_PID")
line() { echo >&"${again[1]}" && read -r -t 60 -u "${again[0]}" REPLY && echo "$REPLY"; }
check_eq "$(line)" works "a socket"
ip link del wa
check_eq "$(line)" ENETDOWN "none without the interface"
check "which the log says" logged LINR04 "VLFD163W .*HOST_INTERFACE = wa: there is no such interface"
check_eq "$(status LINR04 'Host interface')" "wa (missing)" "and the status"
link wa blue2 wb 2 || die "no third cable"
check_eq "$(line)" works "a socket when it is back"
finish
