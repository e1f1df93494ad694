// SPDX-License-Identifier: Apache-2.0
// packet.go - packets and frames of the path (docs/protocol.md), and its message limit

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"syscall"
)

const (
	magic       = 0x4C46
	packetHead  = 16
	frameHead   = 24
	packetFirst = 1024 // bytes of a packet before HELLO_REPLY
	packetMost  = 65536
	ackMost     = 64 // packets with data taken without telling
	ownID       = uint64(1) << 63
)

var be = binary.BigEndian

// frame is a frame as it was received; body is valid until the next packet.
type frame struct {
	code, flags byte
	status      uint16
	request     uint32
	task        uint32
	socket      uint64
	body        []byte
}

// path sends and receives packets on a SOCK_SEQPACKET socket.
type path struct {
	fd  int
	mtu int // bytes of a packet, of both sides

	mu    sync.Mutex
	room  *sync.Cond // an open packet was taken, or the path has ended
	limit uint32     // open packets with data
	sent  uint32     // packets
	data  uint32     // packets with data sent
	acked uint32     // packets with data that the peer has taken
	taken uint32     // packets with data that this side has taken
	told  uint32     // of those, the number that the peer knows
	ended bool

	received uint32
	buf      []byte
}

func newPath(fd int) *path {
	p := &path{fd: fd, mtu: packetFirst, limit: 1, buf: make([]byte, packetMost)}
	p.room = sync.NewCond(&p.mu)
	return p
}

// end lets nobody wait for the path any more.
func (p *path) end() {
	p.mu.Lock()
	p.ended = true
	p.room.Broadcast()
	p.mu.Unlock()
}

// sendLocked sends a packet with one frame, or an empty one; the caller holds the lock.
func (p *path) sendLocked(body []byte, data bool) {
	if p.ended {
		return
	}
	packet := make([]byte, packetHead, packetHead+len(body))
	be.PutUint16(packet, magic)
	packet[2] = 1
	if data {
		packet[3] = 1
		p.data++
	}
	p.sent++
	p.told = p.taken
	be.PutUint32(packet[4:], uint32(packetHead+len(body)))
	be.PutUint32(packet[8:], p.sent)
	be.PutUint32(packet[12:], p.taken)
	packet = append(packet, body...)
	for {
		_, err := syscall.SendmsgN(p.fd, packet, nil, nil, syscall.MSG_NOSIGNAL)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			p.ended = true
			p.room.Broadcast()
		}
		return
	}
}

// send sends a frame. A frame with data waits for the message limit. wanted, which may be nil, is asked under the
// path's lock whether the frame may still be sent; so a frame can be a socket's last one.
func (p *path) send(f []byte, data bool, wanted func() bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for data && !p.ended && p.data-p.acked >= p.limit {
		p.room.Wait()
	}
	if p.ended || wanted != nil && !wanted() {
		return false
	}
	p.sendLocked(f, data)
	return !p.ended
}

// receive reads a packet and returns its frames; no frames and no error at the end of the path.
func (p *path) receive() ([]frame, bool, error) {
	var n int
	var err error
	for {
		n, _, err = syscall.Recvfrom(p.fd, p.buf, syscall.MSG_TRUNC)
		if err != syscall.EINTR {
			break
		}
	}
	if err == syscall.ECONNRESET || err == nil && n == 0 {
		return nil, true, nil
	}
	if err != nil {
		return nil, true, err
	}
	if n > p.mtu || n < packetHead {
		return nil, true, fmt.Errorf("a packet has %d bytes", n)
	}
	return p.take(p.buf[:n])
}

func (p *path) take(b []byte) ([]frame, bool, error) {
	data := b[3] == 1
	if be.Uint16(b) != magic || b[2] != 1 || b[3] > 1 || int(be.Uint32(b[4:])) != len(b) {
		return nil, true, errors.New("the head of a packet is wrong")
	}
	p.received++
	if be.Uint32(b[8:]) != p.received {
		return nil, true, errors.New("a packet is out of sequence")
	}
	if err := p.count(be.Uint32(b[12:]), data); err != nil {
		return nil, true, err
	}
	frames, err := split(b[packetHead:], data)
	return frames, err != nil, err
}

// count takes note of what the peer acknowledges, and of a packet with data.
func (p *path) count(acked uint32, data bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if acked-p.acked > p.data-p.acked {
		return errors.New("packets are acknowledged that were not sent")
	}
	if acked != p.acked {
		p.acked = acked
		p.room.Broadcast()
	}
	if !data {
		return nil
	}
	p.taken++
	if p.taken-p.told > p.limit {
		return errors.New("the message limit is exceeded")
	}
	most := p.limit / 2
	if most > ackMost {
		most = ackMost
	}
	if most < 1 {
		most = 1
	}
	if p.taken-p.told >= most {
		p.sendLocked(nil, false)
	}
	return nil
}

func split(b []byte, data bool) ([]frame, error) {
	var frames []frame
	for len(b) > 0 {
		if len(b) < frameHead {
			return nil, errors.New("a frame is cut")
		}
		n := int(be.Uint32(b))
		if n < frameHead || n > len(b) {
			return nil, errors.New("the length of a frame is wrong")
		}
		f := frame{code: b[4], flags: b[5], status: be.Uint16(b[6:]), request: be.Uint32(b[8:]),
			task: be.Uint32(b[12:]), socket: be.Uint64(b[16:]), body: b[frameHead:n]}
		if (f.code == msgData || f.code == msgDatagram) && !data {
			return nil, errors.New("data is in a packet without its flag")
		}
		frames = append(frames, f)
		b = b[n:]
	}
	return frames, nil
}

// makeFrame puts a head before a body.
func makeFrame(code byte, status uint16, request uint32, socket uint64, body []byte) []byte {
	f := make([]byte, frameHead, frameHead+len(body))
	be.PutUint32(f, uint32(frameHead+len(body)))
	f[4] = code
	be.PutUint16(f[6:], status)
	be.PutUint32(f[8:], request)
	be.PutUint64(f[16:], socket)
	return append(f, body...)
}

// reader takes a body apart. After a field that is not there bad is set, and all values are 0.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return make([]byte, n)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) u8() byte    { return r.bytes(1)[0] }
func (r *reader) u16() uint16 { return be.Uint16(r.bytes(2)) }
func (r *reader) u32() uint32 { return be.Uint32(r.bytes(4)) }
func (r *reader) u64() uint64 { return be.Uint64(r.bytes(8)) }

func (r *reader) text() string { return string(r.bytes(int(r.u16()))) }

func (r *reader) rest() []byte {
	out := r.b
	r.b = nil
	return out
}

// done returns whether the body had exactly these fields.
func (r *reader) done() bool { return !r.bad && len(r.b) == 0 }

func appendText(b []byte, text string) []byte {
	return append(be.AppendUint16(b, uint16(len(text))), text...)
}
