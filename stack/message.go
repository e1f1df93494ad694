// SPDX-License-Identifier: Apache-2.0
// message.go - codes of messages, addresses, and errno numbers of netstack's errors

package main

import (
	"syscall"

	"gvisor.dev/gvisor/pkg/tcpip"
)

// docs/protocol.md, "Messages"
const (
	msgHello         = 0x01
	msgBye           = 0x02
	msgTaskBegin     = 0x03
	msgTaskEnd       = 0x04
	msgSocket        = 0x10
	msgBind          = 0x11
	msgConnect       = 0x12
	msgConnected     = 0x13
	msgListen        = 0x14
	msgAccept        = 0x15
	msgAccepted      = 0x16
	msgShutdown      = 0x17
	msgClose         = 0x18
	msgReset         = 0x19
	msgGetsockname   = 0x1a
	msgGetpeername   = 0x1b
	msgGetsockopt    = 0x1c
	msgSetsockopt    = 0x1d
	msgData          = 0x1e
	msgWindow        = 0x1f
	msgGetaddrinfo   = 0x20
	msgGetnameinfo   = 0x21
	msgGethostbyname = 0x22
	msgGethostbyaddr = 0x23
	msgGethostname   = 0x24
	msgGethostid     = 0x25
	msgGetifaddrs    = 0x26
	msgOutq          = 0x28
	msgSent          = 0x29
	msgErrqueue      = 0x2a
	msgTaken         = 0x2b
	msgDatagram      = 0x30
	msgDatagramError = 0x31
	reply            = 0x80
)

// Families on the wire.
const (
	familyNone = 0
	familyIPv4 = 2
	familyIPv6 = 19
)

// wireAddr is an address as it travels: family 0 for none.
type wireAddr struct {
	family uint16
	full   tcpip.FullAddress
	scope  uint32
}

func (r *reader) addr() wireAddr {
	a := wireAddr{family: r.u16()}
	a.full.Port = r.u16()
	r.u32() // flow information
	ip := r.bytes(16)
	a.scope = r.u32()
	switch a.family {
	case familyIPv4:
		a.full.Addr = tcpip.Address(ip[:4])
	case familyIPv6:
		a.full.Addr = tcpip.Address(ip)
	case familyNone:
	default:
		r.bad = true
	}
	if isUnspecified(a.full.Addr) {
		a.full.Addr = "" // netstack's word for any address
	}
	return a
}

func isUnspecified(a tcpip.Address) bool {
	for i := 0; i < len(a); i++ {
		if a[i] != 0 {
			return false
		}
	}
	return true
}

func appendAddr(b []byte, family uint16, full tcpip.FullAddress) []byte {
	var ip [16]byte
	a := full.Addr
	if family == familyIPv6 && len(a) == 4 {
		a = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff" + a
	}
	copy(ip[:], a)
	b = be.AppendUint16(b, family)
	b = be.AppendUint16(b, full.Port)
	b = be.AppendUint32(b, 0)
	b = append(b, ip[:]...)
	return be.AppendUint32(b, 0)
}

// errno returns the number of Linux for an error of netstack; 0 for none.
func errno(err tcpip.Error) uint16 {
	return uint16(errnoOf(err))
}

func errnoOf(err tcpip.Error) syscall.Errno {
	switch err.(type) {
	case nil:
		return 0
	case *tcpip.ErrAborted, *tcpip.ErrClosedForSend:
		return syscall.EPIPE
	case *tcpip.ErrAddressFamilyNotSupported:
		return syscall.EAFNOSUPPORT
	case *tcpip.ErrAlreadyBound, *tcpip.ErrInvalidEndpointState, *tcpip.ErrInvalidOptionValue, *tcpip.ErrBadBuffer:
		return syscall.EINVAL
	case *tcpip.ErrAlreadyConnected:
		return syscall.EISCONN
	case *tcpip.ErrAlreadyConnecting:
		return syscall.EALREADY
	case *tcpip.ErrBadAddress, *tcpip.ErrBadLocalAddress:
		return syscall.EADDRNOTAVAIL
	case *tcpip.ErrBroadcastDisabled:
		return syscall.EACCES
	case *tcpip.ErrConnectStarted:
		return syscall.EINPROGRESS
	case *tcpip.ErrConnectionAborted:
		return syscall.ECONNABORTED
	case *tcpip.ErrConnectionRefused:
		return syscall.ECONNREFUSED
	case *tcpip.ErrConnectionReset:
		return syscall.ECONNRESET
	case *tcpip.ErrDestinationRequired:
		return syscall.EDESTADDRREQ
	case *tcpip.ErrHostUnreachable:
		return syscall.EHOSTUNREACH
	case *tcpip.ErrMessageTooLong:
		return syscall.EMSGSIZE
	case *tcpip.ErrNetworkUnreachable:
		return syscall.ENETUNREACH
	case *tcpip.ErrNoBufferSpace:
		return syscall.ENOBUFS
	case *tcpip.ErrNoPortAvailable:
		return syscall.EAGAIN
	case *tcpip.ErrNotConnected:
		return syscall.ENOTCONN
	case *tcpip.ErrNotPermitted:
		return syscall.EPERM
	case *tcpip.ErrNotSupported, *tcpip.ErrQueueSizeNotSupported:
		return syscall.EOPNOTSUPP
	case *tcpip.ErrPortInUse:
		return syscall.EADDRINUSE
	case *tcpip.ErrTimeout:
		return syscall.ETIMEDOUT
	case *tcpip.ErrUnknownDevice, *tcpip.ErrUnknownNICID:
		return syscall.ENODEV
	case *tcpip.ErrUnknownProtocol:
		return syscall.EPROTONOSUPPORT
	case *tcpip.ErrUnknownProtocolOption:
		return syscall.ENOPROTOOPT
	case *tcpip.ErrWouldBlock:
		return syscall.EAGAIN
	}
	return syscall.EIO
}
