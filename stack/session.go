// SPDX-License-Identifier: Apache-2.0
// session.go - the dialogue of the path: HELLO, requests, and the end

package main

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

const (
	windowSize      = 65536 // bytes of a socket that this side accepts
	threshold       = 25    // percent of it after which WINDOW follows
	windowThreshold = windowSize * threshold / 100
	socksMost       = 8192
	backlogMost     = 4096
	drainTime       = 10 * time.Second
	drainStep       = 5 * time.Millisecond
)

type session struct {
	path       *path
	net        *stack.Stack
	conf       *config
	names      *names
	peerWindow uint32

	mu     sync.Mutex // of the sockets: a frame, or one of later(), at a time
	socks  map[uint64]*sock
	lastID uint64 // of this side
	newest uint64 // of the other one

	closingMu sync.Mutex
	left      []tcpip.Endpoint // closed, and perhaps not sent yet
}

// later runs f between two frames.
func (ses *session) later(f func()) {
	ses.mu.Lock()
	f()
	ses.mu.Unlock()
}

func (ses *session) closing(ep tcpip.Endpoint) {
	ses.closingMu.Lock()
	kept := ses.left[:0]
	for _, e := range ses.left {
		if isSending(e) {
			kept = append(kept, e)
		}
	}
	ses.left = append(kept, ep)
	ses.closingMu.Unlock()
}

// isSending: the peer has not acknowledged everything, with the FIN.
func isSending(ep tcpip.Endpoint) bool {
	switch tcp.EndpointState(ep.State()) {
	case tcp.StateEstablished, tcp.StateCloseWait, tcp.StateFinWait1, tcp.StateClosing, tcp.StateLastAck:
		return true
	}
	return false
}

// drain waits until the closed sockets have sent what they had.
func (ses *session) drain() {
	for end := time.Now().Add(drainTime); time.Now().Before(end); time.Sleep(drainStep) {
		sending := false
		for _, ep := range ses.left {
			sending = sending || isSending(ep)
		}
		if !sending {
			return
		}
	}
}

// run serves the path until it ends. Its result is nil if the peer has ended it.
func (ses *session) run() error {
	err := ses.hello()
	for err == nil {
		var frames []frame
		var over bool
		frames, over, err = ses.path.receive()
		if over && err == nil {
			break
		}
		ses.mu.Lock()
		for i := range frames {
			if frames[i].code == msgBye {
				over = true
			} else if err == nil {
				err = ses.dispatch(&frames[i])
			}
		}
		ses.mu.Unlock()
		if over {
			break
		}
	}
	if err != nil {
		ses.path.send(makeFrame(msgBye, 0, 0, 0, appendText(nil, err.Error())), false, nil)
	}
	ses.path.end()
	ses.mu.Lock()
	for _, s := range ses.socks {
		s.abort()
	}
	ses.mu.Unlock()
	ses.drain()
	return err
}

func (ses *session) hello() error {
	frames, over, err := ses.path.receive()
	if err != nil || over {
		return err
	}
	if len(frames) != 1 || frames[0].code != msgHello {
		return errors.New("HELLO is missing")
	}
	r := &reader{b: frames[0].body}
	version, percent := r.u16(), r.u16()
	r.u32()
	r.u64()
	mtu, limit, window := r.u32(), r.u32(), r.u32()
	r.bytes(8 + 8)
	destVMID, dest := r.bytes(8), r.bytes(8)
	if !r.done() || version < 1 || percent < 1 || percent > 100 || mtu < packetFirst || mtu > packetMost ||
		limit < 1 || limit > 65535 || window < 4096 || window > 1<<24 {
		return errors.New("HELLO is wrong")
	}
	body := be.AppendUint16(nil, 1)
	body = be.AppendUint16(body, threshold)
	body = be.AppendUint32(body, 0) // no features
	body = be.AppendUint64(body, 1)
	body = be.AppendUint32(body, mtu)
	body = be.AppendUint32(body, limit)
	body = be.AppendUint32(body, windowSize)
	body = append(append(body, destVMID...), dest...)
	body = appendText(body, "")
	ses.path.send(makeFrame(msgHello+reply, 0, frames[0].request, 0, body), false, nil)
	ses.path.mu.Lock()
	ses.path.mtu, ses.path.limit, ses.peerWindow = int(mtu), limit, window
	ses.path.mu.Unlock()
	return nil
}

func (ses *session) answer(f *frame, status uint16, body []byte) {
	ses.path.send(makeFrame(f.code+reply, status, f.request, f.socket, body), false, nil)
}

// disagree resets one socket (docs/protocol.md, "Disagreements").
func (s *sock) disagree() {
	s.life.abort()
	s.reset(syscall.EPROTO)
}

func (ses *session) dispatch(f *frame) error {
	if f.code >= reply {
		return nil // an answer to no request
	}
	r := &reader{b: f.body}
	switch f.code {
	case msgTaskEnd, msgTaken:
		return nil
	case msgTaskBegin:
		r.bytes(4 + 4 + 2 + 8)
		r.text()
		answer := makeFrame(f.code+reply, 0, f.request, 0, nil)
		be.PutUint32(answer[12:], f.task)
		ses.path.send(answer, false, nil)
		return checked(f, r)
	case msgSocket:
		return ses.onSocket(f, r)
	case msgGetaddrinfo, msgGetnameinfo, msgGethostbyname, msgGethostbyaddr, msgGethostname, msgGethostid, msgGetifaddrs:
		return ses.names.ask(ses, f, r)
	}
	s := ses.socks[f.socket]
	if s == nil {
		return ses.unknown(f)
	}
	return s.dispatch(f, r)
}

func checked(f *frame, r *reader) error {
	if !r.done() {
		return fmt.Errorf("message %#x is malformed", f.code)
	}
	return nil
}

func (ses *session) unknown(f *frame) error {
	if f.request == 0 {
		ses.path.send(makeFrame(msgReset, uint16(syscall.EPROTO), 0, f.socket, nil), false, nil)
		return nil
	}
	ses.answer(f, uint16(syscall.EBADF), emptyBody(f.code))
	return nil
}

// emptyBody is what an answer that failed has.
func emptyBody(code byte) []byte {
	switch code {
	case msgGetsockname, msgGetpeername:
		return make([]byte, 28)
	case msgOutq:
		return make([]byte, 8)
	case msgErrqueue:
		return make([]byte, 4+3+4+4+28+28)
	}
	return nil
}

func (ses *session) onSocket(f *frame, r *reader) error {
	family, kind, protocol := r.u16(), r.u16(), r.u16()
	if !r.done() {
		return checked(f, r)
	}
	if f.socket <= ses.newest || f.socket&ownID != 0 {
		ses.answer(f, uint16(syscall.EPROTO), nil)
		return nil
	}
	ses.newest = f.socket
	s := ses.newSock(f.socket, family, kind)
	why := ses.mayOpen(family, kind, protocol)
	if why == 0 {
		why = s.begin()
	}
	ses.answer(f, uint16(why), nil)
	if why != 0 {
		return nil
	}
	ses.socks[s.id] = s
	if kind == kindDatagram {
		s.runDatagrams()
	}
	return nil
}

func (ses *session) mayOpen(family, kind, protocol uint16) syscall.Errno {
	switch {
	case len(ses.socks) >= socksMost:
		return syscall.EMFILE
	case family != familyIPv4 && (family != familyIPv6 || !ses.conf.hasIPv6()):
		return syscall.EAFNOSUPPORT
	case kind == kindRaw:
		return syscall.EPERM
	case kind != kindStream && kind != kindDatagram:
		return syscall.ESOCKTNOSUPPORT
	case protocol != 0 && protocol != map[uint16]uint16{kindStream: syscall.IPPROTO_TCP, kindDatagram: syscall.IPPROTO_UDP}[kind]:
		return syscall.EPROTONOSUPPORT
	}
	return 0
}

// dispatch handles a frame about a socket.
func (s *sock) dispatch(f *frame, r *reader) error {
	stream := s.kind == kindStream
	agreed := true
	switch f.code {
	case msgBind:
		a := r.addr()
		s.ses.answer(f, s.onBind(a), nil)
	case msgConnect:
		a := r.addr()
		status, established := s.onConnect(a)
		s.ses.answer(f, status, nil)
		if established {
			s.run() // its first data follows the answer
		}
	case msgListen:
		backlog := int32(r.u32())
		status := uint16(syscall.EOPNOTSUPP)
		if stream {
			status = s.onListen(backlog)
		}
		s.ses.answer(f, status, nil)
	case msgAccept:
		count := r.u32()
		if s.listening {
			s.onAccept(count)
		}
	case msgShutdown:
		how, position := r.u8(), r.u64()
		if agreed = how <= 2 && stream && (s.listening || position == s.got); agreed {
			s.onShutdown(how)
		}
	case msgClose:
		how, received := r.u8(), r.u64()
		if r.done() {
			s.onClose(f.request, how, received)
		}
	case msgGetsockname:
		a, err := s.ep.GetLocalAddress()
		s.ses.answer(f, errno(err), appendAddr(nil, s.family, a))
	case msgGetpeername:
		a, err := s.peer()
		s.ses.answer(f, errno(err), appendAddr(nil, s.family, a))
	case msgGetsockopt:
		level, name, length := int32(r.u32()), int32(r.u32()), r.u32()
		value, why := s.getOption(level, name)
		if uint32(len(value)) > length {
			value = value[:length]
		}
		s.tellWindow(level == syscall.IPPROTO_TCP && name == syscall.TCP_INFO)
		s.ses.answer(f, uint16(why), value)
	case msgSetsockopt:
		level, name := int32(r.u32()), int32(r.u32())
		s.ses.answer(f, uint16(s.setOption(level, name, append([]byte(nil), r.rest()...))), nil)
	case msgOutq:
		s.tellWindow(true)
		s.ses.answer(f, 0, make([]byte, 8))
	case msgData:
		position := r.u64()
		agreed = stream && (!s.alive() || s.running && s.onData(position, r.rest()))
		r.rest()
	case msgWindow:
		agreed = s.onWindow(r.u64())
	case msgSent:
		if stream {
			s.ses.answer(f, uint16(syscall.EPROTO), nil)
		} else {
			s.onSent(f.request)
		}
	case msgErrqueue:
		s.ses.answer(f, uint16(syscall.EAGAIN), emptyBody(f.code))
	case msgDatagram:
		agreed = !stream && s.onDatagram(r)
		r.rest()
	default:
		return fmt.Errorf("message %#x is unknown", f.code)
	}
	if !agreed {
		s.disagree()
	}
	return checked(f, r)
}

// peer: a connection that has ended has none, as with Linux.
func (s *sock) peer() (tcpip.FullAddress, tcpip.Error) {
	if s.kind == kindStream {
		switch tcp.EndpointState(s.ep.State()) {
		case tcp.StateTimeWait, tcp.StateClose, tcp.StateError:
			return tcpip.FullAddress{}, &tcpip.ErrNotConnected{}
		}
	}
	return s.ep.GetRemoteAddress()
}

func (s *sock) onBind(a wireAddr) uint16 {
	if a.family != s.family {
		return uint16(syscall.EAFNOSUPPORT)
	}
	if s.dead {
		if e := s.begin(); e != 0 {
			return uint16(e)
		}
	}
	err := s.ep.Bind(a.full)
	if err == nil && s.kind == kindStream {
		s.replay = append(s.replay, func(s *sock) { _ = s.ep.Bind(a.full) })
	}
	return errno(err)
}

func (s *sock) onWindow(consumed uint64) bool {
	s.mu.Lock()
	agreed := consumed >= s.open && consumed <= s.sent
	if agreed {
		s.open = consumed
	}
	s.mu.Unlock()
	wake(s.wakeIn)
	return agreed
}
