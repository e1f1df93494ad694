# SPDX-License-Identifier: Apache-2.0
# A network namespace whose only way out is zdev ipsec: for an LFP instance whose traffic leaves encrypted
#
#   sh tunnel.sh [OPTION...]
#
# makes two network namespaces, vse-near and vse-far, with a cable between them and a zdev ipsec in each. The keys are new at each
# start. zdev ipsec of vse-near gets the options (--ziips=1 --tcpip=PROFILE) and the commands of standard input; STOP or a signal
# ends it, and the namespaces are gone then. With "HOST_NETNS = vse-near" in its configuration, lfpd runs in vse-near:
#
#   * programs on LFP have the address 10.9.0.1, and reach 10.9.0.2 in vse-far;
#   * whatever else they send is dropped by the rules: only packets of zdev ipsec take the cable.
#
# On two machines, each of them has one of these namespaces, and the cable is a link between them. ZDEV: the program to run.
set -eu
umask 077
zdev=${ZDEV:-zdev}
mark=90
dir=$(mktemp -d)
far_pid='' near_pid=''

finish() {
	trap - EXIT
	for pid in $near_pid $far_pid; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || :; done
	for ns in vse-near vse-far; do ip netns del $ns 2>/dev/null || :; done
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

key() { od -An -v -N 20 -t x1 /dev/urandom | tr -d ' \n'; } # 16 bytes, and 4 of the salt
near_key=$(key)
far_key=$(key)

# rules NAME SELF PEER SPI-IN KEY-IN SPI-OUT KEY-OUT: the rules of one side
rules() {
	cat >"$dir/$1" <<-END
		IpFilterRule everything
		{
		  IpSourceAddr 10.9.0.$2
		  IpDestAddr 10.9.0.$3
		  IpGenericFilterAction
		  {
		    IpFilterAction IpSec
		  }
		  IpManVpnActionRef tunnel
		}
		IpManVpnAction tunnel
		{
		  LocalSecurityEndpointAddr 10.9.1.$2
		  RemoteSecurityEndpointAddr 10.9.1.$3
		  HowToEncap Tunnel
		  HowToEncrypt AES_GCM_16 KeyLength 128
		  HowToAuth ESP NULL
		  EncryptInboundSa $4 0x$5
		  EncryptOutboundSa $6 0x$7
		}
	END
}
rules near 1 2 1001 "$far_key" 1002 "$near_key"
rules far 2 1 1002 "$near_key" 1001 "$far_key"

for ns in vse-near vse-far; do
	ip netns add $ns
	ip -n $ns link set lo up
done
ip -n vse-near link add cable type veth peer name cable netns vse-far

# side NAMESPACE SELF: addresses. Only marked packets, those of zdev ipsec, look at the table with the cable.
side() {
	ip -n "$1" addr add "10.9.1.$2/24" dev cable
	ip netns exec "$1" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/cable/disable_ipv6'
	ip -n "$1" link set cable up
	ip -n "$1" rule add pref 100 not fwmark $mark lookup 100
	ip -n "$1" rule add pref 101 not fwmark $mark unreachable
}
side vse-near 1
side vse-far 2

# route NAMESPACE SELF PID: waits for the interface of zdev ipsec, and makes it the way out
route() {
	until ip -n "$1" link show zipsec0 up 2>/dev/null | grep -q zipsec0; do
		kill -0 "$3" # or zdev has said why it ended
		sleep 0.05
	done
	ip -n "$1" addr add "10.9.0.$2/32" dev zipsec0
	ip -n "$1" route add default dev zipsec0 src "10.9.0.$2" table 100
}
exec 3<&0 # a process in the background gets another standard input
ip netns exec vse-far "$zdev" ipsec --mark=$mark "$dir/far" </dev/null 3<&- &
far_pid=$!
ip netns exec vse-near "$zdev" ipsec --mark=$mark "$@" "$dir/near" <&3 3<&- &
near_pid=$!
route vse-far 2 $far_pid
route vse-near 1 $near_pid
echo "The tunnel is up: HOST_NETNS = vse-near reaches 10.9.0.2 in vse-far."
wait $near_pid
