// SPDX-License-Identifier: Apache-2.0
// names.go - names and interfaces: the hosts file, and name servers asked over this stack

package main

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
)

// Numbers of Linux's netdb.h.
const (
	aiPassive     = 0x1
	aiCanonname   = 0x2
	aiNumerichost = 0x4
	aiNumericserv = 0x400
	niNumerichost = 0x1
	niNumericserv = 0x2
	niNamereqd    = 0x8
	niDgram       = 0x10

	eaiNoname   = -2
	eaiAgain    = -3
	eaiFail     = -4
	eaiFamily   = -6
	eaiSocktype = -7
	eaiService  = -8

	hostNotFound = 1
	tryAgain     = 2
	noRecovery   = 3

	entriesMost = 64
	dnsPort     = 53
	dnsTime     = 20 * time.Second
	etherType   = 1                         // ARPHRD_ETHER
	upFlags     = 0x1 | 0x2 | 0x40 | 0x1000 // IFF_UP BROADCAST RUNNING MULTICAST
)

type names struct {
	net  *stack.Stack
	conf *config
	next int
	dns  *net.Resolver
}

func newNames(s *stack.Stack, conf *config) *names {
	n := &names{net: s, conf: conf}
	n.dns = &net.Resolver{PreferGo: true, Dial: n.dial}
	return n
}

// dial connects to the configured name servers in turn, whatever resolv.conf says.
func (n *names) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	if len(n.conf.nameservers) == 0 {
		return nil, errors.New("no name server is configured")
	}
	server := tcpip.FullAddress{Addr: n.conf.nameservers[n.next%len(n.conf.nameservers)], Port: dnsPort}
	n.next++
	protocol := ipv4.ProtocolNumber
	if len(server.Addr) == 16 {
		protocol = ipv6.ProtocolNumber
	}
	if network == "tcp" || network == "tcp4" || network == "tcp6" {
		return gonet.DialContextTCP(ctx, n.net, server, protocol)
	}
	return gonet.DialUDP(n.net, nil, &server, protocol)
}

// ask answers a question; those about names in the background.
func (n *names) ask(ses *session, f *frame, r *reader) error {
	code, request := f.code, f.request
	answer := func(body []byte) {
		ses.path.send(makeFrame(code+reply, 0, request, 0, body), false, nil)
	}
	switch code {
	case msgGetaddrinfo:
		q := question{flags: r.u32(), family: r.u16(), kind: r.u16(), protocol: r.u16()}
		q.given, q.node, q.service = r.u8(), r.text(), r.text()
		go func() { answer(n.getaddrinfo(&q)) }()
	case msgGetnameinfo:
		a, flags := r.addr(), r.u32()
		go func() { answer(n.getnameinfo(a, flags)) }()
	case msgGethostbyname:
		family, name := r.u16(), r.text()
		go func() { answer(n.gethostbyname(family, name)) }()
	case msgGethostbyaddr:
		a := r.addr()
		go func() { answer(n.gethostbyaddr(a)) }()
	case msgGethostname:
		answer(appendText(nil, n.conf.hostname))
	case msgGethostid:
		answer([]byte(n.conf.address.addr))
	default:
		answer(n.interfaces())
	}
	return checked(f, r)
}

type question struct {
	flags                  uint32
	family, kind, protocol uint16
	given                  byte
	node, service          string
}

func context20() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), dnsTime)
}

// addresses returns those of a name, IPv4 first, or an EAI_ number.
func (n *names) addresses(name string, family uint16, numeric bool) ([]net.IP, int32) {
	if ip := net.ParseIP(name); ip != nil {
		return filter([]net.IP{ip}, family)
	}
	if numeric {
		return nil, eaiNoname
	}
	ctx, cancel := context20()
	defer cancel()
	found, err := n.dns.LookupIPAddr(ctx, name)
	if err != nil {
		return nil, eaiOf(err)
	}
	var all []net.IP
	for _, a := range found {
		all = append(all, a.IP)
	}
	return filter(all, family)
}

func filter(all []net.IP, family uint16) ([]net.IP, int32) {
	var out []net.IP
	for _, want4 := range []bool{true, false} {
		for _, ip := range all {
			is4 := ip.To4() != nil
			if is4 == want4 && (family == 0 || is4 == (family == familyIPv4)) && len(out) < entriesMost {
				out = append(out, ip)
			}
		}
	}
	if len(out) == 0 {
		return nil, eaiNoname
	}
	return out, 0
}

func eaiOf(err error) int32 {
	var e *net.DNSError
	if errors.As(err, &e) {
		switch {
		case e.IsNotFound:
			return eaiNoname
		case e.IsTimeout, e.IsTemporary:
			return eaiAgain
		}
	}
	return eaiAgain
}

func herrnoOf(eai int32) uint32 {
	switch eai {
	case 0:
		return 0
	case eaiNoname:
		return hostNotFound
	case eaiAgain:
		return tryAgain
	}
	return noRecovery
}

func appendIP(b []byte, ip net.IP, port uint16) []byte {
	if v4 := ip.To4(); v4 != nil {
		return appendAddr(b, familyIPv4, tcpip.FullAddress{Addr: tcpip.Address(v4), Port: port})
	}
	return appendAddr(b, familyIPv6, tcpip.FullAddress{Addr: tcpip.Address(ip.To16()), Port: port})
}

// kinds of sockets that getaddrinfo() tells, with their protocols.
var kinds = []struct {
	kind, protocol uint16
	network        string
}{{kindStream, syscall.IPPROTO_TCP, "tcp"}, {kindDatagram, syscall.IPPROTO_UDP, "udp"}, {kindRaw, 0, ""}}

func (q *question) port(network string) (uint16, bool) {
	if q.given&2 == 0 {
		return 0, true
	}
	if p, err := strconv.ParseUint(q.service, 10, 16); err == nil {
		return uint16(p), true
	}
	if q.flags&aiNumericserv != 0 || network == "" {
		return 0, false
	}
	p, err := net.LookupPort(network, q.service)
	return uint16(p), err == nil
}

func infoAnswer(eai int32, canon string, entries []byte) []byte {
	return append(appendText(be.AppendUint32(nil, uint32(eai)), canon), entries...)
}

func (n *names) getaddrinfo(q *question) []byte {
	if q.given&3 == 0 {
		return infoAnswer(eaiNoname, "", nil)
	}
	if q.family != 0 && q.family != familyIPv4 && q.family != familyIPv6 {
		return infoAnswer(eaiFamily, "", nil)
	}
	ips, eai := q.anywhere(n.conf), int32(0)
	if q.given&1 != 0 {
		ips, eai = n.addresses(q.node, q.family, q.flags&aiNumerichost != 0)
	}
	if eai != 0 {
		return infoAnswer(eai, "", nil)
	}
	entries, matched := []byte(nil), false
	for _, ip := range ips {
		for _, k := range kinds {
			if q.kind != 0 && q.kind != k.kind || q.protocol != 0 && k.protocol != 0 && q.protocol != k.protocol {
				continue
			}
			matched = true
			port, known := q.port(k.network)
			if !known {
				continue
			}
			protocol := k.protocol
			if protocol == 0 {
				protocol = q.protocol
			}
			entries = be.AppendUint16(be.AppendUint16(entries, k.kind), protocol)
			entries = appendIP(entries, ip, port)
		}
	}
	switch {
	case !matched:
		return infoAnswer(eaiSocktype, "", nil)
	case entries == nil:
		return infoAnswer(eaiService, "", nil)
	}
	canon := ""
	if q.flags&aiCanonname != 0 {
		canon = q.node
	}
	return infoAnswer(0, canon, entries)
}

// anywhere: the addresses for no node.
func (q *question) anywhere(conf *config) []net.IP {
	var out []net.IP
	passive := q.flags&aiPassive != 0
	if (q.family == 0 || q.family == familyIPv6) && conf.hasIPv6() {
		out = append(out, map[bool]net.IP{true: net.IPv6zero, false: net.IPv6loopback}[passive])
	}
	if q.family == 0 || q.family == familyIPv4 {
		out = append(out, map[bool]net.IP{true: net.IPv4zero, false: net.IPv4(127, 0, 0, 1)}[passive])
	}
	return out
}

func ipText(a wireAddr) string {
	ip := []byte(a.full.Addr)
	if len(ip) == 0 {
		ip = make([]byte, map[uint16]int{familyIPv4: 4, familyIPv6: 16}[a.family])
	}
	return net.IP(ip).String()
}

func (n *names) getnameinfo(a wireAddr, flags uint32) []byte {
	fail := func(eai int32) []byte {
		return appendText(appendText(be.AppendUint32(nil, uint32(eai)), ""), "")
	}
	if a.family == familyNone {
		return fail(eaiFamily)
	}
	host, service := ipText(a), strconv.Itoa(int(a.full.Port))
	if flags&niNumerichost == 0 {
		ctx, cancel := context20()
		defer cancel()
		found, err := n.dns.LookupAddr(ctx, host)
		if err == nil && len(found) > 0 {
			host = trimDot(found[0])
		} else if flags&niNamereqd != 0 {
			return fail(eaiNoname)
		}
	}
	_ = niNumericserv // services are told by their numbers
	return appendText(appendText(be.AppendUint32(nil, 0), host), service)
}

func trimDot(name string) string {
	if len(name) > 1 && name[len(name)-1] == '.' {
		return name[:len(name)-1]
	}
	return name
}

func hostAnswer(herrno uint32, name string, ips []net.IP) []byte {
	b := append(be.AppendUint32(nil, herrno), 0)
	b = appendText(b, name)
	for _, ip := range ips {
		b = appendIP(b, ip, 0)
	}
	return b
}

func (n *names) gethostbyname(family uint16, name string) []byte {
	ips, eai := n.addresses(name, family, false)
	if eai != 0 {
		return hostAnswer(herrnoOf(eai), "", nil)
	}
	return hostAnswer(0, name, ips)
}

func (n *names) gethostbyaddr(a wireAddr) []byte {
	ctx, cancel := context20()
	defer cancel()
	text := ipText(a)
	found, err := n.dns.LookupAddr(ctx, text)
	if err != nil || len(found) == 0 {
		eai := int32(eaiNoname)
		if err != nil {
			eai = eaiOf(err)
		}
		return hostAnswer(herrnoOf(eai), "", nil)
	}
	return hostAnswer(0, trimDot(found[0]), []net.IP{net.ParseIP(text)})
}

// interfaces tells the device and its addresses.
func (n *names) interfaces() []byte {
	mac := string(hardwareAddress(n.conf))
	b := be.AppendUint16(nil, 1)
	b = be.AppendUint32(b, uint32(deviceNIC))
	b = be.AppendUint32(b, upFlags)
	b = be.AppendUint32(b, n.conf.mtu)
	b = be.AppendUint16(b, etherType)
	b = appendText(appendText(b, mac), n.conf.device)
	for _, p := range []prefixed{n.conf.address, n.conf.address6} {
		if p.addr == "" {
			continue
		}
		b = append(be.AppendUint32(b, uint32(deviceNIC)), byte(p.bits))
		if len(p.addr) == 4 {
			s := subnet(p)
			b = appendAddr(b, familyIPv4, tcpip.FullAddress{Addr: p.addr})
			b = appendAddr(b, familyIPv4, tcpip.FullAddress{Addr: s.Broadcast()})
		} else {
			b = appendAddr(b, familyIPv6, tcpip.FullAddress{Addr: p.addr})
			b = append(b, make([]byte, 28)...)
		}
	}
	return b
}
