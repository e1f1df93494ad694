// SPDX-License-Identifier: Apache-2.0
// main.go - lfp-bench's client on a TCP/IP stack in its own process: gVisor's netstack over a tap device

/*
netstack TAP MTU LOCAL PEER PORT WORK BYTES MS TOTAL

TAP is a device that is there and up, with PEER as the host's address on it; LOCAL is the address of the stack.
WORK is send, recv, rr or conn, as in lfp-bench/order.h, whose server is at the other end and whose line of JSON is
printed. TOTAL is how many bytes a stream has, 0 if it goes by time.

The stack is set up for speed as far as a tap device lets it: send and receive buffers up to 4 MiB, SACK, cubic,
segments cut only at the device (gVisor's own segmentation), checksums of what comes in not looked at. Those of what
goes out are computed, as there is no other way to hand a frame to a tap device without a header of its own.
*/
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"sort"
	"strconv"
	"syscall"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/fdbased"
	"gvisor.dev/gvisor/pkg/tcpip/link/tun"
	"gvisor.dev/gvisor/pkg/tcpip/network/arp"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

const (
	bufferMost = 4 << 20
	bytesMost  = 1 << 20 // lfp-bench/order.h: SIZE_MAX_BYTES
	last       = 1       // lfp-bench/order.h: LAST
)

var works = map[string]uint32{"send": 0, "recv": 1, "rr": 2, "conn": 3}

type result struct {
	Work    string  `json:"work"`
	Size    uint32  `json:"size"`
	Seconds float64 `json:"seconds"`
	Ops     uint64  `json:"ops"`
	Bytes   uint64  `json:"bytes"`
	CPU     float64 `json:"cpu"`
	P50     int64   `json:"p50"`
	P99     int64   `json:"p99"`
	CC      string  `json:"cc"`
	Start   float64 `json:"start"`
}

func die(what string, err interface{}) {
	fmt.Fprintf(os.Stderr, "netstack: %s: %v\n", what, err)
	os.Exit(1)
}

func check(what string, err tcpip.Error) {
	if err != nil {
		die(what, err)
	}
}

func number(text string, most uint64) uint64 {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 || n > most {
		die(text, fmt.Sprintf("no number from 1 to %d", most))
	}
	return n
}

func address(text string) tcpip.Address {
	ip := net.ParseIP(text).To4()
	if ip == nil {
		die(text, "no IPv4 address")
	}
	return tcpip.Address(ip)
}

func makeStack(tap string, mtu uint32, local tcpip.Address) *stack.Stack {
	fd, err := tun.OpenTAP(tap)
	if err != nil {
		die(tap, err)
	}
	link, err := fdbased.New(&fdbased.Options{
		FDs: []int{fd}, MTU: mtu, EthernetHeader: true, Address: tcpip.LinkAddress("\x02lfp\x00\x01"),
		GSOMaxSize: 65536, GvisorGSOEnabled: true, RXChecksumOffload: true,
	})
	if err != nil {
		die("device", err)
	}
	s := stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol, arp.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol},
	})
	sack, cc := tcpip.TCPSACKEnabled(true), tcpip.CongestionControlOption("cubic")
	check("SACK", s.SetTransportProtocolOption(tcp.ProtocolNumber, &sack))
	check("cubic", s.SetTransportProtocolOption(tcp.ProtocolNumber, &cc))
	moderate := tcpip.TCPModerateReceiveBufferOption(true)
	check("receive buffer", s.SetTransportProtocolOption(tcp.ProtocolNumber, &moderate))
	out := tcpip.TCPSendBufferSizeRangeOption{Min: 4096, Default: 1 << 20, Max: bufferMost}
	check("send buffer", s.SetTransportProtocolOption(tcp.ProtocolNumber, &out))
	in := tcpip.TCPReceiveBufferSizeRangeOption{Min: 4096, Default: 1 << 20, Max: bufferMost}
	check("receive buffer", s.SetTransportProtocolOption(tcp.ProtocolNumber, &in))
	check("interface", s.CreateNIC(1, link))
	check("address", s.AddProtocolAddress(1, tcpip.ProtocolAddress{
		Protocol:          ipv4.ProtocolNumber,
		AddressWithPrefix: tcpip.AddressWithPrefix{Address: local, PrefixLen: 24},
	}, stack.AddressProperties{}))
	s.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: 1}})
	return s
}

type client struct {
	stack *stack.Stack
	peer  tcpip.FullAddress
	order [24]byte
	buf   []byte
	ns    time.Duration
	total uint64
	times []int64
	res   result
}

func (c *client) connect() *gonet.TCPConn {
	conn, err := gonet.DialTCP(c.stack, c.peer, ipv4.ProtocolNumber)
	if err != nil {
		die("connect", err)
	}
	return conn
}

func (c *client) send(conn io.Writer, data []byte) {
	if _, err := conn.Write(data); err != nil {
		die("send", err)
	}
}

func (c *client) receive(conn io.Reader, data []byte) {
	if _, err := io.ReadFull(conn, data); err != nil {
		die("receive", err)
	}
}

func (c *client) stream() {
	conn := c.connect()
	c.send(conn, c.order[:])
	if c.res.Work == "send" {
		for end := time.Now().Add(c.ns); c.buf[0] != last; {
			if c.total == 0 && !time.Now().Before(end) || c.total > 0 && c.res.Bytes+uint64(len(c.buf)) >= c.total {
				c.buf[0] = last
			}
			c.send(conn, c.buf)
			c.res.Bytes += uint64(len(c.buf))
		}
		c.receive(conn, c.buf[:1])
	} else {
		for {
			n, err := conn.Read(c.buf)
			c.res.Bytes += uint64(n)
			if err == io.EOF {
				break
			}
			if err != nil {
				die("receive", err)
			}
		}
	}
	c.res.Ops = c.res.Bytes / uint64(len(c.buf))
	conn.Close()
}

func (c *client) roundTrips() {
	conn := c.connect()
	c.send(conn, c.order[:])
	now := time.Now()
	for end := now.Add(c.ns); now.Before(end); {
		before := now
		c.send(conn, c.buf)
		c.receive(conn, c.buf)
		now = time.Now()
		c.times = append(c.times, int64(now.Sub(before)))
		c.res.Ops++
	}
	c.res.Bytes = c.res.Ops * uint64(len(c.buf))
	conn.Close()
}

func (c *client) connections() {
	first := append(append([]byte{}, c.order[:]...), 1)
	now := time.Now()
	for end := now.Add(c.ns); now.Before(end); {
		before := now
		conn := c.connect()
		c.send(conn, first)
		c.receive(conn, c.buf[:1])
		conn.Close()
		now = time.Now()
		c.times = append(c.times, int64(now.Sub(before)))
		c.res.Ops++
	}
	c.res.Bytes = c.res.Ops
}

func cpu() float64 {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		die("getrusage", err)
	}
	return float64(ru.Utime.Nano()+ru.Stime.Nano()) / 1e9
}

// As CLOCK_MONOTONIC tells it to the other programs: of programs that run at once the starts are compared.
func monotonic() float64 {
	data, err := os.ReadFile("/proc/uptime")
	var seconds float64
	if err != nil {
		die("/proc/uptime", err)
	}
	fmt.Fscan(bytes.NewReader(data), &seconds)
	return seconds
}

func main() {
	if len(os.Args) != 10 {
		fmt.Fprintln(os.Stderr, "usage: netstack TAP MTU LOCAL PEER PORT send|recv|rr|conn BYTES MS TOTAL")
		os.Exit(64)
	}
	tap, local, peer, work := os.Args[1], address(os.Args[3]), address(os.Args[4]), os.Args[6]
	code, known := works[work]
	if !known {
		die(work, "no such work")
	}
	size := uint32(number(os.Args[7], bytesMost))
	if work == "conn" {
		size = 1
	}
	c := &client{
		stack: makeStack(tap, uint32(number(os.Args[2], 65535)), local),
		peer:  tcpip.FullAddress{NIC: 1, Addr: peer, Port: uint16(number(os.Args[5], 65535))},
		buf:   make([]byte, size),
		ns:    time.Duration(number(os.Args[8], 600000)) * time.Millisecond,
		res:   result{Work: work, Size: size, CC: "cubic"},
	}
	if os.Args[9] != "0" {
		c.total = number(os.Args[9], 1<<32-1)
	}
	binary.LittleEndian.PutUint32(c.order[0:], code)
	binary.LittleEndian.PutUint32(c.order[4:], size)
	binary.LittleEndian.PutUint64(c.order[8:], uint64(c.ns))
	binary.LittleEndian.PutUint64(c.order[16:], c.total)
	time.AfterFunc(time.Minute, func() { die(work, "not done after a minute") })
	// The device's first packet asks for the peer's address; that is no part of the work.
	warm := c.connect()
	warm.Close()
	c.res.Start = monotonic()
	start, used := time.Now(), cpu()
	switch work {
	case "send", "recv":
		c.stream()
	case "rr":
		c.roundTrips()
	default:
		c.connections()
	}
	c.res.Seconds, c.res.CPU = time.Since(start).Seconds(), cpu()-used
	if len(c.times) > 0 {
		sort.Slice(c.times, func(i, j int) bool { return c.times[i] < c.times[j] })
		c.res.P50, c.res.P99 = c.times[len(c.times)/2], c.times[len(c.times)-1-len(c.times)/100]
	}
	if err := json.NewEncoder(os.Stdout).Encode(&c.res); err != nil {
		die("standard output", err)
	}
}
