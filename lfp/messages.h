/* SPDX-License-Identifier: Apache-2.0 */
/* messages.h - the one description of the messages on a path */
#ifndef LFP_MESSAGES_H
#define LFP_MESSAGES_H

/*
 * All knowledge of the layout of messages comes from this page: the C structs and the decoder
 * (frame.h, frame.c), and the table in docs/protocol.md (protocol-table.c).
 *
 * LFP_MESSAGES(M) lists the messages:
 *
 *   M(NAME, struct, code, from, needs, text)
 *
 *   from	VSE (the LFP instance sends it), LFPD, or BOTH
 *   needs	header fields that must not be 0: SOCKET, REQUEST, TASK; an answer has the code of
 *		its request plus 0x80, and only an answer, CONNECTED and RESET carry a status
 *
 * LFP_FIELDS_struct(F, B) lists the fields of a message's body, in the order on the wire. F gets B:
 *
 *   F(B, kind, name, min, max, text)
 *
 *   u8 u16 u32 u64	unsigned, big-endian, min..max (both included) is checked
 *   i32		signed, as u32; min..max is checked
 *   name8		8 bytes ASCII, blank padded; a NUL-terminated string in C
 *   addr		28 bytes, struct lfp_addr
 *   text		u16 length and that many bytes (at most max) in the path's code page
 *   bytes		the rest of the frame, at least min and at most max bytes
 */

/* Tables of macros: clang-format would move every line. */
/* clang-format off */
#define LFP_MESSAGES(M)                                                                            \
	M(HELLO, hello, 0x01, VSE, REQUEST, "first frame of a path: names of the sender, and the limits it asks for") \
	M(HELLO_REPLY, hello_reply, 0x81, LFPD, REQUEST, "names of lfpd, and the limits of this path") \
	M(BYE, bye, 0x02, BOTH, NONE, "the sender ends the path; the text is the reason")               \
	M(TASK_BEGIN, task_begin, 0x03, VSE, REQUEST | TASK, "a task starts to use LFP")           \
	M(TASK_BEGIN_REPLY, empty, 0x83, LFPD, REQUEST | TASK, "EAGAIN: too many tasks")        \
	M(TASK_END, empty, 0x04, VSE, TASK, "the task has ended; its sockets remain while they are open") \
	M(TASK_WHO, task_who, 0x05, VSE, TASK, "after ASK_WHO: what the rules may know about the process of a task") \
	M(ASK_WHO, ask_who, 0x39, LFPD, NONE, "from now on TASK_WHO comes before each request that needs it") \
	M(SOCKET, socket, 0x10, VSE, SOCKET | REQUEST | TASK,                                      \
	  "makes a socket; the sender chooses its id: top bit 0, unique in the session") \
	M(SOCKET_REPLY, empty, 0x90, LFPD, SOCKET | REQUEST, "")                                   \
	M(BIND, bind, 0x11, VSE, SOCKET | REQUEST, "")                                             \
	M(BIND_REPLY, empty, 0x91, LFPD, SOCKET | REQUEST, "")                                     \
	M(CONNECT, connect, 0x12, VSE, SOCKET | REQUEST, "")                                       \
	M(CONNECT_REPLY, empty, 0x92, LFPD, SOCKET | REQUEST,                                      \
	  "the immediate result; CONNECTED follows only after EINPROGRESS")      \
	M(CONNECTED, empty, 0x13, LFPD, SOCKET, "the connection is established (status 0) or has failed") \
	M(LISTEN, listen, 0x14, VSE, SOCKET | REQUEST, "")                                         \
	M(LISTEN_REPLY, empty, 0x94, LFPD, SOCKET | REQUEST, "")                                   \
	M(ACCEPT, accept, 0x15, VSE, SOCKET, "asks a listener for more connections") \
	M(ACCEPTED, accepted, 0x16, LFPD, SOCKET, "a connection of the listener in the header")    \
	M(SHUTDOWN, shutdown, 0x17, BOTH, SOCKET,                                                  \
	  "after the data sent so far: end of file in this direction; read: the sender wants no more data") \
	M(CLOSE, close, 0x18, VSE, SOCKET | REQUEST, "after the data sent so far: the program has closed the socket") \
	M(CLOSE_REPLY, empty, 0x98, LFPD, SOCKET | REQUEST, "the last frame with this socket's id") \
	M(RESET, empty, 0x19, LFPD, SOCKET,                                                        \
	  "the connection is lost, the status is the reason; CLOSE still follows")           \
	M(GETSOCKNAME, empty, 0x1a, VSE, SOCKET | REQUEST, "")                                     \
	M(GETSOCKNAME_REPLY, name, 0x9a, LFPD, SOCKET | REQUEST, "")                               \
	M(GETPEERNAME, empty, 0x1b, VSE, SOCKET | REQUEST, "")                                     \
	M(GETPEERNAME_REPLY, name, 0x9b, LFPD, SOCKET | REQUEST, "")                               \
	M(GETSOCKOPT, getsockopt, 0x1c, VSE, SOCKET | REQUEST, "")                                 \
	M(GETSOCKOPT_REPLY, value, 0x9c, LFPD, SOCKET | REQUEST, "")                               \
	M(SETSOCKOPT, setsockopt, 0x1d, VSE, SOCKET | REQUEST, "")                                 \
	M(SETSOCKOPT_REPLY, empty, 0x9d, LFPD, SOCKET | REQUEST, "")                               \
	M(DATA, data, 0x1e, BOTH, SOCKET, "data of a stream")                                      \
	M(WINDOW, window, 0x1f, BOTH, SOCKET, "bytes that the receiver has consumed; opens the sender's window") \
	M(GETADDRINFO, getaddrinfo, 0x20, VSE, REQUEST, "")                                        \
	M(GETADDRINFO_REPLY, getaddrinfo_reply, 0xa0, LFPD, REQUEST, "")                           \
	M(GETNAMEINFO, getnameinfo, 0x21, VSE, REQUEST, "")                                        \
	M(GETNAMEINFO_REPLY, getnameinfo_reply, 0xa1, LFPD, REQUEST, "")                           \
	M(GETHOSTBYNAME, gethostbyname, 0x22, VSE, REQUEST, "")                                    \
	M(GETHOSTBYNAME_REPLY, hostent, 0xa2, LFPD, REQUEST, "")                                   \
	M(GETHOSTBYADDR, gethostbyaddr, 0x23, VSE, REQUEST, "")                                    \
	M(GETHOSTBYADDR_REPLY, hostent, 0xa3, LFPD, REQUEST, "")                                   \
	M(GETHOSTNAME, empty, 0x24, VSE, REQUEST, "")                                              \
	M(GETHOSTNAME_REPLY, gethostname_reply, 0xa4, LFPD, REQUEST, "")                           \
	M(OUTQ, empty, 0x28, VSE, SOCKET | REQUEST, "asks for the bytes that the host's TCP has not yet delivered") \
	M(OUTQ_REPLY, outq, 0xa8, LFPD, SOCKET | REQUEST, "follows a WINDOW with all bytes consumed so far") \
	M(GETHOSTID, empty, 0x25, VSE, REQUEST, "")                                                \
	M(GETHOSTID_REPLY, gethostid_reply, 0xa5, LFPD, REQUEST, "")                               \
	M(GETIFADDRS, empty, 0x26, VSE, REQUEST, "asks for the interfaces with z/VSE's addresses") \
	M(GETIFADDRS_REPLY, getifaddrs_reply, 0xa6, LFPD, REQUEST, "")                             \
	M(SENT, empty, 0x29, VSE, SOCKET | REQUEST, "asks for the result of the datagrams sent so far")    \
	M(SENT_REPLY, empty, 0xa9, LFPD, SOCKET | REQUEST,                                         \
	  "status: error of the last datagram that failed since the last SENT")                 \
	M(ERRQUEUE, empty, 0x2a, VSE, SOCKET | REQUEST, "takes the first entry of the error queue") \
	M(ERRQUEUE_REPLY, errqueue, 0xaa, LFPD, SOCKET | REQUEST, "EAGAIN: the queue is empty")         \
	M(TAKEN, empty, 0x2b, VSE, SOCKET | TASK, "this task owns the socket from now on")         \
	M(DATAGRAM, datagram, 0x30, BOTH, SOCKET, "a datagram, or a part of a datagram")                  \
	M(DATAGRAM_ERROR, datagram_error, 0x31, LFPD, SOCKET,                                      \
	  "the socket has an error, mostly from ICMP: the program's next call fails")  \
	M(SUSPEND, empty, 0x35, LFPD, NONE, "lfpd is about to end and to be resumed: SUSPENDED follows") \
	M(SUSPENDED, empty, 0x37, BOTH, NONE, "the last frame of its sender on this path")         \
	M(RESUME, resume, 0x36, VSE, SOCKET | REQUEST, "a socket of the resumed session that the sender has") \
	M(RESUME_REPLY, resume, 0xb6, LFPD, SOCKET | REQUEST,                                      \
	  "0: the socket continues; ECONNRESET: it is reset; EBADF: lfpd does not have it")          \
	M(RESUMED, empty, 0x38, VSE, REQUEST, "all sockets were named; the others end")   \
	M(RESUMED_REPLY, empty, 0xb8, LFPD, REQUEST, "the session continues")

/* The bodies; a struct listed here may serve several messages. */
#define LFP_BODIES(B)                                                                              \
	B(empty) B(hello) B(hello_reply) B(bye) B(task_begin) B(socket) B(bind) B(connect)         \
	B(listen) B(accept) B(accepted) B(shutdown) B(close) B(name) B(getsockopt) B(value)        \
	B(setsockopt) B(data) B(window) B(getaddrinfo) B(getaddrinfo_reply) B(getnameinfo)         \
	B(getnameinfo_reply) B(gethostbyname) B(gethostbyaddr) B(hostent) B(gethostname_reply)     \
	B(gethostid_reply) B(getifaddrs_reply) B(outq) B(datagram) B(datagram_error) B(errqueue)      \
	B(resume) B(task_who) B(ask_who)

#define LFP_FIELDS_empty(F, B)

#define LFP_FIELDS_hello(F, B)                                                                     \
	F(B, u16, version, 1, 65535, "protocol version wanted, 1")                                 \
	F(B, u16, threshold, 1, 100, "percent of the window after which a WINDOW is sent")       \
	F(B, u32, features, 0, UINT32_MAX, "bits of the features offered; bit 4: resuming, bit 5: epochs, bit 6: WHO, bit 7: USER") \
	F(B, u64, session, 0, UINT64_MAX, "0: a new session; else the one to resume")              \
	F(B, u32, mtu, 1024, 65536, "largest packet that the sender accepts, bytes")                 \
	F(B, u32, msglimit, 1, 65535, "unacknowledged packets with data that the sender accepts")    \
	F(B, u32, window, 4096, 16777216, "unconsumed bytes of one socket that the sender accepts")  \
	F(B, name8, vmid, 0, 0, "z/VM user id of the sender")                                      \
	F(B, name8, appname, 0, 0, "IUCV application name of the sender")                          \
	F(B, name8, dest_vmid, 0, 0, "z/VM user id of the intended receiver")                \
	F(B, name8, dest_appname, 0, 0, "IUCV application name of the intended receiver")

#define LFP_FIELDS_hello_reply(F, B)                                                               \
	F(B, u16, version, 1, 65535, "protocol version of this path")                                \
	F(B, u16, threshold, 1, 100, "as in HELLO")                                                \
	F(B, u32, features, 0, UINT32_MAX, "bits of the features in use")                       \
	F(B, u64, session, 0, UINT64_MAX, "id of the session, needed to resume it")                    \
	F(B, u32, mtu, 1024, 65536, "as in HELLO; the smaller one applies")                          \
	F(B, u32, msglimit, 1, 65535, "as in HELLO; the smaller one applies")                        \
	F(B, u32, window, 4096, 16777216, "as in HELLO; the receiver's applies to each direction")        \
	F(B, name8, vmid, 0, 0, "z/VM user id of the sender")                                      \
	F(B, name8, appname, 0, 0, "IUCV application name of the sender")                          \
	F(B, text, codepage, 0, 32, "iconv name of the path's code page; itself ASCII")

#define LFP_FIELDS_bye(F, B) F(B, text, reason, 0, 256, "for people; ASCII")

#define LFP_FIELDS_task_begin(F, B)                                                                \
	F(B, u32, pid, 0, UINT32_MAX, "process id on the z/VSE side, 0 if unknown")                \
	F(B, u32, uid, 0, UINT32_MAX, "its user id")                                               \
	F(B, u16, id, 0, 65535, "task id that operators see, shown as hex digits, such as 2E")     \
	F(B, name8, partition, 0, 0, "partition id, such as Z1")                                   \
	F(B, text, program, 0, 64, "name of the program")

#define LFP_FIELDS_task_who(F, B)                                                                  \
	F(B, u16, known, 0, 3, "bit 0: the program is known, bit 1: these are all groups")         \
	F(B, u32, uid, 0, UINT32_MAX, "effective user id")                                         \
	F(B, text, program, 0, 4096, "path of the executable, in bytes of the file system")        \
	F(B, bytes, groups, 0, 65536, "group ids, each u32")

#define LFP_FIELDS_ask_who(F, B) F(B, u16, parts, 0, 3, "as `known` of TASK_WHO: what to find out beside the user")

#define LFP_FIELDS_socket(F, B)                                                                    \
	F(B, u16, family, 0, 65535, "2 is IPv4, 19 is IPv6")                                       \
	F(B, u16, kind, 0, 65535,                                                                  \
	  "1 is a stream, 2 datagrams, 3 raw, 17 a stream for later: EBUSY if these have a quarter " \
	  "of what the others leave of a limit")                                                                               \
	F(B, u16, protocol, 0, 65535, "as in the IP header; 0 is the default")

#define LFP_FIELDS_bind(F, B) F(B, addr, local, 0, 0, "")
#define LFP_FIELDS_connect(F, B) F(B, addr, peer, 0, 0, "family 0 (AF_UNSPEC) disconnects")
#define LFP_FIELDS_listen(F, B) F(B, i32, backlog, INT32_MIN, INT32_MAX, "")
#define LFP_FIELDS_accept(F, B) F(B, u32, count, 1, 65535, "added to the earlier requests")

#define LFP_FIELDS_accepted(F, B)                                                                  \
	F(B, u64, id, 1, UINT64_MAX, "id of the new socket: top bit 1, unique in the session") \
	F(B, addr, peer, 0, 0, "")                                                                 \
	F(B, addr, local, 0, 0, "")

#define LFP_FIELDS_shutdown(F, B)                                                                  \
	F(B, u8, how, 0, 2, "0 read, 1 write, 2 both")                                             \
	F(B, u64, position, 0, UINT64_MAX, "bytes that the sender has sent on this socket")

#define LFP_FIELDS_close(F, B)                                                                     \
	F(B, u8, how, 0, 1, "0 orderly; 1 abort: data was left unread, and the peer gets a reset")    \
	F(B, u64, received, 0, UINT64_MAX, "bytes of this socket that the program's side has received")

#define LFP_FIELDS_name(F, B) F(B, addr, addr, 0, 0, "")

#define LFP_FIELDS_getsockopt(F, B)                                                                \
	F(B, i32, level, INT32_MIN, INT32_MAX, "numbers of Linux (asm-generic)")                   \
	F(B, i32, name, INT32_MIN, INT32_MAX, "")                                                  \
	F(B, u32, length, 0, 4096, "room for the value, bytes")

#define LFP_FIELDS_value(F, B)                                                                     \
	F(B, bytes, value, 0, 4096, "layout: see sockopt.h")

#define LFP_FIELDS_setsockopt(F, B)                                                                \
	F(B, i32, level, INT32_MIN, INT32_MAX, "")                                                 \
	F(B, i32, name, INT32_MIN, INT32_MAX, "")                                                  \
	F(B, bytes, value, 0, 4096, "")

#define LFP_FIELDS_data(F, B)                                                                      \
	F(B, u64, position, 0, UINT64_MAX, "bytes sent before these in this direction")            \
	F(B, bytes, payload, 1, LFP_PAYLOAD_MAX, "flag MORE: the same write continues in the next frame; flag URGENT: one urgent byte")

#define LFP_FIELDS_window(F, B)                                                                    \
	F(B, u64, consumed, 0, UINT64_MAX, "bytes consumed since the socket was made")

#define LFP_FIELDS_getaddrinfo(F, B)                                                               \
	F(B, u32, flags, 0, UINT32_MAX, "AI_ flags of Linux")                                      \
	F(B, u16, family, 0, 65535, "0 is any")                                                    \
	F(B, u16, kind, 0, 65535, "0 is any")                                                      \
	F(B, u16, protocol, 0, 65535, "")                                                          \
	F(B, u8, given, 0, 3, "bit 0: a node is given, bit 1: a service is given")                 \
	F(B, text, node, 0, 1024, "")                                                              \
	F(B, text, service, 0, 256, "")

#define LFP_FIELDS_getaddrinfo_reply(F, B)                                                         \
	F(B, i32, error, INT32_MIN, 0, "EAI_ number of Linux, 0 is success")                       \
	F(B, text, canonname, 0, 1024, "empty if none")                                            \
	F(B, bytes, entries, 0, 65536, "each kind u16, protocol u16, addr 28 bytes")

#define LFP_FIELDS_getnameinfo(F, B)                                                               \
	F(B, addr, addr, 0, 0, "")                                                                 \
	F(B, u32, flags, 0, UINT32_MAX, "NI_ flags of Linux")

#define LFP_FIELDS_getnameinfo_reply(F, B)                                                         \
	F(B, i32, error, INT32_MIN, 0, "EAI_ number of Linux, 0 is success")                       \
	F(B, text, host, 0, 1025, "")                                                              \
	F(B, text, service, 0, 256, "")

#define LFP_FIELDS_gethostbyname(F, B)                                                             \
	F(B, u16, family, 0, 65535, "2 or 19")                                                     \
	F(B, text, name, 0, 1024, "")

#define LFP_FIELDS_gethostbyaddr(F, B) F(B, addr, addr, 0, 0, "the port is not used")

#define LFP_FIELDS_hostent(F, B)                                                                   \
	F(B, u32, h_errno_, 0, 255, "0 is success, else HOST_NOT_FOUND 1 and so on")               \
	F(B, u8, aliases, 0, 64, "names after the first")                                \
	F(B, text, name, 0, 1024, "")                                                              \
	F(B, bytes, rest, 0, 65536, "the aliases, each u16 length and text; then addresses of 28 bytes")

#define LFP_FIELDS_gethostname_reply(F, B) F(B, text, name, 0, 256, "")
#define LFP_FIELDS_outq(F, B)                                                                      \
	F(B, u32, unacked, 0, UINT32_MAX, "bytes of the host's socket that its peer has not acknowledged") \
	F(B, u32, unsent, 0, UINT32_MAX, "of those, the bytes not yet sent")

#define LFP_FIELDS_gethostid_reply(F, B) F(B, u32, id, 0, UINT32_MAX, "IPv4 address of VSE_HOSTID, 0 if none")

#define LFP_FIELDS_getifaddrs_reply(F, B)                                                          \
	F(B, u16, links, 0, 1024, "number of interfaces")                                    \
	F(B, bytes, rest, 0, 65536,                                                                \
	  "the interfaces, each index u32, flags u32, MTU u32, ARPHRD_ number of Linux u16, hardware " \
	  "address of u16 length, name of u16 length; then addresses, each index of its interface u32, " \
	  "bits of its prefix u8, address 28 bytes, broadcast address or peer 28 bytes")

#define LFP_FIELDS_datagram(F, B)                                                                  \
	F(B, u64, position, 0, UINT64_MAX, "bytes that the earlier datagrams of this direction count") \
	F(B, u32, total, 0, 65535, "payload of the whole datagram, bytes")                         \
	F(B, u32, offset, 0, 65535, "offset of this part in the datagram")                                \
	F(B, addr, addr, 0, 0, "from lfpd the sender; from z/VSE the receiver, family 0: the peer") \
	F(B, u16, has, 0, 8191, "bits of the following fields that are set, see lfp/datagram.h")           \
	F(B, u8, ttl, 0, 255, "time to live, hop limit")                                           \
	F(B, u8, tos, 0, 255, "type of service, traffic class")                                    \
	F(B, u32, ifindex, 0, UINT32_MAX, "interface")                                             \
	F(B, addr, local, 0, 0, "from lfpd the destination in the header; from z/VSE the source")  \
	F(B, u32, spec, 0, UINT32_MAX, "ipi_spec_dst of IP_PKTINFO; the MTU of IPV6_PATHMTU")      \
	F(B, u32, drops, 0, UINT32_MAX, "SO_RXQ_OVFL")                                             \
	F(B, u16, segment, 0, 65535, "from lfpd UDP_GRO, from z/VSE UDP_SEGMENT, bytes")           \
	F(B, bytes, payload, 0, 65535, "empty only if the whole datagram is")

#define LFP_FIELDS_datagram_error(F, B) F(B, u16, error, 1, LFP_STATUS_MAX, "errno number of Linux")

#define LFP_FIELDS_errqueue(F, B)                                                                  \
	F(B, u32, error, 0, LFP_STATUS_MAX, "the fields of struct sock_extended_err, from here")   \
	F(B, u8, origin, 0, 255, "")                                                               \
	F(B, u8, type, 0, 255, "")                                                                 \
	F(B, u8, code, 0, 255, "")                                                                 \
	F(B, u32, info, 0, UINT32_MAX, "")                                                         \
	F(B, u32, data, 0, UINT32_MAX, "to here")                                                  \
	F(B, addr, dest, 0, 0, "destination of the datagram")                                   \
	F(B, addr, offender, 0, 0, "sender of the error")                                              \
	F(B, bytes, payload, 0, 576, "first bytes of the datagram")

#define LFP_FIELDS_resume(F, B)                                                                    \
	F(B, u64, sent, 0, UINT64_MAX, "position after the last byte that the sender has sent on this socket")  \
	F(B, u64, received, 0, UINT64_MAX, "position after the last byte that it has received")

/*
 * Codes reserved for later messages, so that they need no new version of the protocol. A side uses
 * them only if both sides offered the feature in HELLO.
 *
 *   K(code, name, feature bit, text)
 */
#define LFP_KEPT_MESSAGES(K)                                                                       \
	K(0x32, GIVESOCKET, 2, "socket and receiving task")                                            \
	K(0x33, TAKESOCKET, 2, "socket and giving task")                                          \
	K(0x34, ISOLATE, 3, "a task's sockets are private to it and end with it")

#endif
