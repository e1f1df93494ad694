// SPDX-License-Identifier: Apache-2.0
// option.go - socket options: those that netstack has, by level and name of Linux

package main

import (
	"syscall"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

// Sizes of buffers that Linux does not go below, as it tells them (net/core/sock.c).
const (
	sendLeast    = 4608
	receiveLeast = 2304
	sizeMost     = 4 << 20
	sizeDefault  = 256 << 10
	infoLength   = 232 // struct tcp_info
)

// A pair of functions for an option whose value is a number; set is nil if it can only be asked.
type option struct {
	get func(*sock) (int32, tcpip.Error)
	set func(*sock, int32) tcpip.Error
}

func flag(get func(*tcpip.SocketOptions) bool, set func(*tcpip.SocketOptions, bool)) option {
	return option{
		get: func(s *sock) (int32, tcpip.Error) { return number(get(s.ep.SocketOptions())), nil },
		set: func(s *sock, v int32) tcpip.Error { set(s.ep.SocketOptions(), v != 0); return nil },
	}
}

func number(set bool) int32 {
	if set {
		return 1
	}
	return 0
}

func told(value func(*sock) int32) option {
	return option{get: func(s *sock) (int32, tcpip.Error) { return value(s), nil }}
}

func integer(opt tcpip.SockOptInt) option {
	return option{
		get: func(s *sock) (int32, tcpip.Error) { v, err := s.ep.GetSockOptInt(opt); return int32(v), err },
		set: func(s *sock, v int32) tcpip.Error { return s.ep.SetSockOptInt(opt, int(v)) },
	}
}

// size: netstack has its own limits; the program is told what Linux would tell it, twice its number.
func size(name int, least int32, set func(*tcpip.SocketOptions, int64, bool)) option {
	return option{
		get: func(s *sock) (int32, tcpip.Error) {
			if v, given := s.sizes[name]; given {
				return v, nil
			}
			return sizeDefault, nil
		},
		set: func(s *sock, v int32) tcpip.Error {
			if v < 0 || v > sizeMost/2 {
				v = sizeMost / 2
			}
			if v *= 2; v < least {
				v = least
			}
			set(s.ep.SocketOptions(), int64(v), true)
			s.sizes[name] = v
			return nil
		},
	}
}

func seconds(get func(*sock) (time.Duration, tcpip.Error), set func(*sock, time.Duration) tcpip.Error) option {
	return option{
		get: func(s *sock) (int32, tcpip.Error) { d, err := get(s); return int32(d / time.Second), err },
		set: func(s *sock, v int32) tcpip.Error {
			if v < 1 || v > 32767 {
				return &tcpip.ErrInvalidOptionValue{}
			}
			return set(s, time.Duration(v)*time.Second)
		},
	}
}

type optionKey struct{ level, name int32 }

var options = map[optionKey]option{
	{syscall.SOL_SOCKET, syscall.SO_REUSEADDR}: flag((*tcpip.SocketOptions).GetReuseAddress, (*tcpip.SocketOptions).SetReuseAddress),
	{syscall.SOL_SOCKET, 15}:                   flag((*tcpip.SocketOptions).GetReusePort, (*tcpip.SocketOptions).SetReusePort),
	{syscall.SOL_SOCKET, syscall.SO_KEEPALIVE}: flag((*tcpip.SocketOptions).GetKeepAlive, (*tcpip.SocketOptions).SetKeepAlive),
	{syscall.SOL_SOCKET, syscall.SO_BROADCAST}: flag((*tcpip.SocketOptions).GetBroadcast, (*tcpip.SocketOptions).SetBroadcast),
	{syscall.SOL_SOCKET, syscall.SO_SNDBUF}:    size(syscall.SO_SNDBUF, sendLeast, (*tcpip.SocketOptions).SetSendBufferSize),
	{syscall.SOL_SOCKET, syscall.SO_RCVBUF}:    size(syscall.SO_RCVBUF, receiveLeast, (*tcpip.SocketOptions).SetReceiveBufferSize),
	{syscall.SOL_SOCKET, syscall.SO_TYPE}:      told(func(s *sock) int32 { return int32(s.kind) }),
	{syscall.SOL_SOCKET, syscall.SO_DOMAIN}: told(func(s *sock) int32 {
		return map[uint16]int32{familyIPv4: syscall.AF_INET, familyIPv6: syscall.AF_INET6}[s.family]
	}),
	{syscall.SOL_SOCKET, syscall.SO_PROTOCOL}: told(func(s *sock) int32 {
		return map[uint16]int32{kindStream: syscall.IPPROTO_TCP, kindDatagram: syscall.IPPROTO_UDP}[s.kind]
	}),
	{syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN}: told(func(s *sock) int32 { return number(s.listening) }),
	{syscall.SOL_SOCKET, syscall.SO_ERROR}: told(func(s *sock) int32 {
		if s.kind == kindDatagram {
			return int32(errnoOf(s.ep.LastError()))
		}
		return 0 // CONNECTED and RESET have told it
	}),
	{syscall.IPPROTO_TCP, syscall.TCP_NODELAY}: flag(func(o *tcpip.SocketOptions) bool { return !o.GetDelayOption() },
		func(o *tcpip.SocketOptions, v bool) { o.SetDelayOption(!v) }),
	{syscall.IPPROTO_TCP, syscall.TCP_CORK}:     flag((*tcpip.SocketOptions).GetCorkOption, (*tcpip.SocketOptions).SetCorkOption),
	{syscall.IPPROTO_TCP, syscall.TCP_QUICKACK}: flag((*tcpip.SocketOptions).GetQuickAck, (*tcpip.SocketOptions).SetQuickAck),
	{syscall.IPPROTO_TCP, syscall.TCP_MAXSEG}:   integer(tcpip.MaxSegOption),
	{syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT}:  integer(tcpip.KeepaliveCountOption),
	{syscall.IPPROTO_TCP, syscall.TCP_SYNCNT}:   integer(tcpip.TCPSynCountOption),
	{syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE}: seconds(
		func(s *sock) (time.Duration, tcpip.Error) {
			var o tcpip.KeepaliveIdleOption
			err := s.ep.GetSockOpt(&o)
			return time.Duration(o), err
		},
		func(s *sock, d time.Duration) tcpip.Error {
			o := tcpip.KeepaliveIdleOption(d)
			return s.ep.SetSockOpt(&o)
		}),
	{syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL}: seconds(
		func(s *sock) (time.Duration, tcpip.Error) {
			var o tcpip.KeepaliveIntervalOption
			err := s.ep.GetSockOpt(&o)
			return time.Duration(o), err
		},
		func(s *sock, d time.Duration) tcpip.Error {
			o := tcpip.KeepaliveIntervalOption(d)
			return s.ep.SetSockOpt(&o)
		}),
	{syscall.IPPROTO_IP, syscall.IP_TOS}:              integer(tcpip.IPv4TOSOption),
	{syscall.IPPROTO_IP, syscall.IP_TTL}:              integer(tcpip.IPv4TTLOption),
	{syscall.IPPROTO_IP, syscall.IP_MULTICAST_TTL}:    integer(tcpip.MulticastTTLOption),
	{syscall.IPPROTO_IP, syscall.IP_MULTICAST_LOOP}:   flag((*tcpip.SocketOptions).GetMulticastLoop, (*tcpip.SocketOptions).SetMulticastLoop),
	{syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY}:       flag((*tcpip.SocketOptions).GetV6Only, (*tcpip.SocketOptions).SetV6Only),
	{syscall.IPPROTO_IPV6, syscall.IPV6_UNICAST_HOPS}: integer(tcpip.IPv6HopLimitOption),
	{syscall.IPPROTO_IPV6, syscall.IPV6_TCLASS}:       integer(tcpip.IPv6TrafficClassOption),
}

func (s *sock) getOption(level, name int32) ([]byte, syscall.Errno) {
	switch (optionKey{level, name}) {
	case optionKey{syscall.SOL_SOCKET, syscall.SO_LINGER}:
		l := s.ep.SocketOptions().GetLinger()
		return be.AppendUint32(be.AppendUint32(nil, uint32(number(l.Enabled))), uint32(l.Timeout/time.Second)), 0
	case optionKey{syscall.IPPROTO_TCP, syscall.TCP_INFO}:
		return s.info()
	}
	o, known := options[optionKey{level, name}]
	if !known {
		return nil, syscall.ENOPROTOOPT
	}
	v, err := o.get(s)
	return be.AppendUint32(nil, uint32(v)), errnoOf(err)
}

// info: the fields of struct tcp_info that netstack has a value for.
func (s *sock) info() ([]byte, syscall.Errno) {
	var o tcpip.TCPInfoOption
	if err := s.ep.GetSockOpt(&o); err != nil {
		return nil, errnoOf(err)
	}
	b := make([]byte, infoLength)
	b[0] = stateOf(tcp.EndpointState(o.State))
	be.PutUint32(b[8:], uint32(o.RTO/time.Microsecond))
	be.PutUint32(b[68:], uint32(o.RTT/time.Microsecond))
	be.PutUint32(b[72:], uint32(o.RTTVar/time.Microsecond))
	be.PutUint32(b[76:], o.SndSsthresh)
	be.PutUint32(b[80:], o.SndCwnd)
	return b, 0
}

// stateOf returns the number of Linux (include/net/tcp_states.h).
func stateOf(state tcp.EndpointState) byte {
	switch state {
	case tcp.StateEstablished:
		return 1
	case tcp.StateSynSent, tcp.StateConnecting:
		return 2
	case tcp.StateSynRecv:
		return 3
	case tcp.StateFinWait1:
		return 4
	case tcp.StateFinWait2:
		return 5
	case tcp.StateTimeWait:
		return 6
	case tcp.StateCloseWait:
		return 8
	case tcp.StateLastAck:
		return 9
	case tcp.StateListen:
		return 10
	case tcp.StateClosing:
		return 11
	}
	return 7
}

func (s *sock) setOption(level, name int32, value []byte) syscall.Errno {
	why := s.tryOption(level, name, value)
	if why == 0 && s.kind == kindStream {
		again := func(s *sock) { _ = s.tryOption(level, name, value) }
		s.replay, s.inherited = append(s.replay, again), append(s.inherited, again)
	}
	return why
}

func (s *sock) tryOption(level, name int32, value []byte) syscall.Errno {
	switch (optionKey{level, name}) {
	case optionKey{syscall.SOL_SOCKET, syscall.SO_LINGER}:
		if len(value) < 8 {
			return syscall.EINVAL
		}
		s.ep.SocketOptions().SetLinger(tcpip.LingerOption{Enabled: be.Uint32(value) != 0,
			Timeout: time.Duration(be.Uint32(value[4:])&0x7fffffff) * time.Second})
		return 0
	case optionKey{syscall.IPPROTO_IP, syscall.IP_ADD_MEMBERSHIP}, optionKey{syscall.IPPROTO_IP, syscall.IP_DROP_MEMBERSHIP}:
		return s.membership(name == syscall.IP_ADD_MEMBERSHIP, value)
	}
	o, known := options[optionKey{level, name}]
	if !known || o.set == nil {
		return syscall.ENOPROTOOPT
	}
	switch {
	case len(value) >= 4:
		return errnoOf(o.set(s, int32(be.Uint32(value))))
	case len(value) >= 1 && level == syscall.IPPROTO_IP:
		return errnoOf(o.set(s, int32(value[0])))
	}
	return syscall.EINVAL
}

func (s *sock) membership(add bool, value []byte) syscall.Errno {
	if len(value) < 8 {
		return syscall.EINVAL
	}
	m := tcpip.MembershipOption{MulticastAddr: tcpip.Address(value[:4]), InterfaceAddr: tcpip.Address(value[4:8])}
	if isUnspecified(m.InterfaceAddr) {
		m.InterfaceAddr, m.NIC = "", deviceNIC
	}
	if add {
		o := tcpip.AddMembershipOption(m)
		return errnoOf(s.ep.SetSockOpt(&o))
	}
	o := tcpip.RemoveMembershipOption(m)
	return errnoOf(s.ep.SetSockOpt(&o))
}
