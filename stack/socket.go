// SPDX-License-Identifier: Apache-2.0
// socket.go - a socket of the z/VSE side: an endpoint of netstack, its positions and its end

package main

import (
	"sync"
	"syscall"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
	"gvisor.dev/gvisor/pkg/waiter"
)

const (
	kindStream   = 1
	kindDatagram = 2
	kindRaw      = 3
)

// life is an endpoint of a socket; a socket that connects again gets another one.
type life struct {
	ep      tcpip.Endpoint
	wq      *waiter.Queue
	stopIn  chan struct{} // nothing more is read from the endpoint
	stopOut chan struct{} // nothing more is written to it
	running bool          // the goroutines of a connection, or of a listener, have been started
	dead    bool          // connect() has failed
}

/*
Theory of operation

The dispatcher (session.go) takes frames one by one and never waits. A connection has two goroutines: pumpIn() moves
data from the endpoint to the path, and waits for the window, the message limit and the endpoint; pumpOut() moves the
queue to the endpoint. The window of this side bounds the queue.

mu guards what both sides change. Positions count over all lives. gone and lost are guarded by the path's lock: with
them a CLOSE_REPLY is the last frame of a socket, and a RESET the last one of a connection.
*/
type sock struct {
	ses          *session
	id           uint64
	family, kind uint16
	*life

	gone bool // CLOSE was answered
	lost bool // RESET was sent

	telling  sync.Mutex
	mu       sync.Mutex
	queue    []chunk // for the endpoint
	fin      bool    // the program sends no more
	closing  bool    // the program has closed
	got      uint64  // position of what has come from z/VSE
	consumed uint64  // of that, what the endpoint has taken
	told     uint64  // of that, what the last WINDOW said
	sent     uint64  // position of what was sent to z/VSE
	open     uint64  // what z/VSE has consumed
	wanted   uint32  // connections that a listener may still hand over
	wakeIn   chan struct{}
	wakeOut  chan struct{}

	replay    []func(*sock) // options and bind(), for the next life
	inherited []func(*sock) // options, for connections of a listener
	sizes     map[int]int32 // SO_SNDBUF, SO_RCVBUF as they are told
	partial   *datagram
	failed    syscall.Errno // why the last datagram failed
	listening bool
}

// chunk is data of a stream, or a datagram, for the endpoint; or the request that asks about those before it.
type chunk struct {
	data []byte
	to   *tcpip.FullAddress
	ask  uint32
}

func newLife(ep tcpip.Endpoint, wq *waiter.Queue) *life {
	return &life{ep: ep, wq: wq, stopIn: make(chan struct{}), stopOut: make(chan struct{})}
}

func (ses *session) newSock(id uint64, family, kind uint16) *sock {
	return &sock{ses: ses, id: id, family: family, kind: kind,
		wakeIn: make(chan struct{}, 1), wakeOut: make(chan struct{}, 1), sizes: map[int]int32{}}
}

// begin gives the socket a new endpoint.
func (s *sock) begin() syscall.Errno {
	network, transport := ipv4.ProtocolNumber, tcp.ProtocolNumber
	if s.family == familyIPv6 {
		network = ipv6.ProtocolNumber
	}
	if s.kind == kindDatagram {
		transport = udp.ProtocolNumber
	}
	wq := &waiter.Queue{}
	ep, err := s.ses.net.NewEndpoint(transport, network, wq)
	if err != nil {
		return errnoOf(err)
	}
	s.life = newLife(ep, wq)
	ep.SocketOptions().SetDelayOption(true) // as Linux begins
	for _, again := range s.replay {
		again(s)
	}
	return 0
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func isStopped(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// stop closes a channel that may be closed; all do so between two frames.
func stop(c chan struct{}) {
	if !isStopped(c) {
		close(c)
	}
}

// alive is asked under the path's lock.
func (s *sock) alive() bool { return !s.gone && !s.lost }

func (s *sock) send(code byte, status uint16, body []byte, data bool) bool {
	return s.ses.path.send(makeFrame(code, status, 0, s.id, body), data, s.alive)
}

// reset says that the connection is lost.
func (s *sock) reset(why syscall.Errno) {
	s.ses.path.send(makeFrame(msgReset, uint16(why), 0, s.id, nil), false, func() bool {
		was := s.alive()
		s.lost = true
		return was
	})
}

// tellWindow sends WINDOW if the threshold is reached, or in any case.
func (s *sock) tellWindow(always bool) {
	s.telling.Lock() // a WINDOW does not go back
	defer s.telling.Unlock()
	s.mu.Lock()
	due := s.consumed-s.told >= windowThreshold || always && s.consumed > s.told
	if due {
		s.told = s.consumed
	}
	position := s.consumed
	s.mu.Unlock()
	if !due {
		return
	}
	// Valid after RESET, too.
	s.ses.path.send(makeFrame(msgWindow, 0, 0, s.id, be.AppendUint64(nil, position)), false,
		func() bool { return !s.gone })
}

// abort resets the connection of a life and ends its goroutines.
func (l *life) abort() {
	stop(l.stopIn)
	stop(l.stopOut)
	l.ep.Abort()
}

// onClose ends the socket: in order, in the background, or with a reset.
func (s *sock) onClose(request uint32, how byte, received uint64) {
	f := makeFrame(msgClose+reply, 0, request, s.id, nil)
	s.ses.path.send(f, false, func() bool {
		s.gone = true
		return true
	})
	delete(s.ses.socks, s.id)
	s.mu.Lock()
	s.closing = true
	unread := received < s.sent
	s.mu.Unlock()
	if s.kind == kindStream && (how == 1 || unread) && !s.listening {
		s.abort()
		return
	}
	stop(s.stopIn)
	if s.running && s.kind == kindStream && !s.listening {
		s.ses.closing(s.ep)
		wake(s.wakeOut) // pumpOut() closes when all is sent
		return
	}
	stop(s.stopOut)
	s.ep.Close()
}
