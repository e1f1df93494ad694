// SPDX-License-Identifier: Apache-2.0
// packet_test.go - packets that are wrong end the path, and no bytes from outside end the process

package main

import (
	"math/rand"
	"syscall"
	"testing"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
)

func makePair(t *testing.T) (*path, int) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := newPath(fds[0])
	p.limit = 4
	t.Cleanup(func() { _ = syscall.Close(fds[0]); _ = syscall.Close(fds[1]) })
	return p, fds[1]
}

func packetOf(sequence, taken uint32, flags byte, frames ...[]byte) []byte {
	b := make([]byte, packetHead)
	be.PutUint16(b, magic)
	b[2], b[3] = 1, flags
	for _, f := range frames {
		b = append(b, f...)
	}
	be.PutUint32(b[4:], uint32(len(b)))
	be.PutUint32(b[8:], sequence)
	be.PutUint32(b[12:], taken)
	return b
}

func TestWrongPackets(t *testing.T) {
	data := makeFrame(msgData, 0, 0, 1, make([]byte, 9))
	good := packetOf(1, 0, 1, data)
	p, _ := makePair(t)
	if frames, over, err := p.take(good); err != nil || over || len(frames) != 1 || frames[0].code != msgData {
		t.Fatal(frames, over, err)
	}
	long := append([]byte(nil), data...)
	be.PutUint32(long, 1000)
	for name, packet := range map[string][]byte{
		"sequence":       packetOf(2, 0, 0),
		"acknowledgment": packetOf(1, 1, 0),
		"flags":          packetOf(1, 0, 2),
		"no flag":        packetOf(1, 0, 0, data),
		"cut frame":      packetOf(1, 0, 1, data[:10]),
		"long frame":     packetOf(1, 0, 1, long),
		"length":         append(packetOf(1, 0, 0), 0),
	} {
		p, _ = makePair(t)
		if _, over, err := p.take(packet); err == nil || !over {
			t.Errorf("%s: it is taken", name)
		}
	}
}

// The peer acknowledges nothing: the fifth packet with data waits until it does.
func TestMessageLimit(t *testing.T) {
	p, _ := makePair(t)
	for i := 0; i < 4; i++ {
		p.send(makeFrame(msgData, 0, 0, 1, make([]byte, 9)), true, nil)
	}
	sent := make(chan bool)
	go func() { sent <- p.send(makeFrame(msgData, 0, 0, 1, make([]byte, 9)), true, nil) }()
	if !p.send(makeFrame(msgWindow, 0, 0, 1, make([]byte, 8)), false, nil) {
		t.Error("a frame without data has waited")
	}
	select {
	case <-sent:
		t.Fatal("above the limit")
	default:
	}
	if _, _, err := p.take(packetOf(1, 1, 0)); err != nil || !<-sent {
		t.Error("the limit has not opened")
	}
}

// Frames of any bytes, on sockets that are there: a path may end, the process may not.
func TestRandomFrames(t *testing.T) {
	net := stack.New(stack.Options{NetworkProtocols: []stack.NetworkProtocolFactory{ipv4.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol}})
	conf := &config{mtu: mtuDefault, address: prefixed{tcpip.Address("\x0a\x01\x02\x03"), 24}, hostname: "x"}
	kinds := []struct {
		code   byte
		length int
	}{{msgTaskBegin, 20}, {msgSocket, 6}, {msgBind, 28}, {msgConnect, 28}, {msgListen, 4}, {msgAccept, 4}, {msgShutdown, 9},
		{msgClose, 9}, {msgGetsockname, 0}, {msgGetpeername, 0}, {msgGetsockopt, 12}, {msgSetsockopt, 12}, {msgData, 20},
		{msgWindow, 8}, {msgOutq, 0}, {msgSent, 0}, {msgErrqueue, 0}, {msgDatagram, 140}, {msgGetaddrinfo, 15},
		{msgGethostname, 0}, {msgGethostid, 0}, {msgGetifaddrs, 0}, {msgTaken, 0}}
	r := rand.New(rand.NewSource(1))
	handled := 0
	for round := 0; round < 300; round++ {
		p, other := makePair(t)
		p.mtu = packetMost
		go func() {
			for b := make([]byte, packetMost); ; {
				if n, _, err := syscall.Recvfrom(other, b, 0); err != nil || n == 0 {
					return
				}
			}
		}()
		ses := &session{path: p, net: net, conf: conf, socks: map[uint64]*sock{}, peerWindow: 65536}
		ses.names = newNames(net, conf)
		for id := uint64(1); id <= 2; id++ {
			_ = ses.dispatch(&frame{code: msgSocket, request: 1, socket: id, body: []byte{0, 2, 0, byte(id), 0, 0}})
		}
		if len(ses.socks) != 2 {
			t.Fatal("the sockets are not there")
		}
		for i := 0; i < 30; i++ {
			kind := kinds[r.Intn(len(kinds))]
			body := make([]byte, kind.length)
			if r.Intn(50) == 0 {
				body = make([]byte, r.Intn(200))
			}
			if r.Intn(2) == 0 {
				r.Read(body)
			}
			if len(body) > 1 && r.Intn(2) == 0 {
				body[0], body[1] = 0, familyIPv4
			}
			f := frame{code: kind.code, request: r.Uint32() % 3, socket: uint64(r.Intn(5)), body: body}
			ses.mu.Lock()
			err := ses.dispatch(&f)
			ses.mu.Unlock()
			if err != nil {
				break
			}
			handled++
		}
		p.end()
		ses.mu.Lock()
		for _, s := range ses.socks {
			s.abort()
		}
		ses.mu.Unlock()
		_ = syscall.Shutdown(p.fd, syscall.SHUT_RDWR)
	}
	if handled < 1000 {
		t.Errorf("only %d frames", handled)
	}
}
