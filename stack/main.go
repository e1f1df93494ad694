// SPDX-License-Identifier: Apache-2.0
// main.go - lfp-stack: a TCP/IP stack of its own for one LFP instance: gVisor's netstack over a tap device

/*
lfp-stack -n CONFIGURATION           check the configuration
lfp-stack CONFIGURATION SOCKET PID   serve the LFP instance that process PID starts

lfp-run(1) starts it. It makes SOCKET (SOCK_SEQPACKET, docs/protocol.md), says READY=1 to $NOTIFY_SOCKET, takes one
connection, of a child of process PID, and ends with it.
*/
package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/fdbased"
	"gvisor.dev/gvisor/pkg/tcpip/link/loopback"
	"gvisor.dev/gvisor/pkg/tcpip/link/tun"
	"gvisor.dev/gvisor/pkg/tcpip/network/arp"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/icmp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
)

const (
	deviceNIC   = tcpip.NICID(1)
	loopbackNIC = tcpip.NICID(2)
	bufferMost  = 4 << 20
	bufferUsual = 256 << 10
	busyTime    = 5 * time.Second // the stack of an earlier step may still send what it has
	busyStep    = 20 * time.Millisecond
)

func die(text string) {
	fmt.Fprintln(os.Stderr, text)
	os.Exit(1)
}

func loopbackOf(family uint16) tcpip.Address {
	if family == familyIPv6 {
		return header.IPv6Loopback
	}
	return tcpip.Address("\x7f\x00\x00\x01")
}

func openDevice(name string) int {
	for end := time.Now().Add(busyTime); ; time.Sleep(busyStep) {
		fd, err := tun.OpenTAP(name)
		if err == nil {
			return fd
		}
		switch {
		case err == syscall.EBUSY && time.Now().Before(end):
		case err == syscall.EBUSY:
			die(fmt.Sprintf("Another process uses the tap device %s.", name))
		case err == syscall.EPERM:
			die(fmt.Sprintf("The tap device %s is not there, or not this user's: ip tuntap add %s mode tap user NAME makes it.", name, name))
		default:
			die(fmt.Sprintf("Cannot open the tap device %s: %v.", name, err))
		}
	}
}

// mustSet is for settings of constants.
func mustSet(what string, err tcpip.Error) {
	if err != nil {
		die(fmt.Sprintf("The stack refuses %s: %v.", what, err))
	}
}

func tune(s *stack.Stack) {
	sack, moderate := tcpip.TCPSACKEnabled(true), tcpip.TCPModerateReceiveBufferOption(true)
	cubic := tcpip.CongestionControlOption("cubic")
	out := tcpip.TCPSendBufferSizeRangeOption{Min: 4096, Default: bufferUsual, Max: bufferMost}
	in := tcpip.TCPReceiveBufferSizeRangeOption{Min: 4096, Default: bufferUsual, Max: bufferMost}
	mustSet("SACK", s.SetTransportProtocolOption(tcp.ProtocolNumber, &sack))
	mustSet("cubic", s.SetTransportProtocolOption(tcp.ProtocolNumber, &cubic))
	mustSet("the receive buffer", s.SetTransportProtocolOption(tcp.ProtocolNumber, &moderate))
	mustSet("the send buffer", s.SetTransportProtocolOption(tcp.ProtocolNumber, &out))
	mustSet("the receive buffer", s.SetTransportProtocolOption(tcp.ProtocolNumber, &in))
}

func addAddress(s *stack.Stack, nic tcpip.NICID, p prefixed) {
	protocol := ipv4.ProtocolNumber
	if len(p.addr) == 16 {
		protocol = ipv6.ProtocolNumber
	}
	err := s.AddProtocolAddress(nic, tcpip.ProtocolAddress{Protocol: protocol,
		AddressWithPrefix: tcpip.AddressWithPrefix{Address: p.addr, PrefixLen: p.bits}}, stack.AddressProperties{})
	mustSet("the address", err)
}

func subnet(p prefixed) tcpip.Subnet {
	return tcpip.AddressWithPrefix{Address: p.addr, PrefixLen: p.bits}.Subnet()
}

func routes(c *config) []tcpip.Route {
	table := []tcpip.Route{{Destination: subnet(prefixed{loopbackOf(familyIPv4), 8}), NIC: loopbackNIC},
		{Destination: subnet(c.address), NIC: deviceNIC}}
	if c.gateway != "" {
		table = append(table, tcpip.Route{Destination: header.IPv4EmptySubnet, Gateway: c.gateway, NIC: deviceNIC})
	}
	if !c.hasIPv6() {
		return table
	}
	table = append(table, tcpip.Route{Destination: subnet(prefixed{header.IPv6Loopback, 128}), NIC: loopbackNIC},
		tcpip.Route{Destination: subnet(c.address6), NIC: deviceNIC})
	if c.gateway6 != "" {
		table = append(table, tcpip.Route{Destination: header.IPv6EmptySubnet, Gateway: c.gateway6, NIC: deviceNIC})
	}
	return table
}

// hardwareAddress is a local one that follows from the address.
func hardwareAddress(c *config) tcpip.LinkAddress {
	return tcpip.LinkAddress("\x02\x4c") + tcpip.LinkAddress(c.address.addr)
}

func makeStack(c *config) *stack.Stack {
	link, err := fdbased.New(&fdbased.Options{FDs: []int{openDevice(c.device)}, MTU: c.mtu, EthernetHeader: true,
		Address: hardwareAddress(c)})
	if err != nil {
		die(fmt.Sprintf("Cannot use the tap device %s: %v.", c.device, err))
	}
	s := stack.New(stack.Options{
		NetworkProtocols: []stack.NetworkProtocolFactory{ipv4.NewProtocol, ipv6.NewProtocol, arp.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol,
			icmp.NewProtocol4, icmp.NewProtocol6},
		HandleLocal: true,
	})
	tune(s)
	mustSet("the device", s.CreateNICWithOptions(deviceNIC, link, stack.NICOptions{Name: c.device}))
	mustSet("the loopback", s.CreateNICWithOptions(loopbackNIC, loopback.New(), stack.NICOptions{Name: "lo"}))
	addAddress(s, deviceNIC, c.address)
	addAddress(s, loopbackNIC, prefixed{loopbackOf(familyIPv4), 8})
	if c.hasIPv6() {
		addAddress(s, deviceNIC, c.address6)
		addAddress(s, loopbackNIC, prefixed{header.IPv6Loopback, 128})
	}
	s.SetRouteTable(routes(c))
	return s
}

// isChild: is the process at the other end a child of this one?
func isChild(fd, parent int) bool {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cred.Pid))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return len(fields) > 1 && fields[1] == strconv.Itoa(parent)
}

func listen(name string) int {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: name})
	}
	if err == nil {
		err = syscall.Listen(fd, 1)
	}
	if err != nil {
		die(fmt.Sprintf("Cannot listen on %s: %v.", name, err))
	}
	return fd
}

// acceptChild returns the connection of the instance; nobody else's.
func acceptChild(listener, parent int, name string) int {
	for {
		fd, _, err := syscall.Accept4(listener, syscall.SOCK_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			die(fmt.Sprintf("Cannot accept on %s: %v.", name, err))
		}
		if isChild(fd, parent) {
			_ = syscall.Close(listener)
			_ = os.Remove(name)
			return fd
		}
		_ = syscall.Close(fd)
	}
}

// ready tells lfp-run that the device and the socket are there, as daemons tell systemd.
func ready() {
	conn, err := net.Dial("unixgram", os.Getenv("NOTIFY_SOCKET"))
	if err == nil {
		_, err = conn.Write([]byte("READY=1"))
		_ = conn.Close()
	}
	if err != nil {
		die(fmt.Sprintf("Cannot report READY=1 to lfp-run: %v.", err))
	}
}

func main() {
	args := os.Args[1:]
	check := len(args) == 2 && args[0] == "-n"
	if check {
		args = args[1:]
	} else if len(args) != 3 {
		die("usage: lfp-stack [-n] CONFIGURATION [SOCKET PID]")
	}
	file, err := os.Open(args[0])
	if err != nil {
		die(fmt.Sprintf("Cannot read the stack's configuration: %v.", err))
	}
	conf, err := readConfig(file, args[0])
	if err != nil {
		die(fmt.Sprintf("%v.", err))
	}
	if check {
		return
	}
	parent, err := strconv.Atoi(args[2])
	if err != nil {
		die("The last operand is the id of a process.")
	}
	s := makeStack(conf)
	listener := listen(args[1])
	ready()
	ses := &session{path: newPath(acceptChild(listener, parent, args[1])), net: s, conf: conf, socks: map[uint64]*sock{}}
	ses.names = newNames(s, conf)
	if err := ses.run(); err != nil {
		die(fmt.Sprintf("The path has ended: %v.", err))
	}
}
