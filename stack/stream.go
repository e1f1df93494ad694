// SPDX-License-Identifier: Apache-2.0
// stream.go - connections: connect, listen, accept, and data in both directions

package main

import (
	"bytes"
	"syscall"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"
)

const dataHead = packetHead + frameHead + 8

// onConnect returns the status of the answer, and whether the connection is established.
func (s *sock) onConnect(peer wireAddr) (uint16, bool) {
	if peer.family == familyNone {
		return s.disconnect(), false
	}
	if peer.family != s.family {
		return uint16(syscall.EAFNOSUPPORT), false
	}
	if s.kind == kindDatagram {
		return errno(s.ep.Connect(peer.full)), false
	}
	if s.dead {
		if e := s.begin(); e != 0 {
			return uint16(e), false
		}
	}
	if s.listening {
		return uint16(syscall.EISCONN), false
	}
	if isGroup(peer.full.Addr) {
		return uint16(syscall.ENETUNREACH), false
	}
	if peer.full.Addr == "" { // this host, as with Linux
		peer.full.Addr = loopbackOf(s.family)
	}
	entry, notify := waiter.NewChannelEntry(waiter.WritableEvents | waiter.EventHUp | waiter.EventErr)
	s.wq.EventRegister(&entry)
	err := s.ep.Connect(peer.full)
	if _, started := err.(*tcpip.ErrConnectStarted); started {
		go s.await(s.life, entry, notify)
		return uint16(syscall.EINPROGRESS), false
	}
	s.wq.EventUnregister(&entry)
	if err != nil && !s.running {
		s.dead = tcp.EndpointState(s.ep.State()) == tcp.StateError
	}
	return errno(err), err == nil
}

// isGroup: Linux finds no route to many at once for a connection (net/ipv4/tcp_ipv4.c, tcp_v4_connect).
func isGroup(a tcpip.Address) bool {
	return header.IsV4MulticastAddress(a) || header.IsV6MulticastAddress(a) || a == header.IPv4Broadcast
}

// await says how a connect() has ended.
func (s *sock) await(l *life, entry waiter.Entry, notify chan struct{}) {
	defer l.wq.EventUnregister(&entry)
	for tcp.EndpointState(l.ep.State()) == tcp.StateConnecting ||
		tcp.EndpointState(l.ep.State()) == tcp.StateSynSent || tcp.EndpointState(l.ep.State()) == tcp.StateSynRecv {
		select {
		case <-notify:
		case <-l.stopIn:
			return
		}
	}
	var why syscall.Errno
	if tcp.EndpointState(l.ep.State()) == tcp.StateError {
		why = errnoOf(l.ep.LastError())
		if why == 0 {
			why = syscall.ECONNREFUSED
		}
	}
	s.ses.later(func() {
		if s.life != l || isStopped(l.stopIn) {
			return
		}
		l.dead = why != 0
		s.send(msgConnected, uint16(why), nil, false)
		if why == 0 {
			s.run()
		}
	})
}

func (s *sock) disconnect() uint16 {
	if s.kind == kindDatagram {
		return errno(s.ep.Disconnect())
	}
	s.abort()
	s.mu.Lock()
	s.queue, s.fin = nil, false
	s.consumed = s.got
	s.mu.Unlock()
	s.ses.path.mu.Lock()
	s.lost = false
	s.ses.path.mu.Unlock()
	s.listening = false
	return uint16(s.begin())
}

// run starts the goroutines of a connection.
func (s *sock) run() {
	if s.running {
		return
	}
	s.running = true
	go s.pumpIn(s.life)
	go s.pumpOut(s.life)
}

// room returns how much may be read now: what the window has left, at most a packet.
func (s *sock) room() int {
	s.mu.Lock()
	left := int64(s.ses.peerWindow) - int64(s.sent-s.open)
	s.mu.Unlock()
	if most := int64(s.ses.path.mtu - dataHead); left > most {
		left = most
	}
	return int(left)
}

func (s *sock) pumpIn(l *life) {
	entry, notify := waiter.NewChannelEntry(waiter.ReadableEvents | waiter.EventHUp | waiter.EventErr)
	l.wq.EventRegister(&entry)
	defer l.wq.EventUnregister(&entry)
	buf := make([]byte, s.ses.path.mtu)
	for !isStopped(l.stopIn) {
		room := s.room()
		if room <= 0 {
			select {
			case <-s.wakeIn:
			case <-l.stopIn:
			}
			continue
		}
		w := tcpip.SliceWriter(buf[:room])
		res, err := l.ep.Read(&w, tcpip.ReadOptions{})
		if _, empty := err.(*tcpip.ErrWouldBlock); empty {
			select {
			case <-notify:
			case <-l.stopIn:
			}
			continue
		}
		if err != nil {
			s.endIn(l, err, notify)
			return
		}
		if res.Count > 0 && !s.deliver(buf[:res.Count]) {
			return
		}
		l.ep.ModerateRecvBuf(res.Count)
	}
}

func (s *sock) deliver(data []byte) bool {
	s.mu.Lock()
	position := s.sent
	s.sent += uint64(len(data))
	s.mu.Unlock()
	return s.send(msgData, 0, append(be.AppendUint64(nil, position), data...), true)
}

// endIn tells the end of file, or the loss of the connection, which may follow the end of file.
func (s *sock) endIn(l *life, err tcpip.Error, notify chan struct{}) {
	if _, eof := err.(*tcpip.ErrClosedForReceive); eof && tcp.EndpointState(l.ep.State()) != tcp.StateError {
		s.mu.Lock()
		position := s.sent
		s.mu.Unlock()
		s.send(msgShutdown, 0, be.AppendUint64([]byte{1}, position), false)
		for tcp.EndpointState(l.ep.State()) != tcp.StateError {
			select {
			case <-notify:
			case <-l.stopIn:
				return
			}
		}
		err = l.ep.LastError()
	}
	if !isStopped(l.stopIn) {
		s.reset(lossOf(err))
	}
}

func lossOf(err tcpip.Error) syscall.Errno {
	if why := errnoOf(err); why != 0 && why != syscall.EIO {
		return why
	}
	return syscall.ECONNRESET
}

func (s *sock) onData(position uint64, data []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if position != s.got || uint64(len(data)) > windowSize-(s.got-s.consumed) || s.fin || len(data) == 0 {
		return false
	}
	s.got += uint64(len(data))
	s.queue = append(s.queue, chunk{data: append([]byte(nil), data...)})
	wake(s.wakeOut)
	return true
}

// next returns a copy of the first chunk, as the queue may move; nil and true when all is done.
func (s *sock) next() (*chunk, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) > 0 {
		c := s.queue[0]
		return &c, false
	}
	return nil, s.fin || s.closing
}

func (s *sock) pumpOut(l *life) {
	entry, notify := waiter.NewChannelEntry(waiter.WritableEvents | waiter.EventHUp | waiter.EventErr)
	l.wq.EventRegister(&entry)
	defer l.wq.EventUnregister(&entry)
	finished := false
	for !isStopped(l.stopOut) {
		c, done := s.next()
		if c != nil {
			s.write(l, c, notify)
			continue
		}
		if done && !finished {
			finished = true
			l.ep.Shutdown(tcpip.ShutdownWrite)
		}
		s.mu.Lock()
		closing := s.closing
		s.mu.Unlock()
		if done && closing {
			l.ep.Close()
			return
		}
		select {
		case <-s.wakeOut:
		case <-l.stopOut:
		}
	}
}

// write gives a chunk to the endpoint; what a lost connection does not take counts as consumed.
func (s *sock) write(l *life, c *chunk, notify chan struct{}) {
	n, err := l.ep.Write(bytes.NewReader(c.data), tcpip.WriteOptions{})
	if _, full := err.(*tcpip.ErrWouldBlock); full {
		if n == 0 {
			select {
			case <-notify:
			case <-l.stopOut:
			}
			return
		}
	} else if err != nil {
		n = int64(len(c.data))
		if !isStopped(l.stopIn) {
			s.lostOut(l, err)
		}
	}
	s.mu.Lock()
	if isStopped(l.stopOut) { // the queue may be that of another life
		s.mu.Unlock()
		return
	}
	s.consumed += uint64(n)
	if n == int64(len(c.data)) {
		s.queue = s.queue[1:]
	} else {
		s.queue[0].data = c.data[n:]
	}
	s.mu.Unlock()
	s.tellWindow(false)
}

// lostOut: pumpIn() first reads what has come before the loss, if it is still at work.
func (s *sock) lostOut(l *life, err tcpip.Error) {
	if tcp.EndpointState(l.ep.State()) != tcp.StateError {
		s.reset(lossOf(err))
	}
}

func (s *sock) onShutdown(how byte) {
	if s.listening {
		if how != 1 {
			s.unlisten()
		}
		return
	}
	if how == 0 || !s.running {
		return
	}
	s.mu.Lock()
	s.fin = true
	s.mu.Unlock()
	wake(s.wakeOut)
}

// unlisten lets a listener refuse connections; its socket goes on with a new endpoint.
func (s *sock) unlisten() {
	stop(s.stopIn)
	stop(s.stopOut)
	s.ep.Close()
	s.listening = false
	s.wanted = 0
	_ = s.begin()
}

func (s *sock) onListen(backlog int32) uint16 {
	if s.running && !s.listening {
		return uint16(syscall.EINVAL)
	}
	if s.dead {
		if e := s.begin(); e != 0 {
			return uint16(e)
		}
	}
	if tcp.EndpointState(s.ep.State()) == tcp.StateInitial { // Linux chooses a port
		if err := s.ep.Bind(tcpip.FullAddress{}); err != nil {
			return errno(err)
		}
	}
	if backlog < 0 || backlog > backlogMost {
		backlog = backlogMost
	}
	if err := s.ep.Listen(int(backlog) + 1); err != nil { // Linux takes one more than asked for
		return errno(err)
	}
	s.listening = true
	if !s.running {
		s.running = true
		go s.acceptAll(s.life)
	}
	return 0
}

func (s *sock) onAccept(count uint32) {
	s.mu.Lock()
	s.wanted += count
	s.mu.Unlock()
	wake(s.wakeIn)
}

func (s *sock) acceptAll(l *life) {
	entry, notify := waiter.NewChannelEntry(waiter.ReadableEvents | waiter.EventHUp | waiter.EventErr)
	l.wq.EventRegister(&entry)
	defer l.wq.EventUnregister(&entry)
	for !isStopped(l.stopIn) {
		s.mu.Lock()
		wanted := s.wanted
		s.mu.Unlock()
		if wanted == 0 {
			select {
			case <-s.wakeIn:
			case <-l.stopIn:
			}
			continue
		}
		var peer tcpip.FullAddress
		ep, wq, err := l.ep.Accept(&peer)
		if err != nil {
			select {
			case <-notify:
			case <-s.wakeIn:
			case <-l.stopIn:
			}
			continue
		}
		s.mu.Lock()
		s.wanted--
		s.mu.Unlock()
		s.ses.later(func() { s.accepted(ep, wq, peer) })
	}
}

// accepted hands a connection over; it becomes a socket.
func (s *sock) accepted(ep tcpip.Endpoint, wq *waiter.Queue, peer tcpip.FullAddress) {
	local, _ := ep.GetLocalAddress()
	s.ses.lastID++
	child := s.ses.newSock(ownID|s.ses.lastID, s.family, kindStream)
	child.life = newLife(ep, wq)
	ep.SocketOptions().SetDelayOption(true)
	for _, set := range s.inherited {
		set(child)
	}
	body := be.AppendUint64(nil, child.id)
	body = appendAddr(appendAddr(body, s.family, peer), s.family, local)
	if !s.send(msgAccepted, 0, body, false) {
		ep.Abort()
		return
	}
	s.ses.socks[child.id] = child
	child.run()
}
