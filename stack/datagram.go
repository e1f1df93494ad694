// SPDX-License-Identifier: Apache-2.0
// datagram.go - datagrams, cut into parts that fit packets

package main

import (
	"bytes"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/waiter"
)

const (
	datagramCost = 256 // what a datagram counts beside its payload
	datagramMost = 65535
	datagramHead = packetHead + frameHead + 8 + 4 + 4 + 28 + 2 + 1 + 1 + 4 + 28 + 4 + 4 + 2
)

// datagram is one whose parts have not all come.
type datagram struct {
	total uint32
	data  []byte
	to    wireAddr
}

func (s *sock) onDatagram(r *reader) bool {
	position, total, offset, to := r.u64(), r.u32(), r.u32(), r.addr()
	r.bytes(2 + 1 + 1 + 4)
	r.addr()
	r.bytes(4 + 4 + 2)
	data := r.rest()
	if r.bad || total > datagramMost {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if offset == 0 {
		if s.partial != nil || position != s.got || s.got-s.consumed >= windowSize {
			return false
		}
		s.got += uint64(total) + datagramCost
		s.partial = &datagram{total: total, to: to}
	}
	if s.partial == nil || s.partial.total != total || int(offset) != len(s.partial.data) ||
		len(data) > int(total)-len(s.partial.data) || len(data) == 0 && total != 0 {
		return false
	}
	s.partial.data = append(s.partial.data, data...)
	if len(s.partial.data) == int(total) {
		c := chunk{data: s.partial.data}
		if s.partial.to.family != familyNone {
			c.to = &s.partial.to.full
		}
		s.queue = append(s.queue, c)
		s.partial = nil
		wake(s.wakeOut)
	}
	return true
}

// runDatagrams starts the goroutines of a datagram socket.
func (s *sock) runDatagrams() {
	s.running = true
	go s.datagramsIn(s.life)
	go s.datagramsOut(s.life)
}

func (s *sock) datagramsOut(l *life) {
	entry, notify := waiter.NewChannelEntry(waiter.WritableEvents)
	l.wq.EventRegister(&entry)
	defer l.wq.EventUnregister(&entry)
	for !isStopped(l.stopOut) {
		c, _ := s.next()
		if c == nil {
			select {
			case <-s.wakeOut:
			case <-l.stopOut:
			}
			continue
		}
		if c.ask != 0 {
			s.answerSent(c.ask)
			continue
		}
		_, err := l.ep.Write(bytes.NewReader(c.data), tcpip.WriteOptions{To: c.to, Atomic: true})
		if _, full := err.(*tcpip.ErrWouldBlock); full {
			select {
			case <-notify:
			case <-l.stopOut:
			}
			continue
		}
		s.mu.Lock()
		if err != nil {
			s.failed = errnoOf(err)
		}
		s.consumed += uint64(len(c.data)) + datagramCost
		s.queue = s.queue[1:]
		s.mu.Unlock()
		s.tellWindow(false)
	}
}

// onSent queues the question: it is answered when the datagrams before it have been tried.
func (s *sock) onSent(request uint32) {
	s.mu.Lock()
	s.queue = append(s.queue, chunk{ask: request})
	s.mu.Unlock()
	wake(s.wakeOut)
}

func (s *sock) answerSent(request uint32) {
	s.mu.Lock()
	why := s.failed
	s.failed = 0
	s.queue = s.queue[1:]
	s.mu.Unlock()
	s.ses.path.send(makeFrame(msgSent+reply, uint16(why), request, s.id, nil), false,
		func() bool { return !s.gone })
}

// hasRoom: a datagram may begin while less than the window is open.
func (s *sock) hasRoom() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent-s.open < uint64(s.ses.peerWindow)
}

func (s *sock) datagramsIn(l *life) {
	entry, notify := waiter.NewChannelEntry(waiter.ReadableEvents | waiter.EventErr)
	l.wq.EventRegister(&entry)
	defer l.wq.EventUnregister(&entry)
	buf := make([]byte, datagramMost)
	for !isStopped(l.stopIn) {
		if !s.hasRoom() {
			select {
			case <-s.wakeIn:
			case <-l.stopIn:
			}
			continue
		}
		w := tcpip.SliceWriter(buf)
		res, err := l.ep.Read(&w, tcpip.ReadOptions{NeedRemoteAddr: true})
		switch err.(type) {
		case nil:
			if !s.deliverDatagram(buf[:res.Count], res.RemoteAddr) {
				return
			}
		case *tcpip.ErrWouldBlock, *tcpip.ErrClosedForReceive:
			select {
			case <-notify:
			case <-l.stopIn:
			}
		default:
			s.send(msgDatagramError, 0, be.AppendUint16(nil, errno(err)), false)
		}
	}
}

func (s *sock) deliverDatagram(data []byte, from tcpip.FullAddress) bool {
	s.mu.Lock()
	position := s.sent
	s.sent += uint64(len(data)) + datagramCost
	s.mu.Unlock()
	most := s.ses.path.mtu - datagramHead
	for at := 0; at == 0 || at < len(data); {
		part := data[at:]
		if len(part) > most {
			part = part[:most]
		}
		body := be.AppendUint64(nil, position)
		body = be.AppendUint32(body, uint32(len(data)))
		body = be.AppendUint32(body, uint32(at))
		body = appendAddr(body, s.family, from)
		body = append(body, make([]byte, 2+1+1+4+28+4+4+2)...)
		if !s.send(msgDatagram, 0, append(body, part...), true) {
			return false
		}
		at += len(part)
		if len(data) == 0 {
			break
		}
	}
	return true
}
