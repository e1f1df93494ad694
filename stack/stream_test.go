// SPDX-License-Identifier: Apache-2.0
// stream_test.go - the queue of a stream: each byte goes to the endpoint once, while more come

package main

import (
	"bytes"
	"io"
	"testing"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/waiter"
)

// sipping takes three bytes a call; meanwhile more data comes.
type sipping struct {
	tcpip.Endpoint
	s    *sock
	more [][]byte
	got  bytes.Buffer
}

func (e *sipping) Write(p tcpip.Payloader, _ tcpip.WriteOptions) (int64, tcpip.Error) {
	n, err := io.CopyN(&e.got, p, 3)
	if err != nil && err != io.EOF {
		return 0, &tcpip.ErrBadBuffer{}
	}
	if len(e.more) > 0 {
		e.s.onData(e.s.got, e.more[0])
		e.more = e.more[1:]
	}
	return n, nil
}

func TestEachByteOnce(t *testing.T) {
	p, _ := makePair(t)
	s := (&session{path: p}).newSock(1, familyIPv4, kindStream)
	e := &sipping{s: s}
	want := []byte{}
	for i := 0; i < 20; i++ {
		e.more = append(e.more, bytes.Repeat([]byte{byte(i)}, 10))
		want = append(want, e.more[i]...)
	}
	s.life = newLife(e, &waiter.Queue{})
	s.onData(0, e.more[0])
	e.more = e.more[1:]
	for c, _ := s.next(); c != nil; c, _ = s.next() {
		s.write(s.life, c, nil)
	}
	if !bytes.Equal(e.got.Bytes(), want) || s.consumed != uint64(len(want)) {
		t.Errorf("%d bytes, %d consumed, not %d", e.got.Len(), s.consumed, len(want))
	}
}
