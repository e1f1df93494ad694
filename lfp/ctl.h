/* SPDX-License-Identifier: Apache-2.0 */
/* ctl.h - the control channel between programs and their LFP instance */
#ifndef LFP_CTL_H
#define LFP_CTL_H

#include <stdint.h>

#include "lfp/frame.h"

/*
 * Programs and their LFP instance are on one machine: integers are in host order, addresses are
 * struct lfp_addr, errno numbers are the machine's.
 *
 * A program connects to the instance's SOCK_SEQPACKET socket RUN/vselfp/NN/ctl, sends one request
 * and waits for one answer. Requests on an existing socket carry its descriptor (SCM_RIGHTS):
 * possession is the right; nothing in the message names the socket. The connection is closed
 * after the answer. Only CONNECT with LFP_CTL_BLOCKING may be followed by a DETACH on the same
 * connection while it waits.
 *
 * The near end, the descriptor that a program holds, is an AF_UNIX stream socket bound by the
 * instance to the abstract name
 *
 *	"\0vselfp/NN/RRRRRRRRRRRRRRRR/IIIIIIIIIIIIIIII"
 *
 * NN is the instance, R.. its run (16 hex digits, drawn anew at each start), I.. the socket's id.
 * getsockname() on it tells any process, after fork, exec, dup or descriptor passing, that the
 * descriptor is LFP's. The name finds; it does not authorise.
 */
#define LFP_NAME_PREFIX     "\0vselfp/"
#define LFP_NAME_PREFIX_LEN 8u
/* Bytes of the name, with the leading NUL: prefix, NN, '/', 16, '/', 16. */
#define LFP_NAME_LEN (LFP_NAME_PREFIX_LEN + 2u + 1u + 16u + 1u + 16u)

#define LFP_CTL_MAGIC 0x4C465031u /* "LFP1" */
#define LFP_CTL_DATA  8192u	  /* most bytes behind the fixed part */

enum lfp_ctl_op {
	/* is the instance there and is its path up? value 0; error ENETDOWN if the path is not */
	LFP_CTL_PING = 1,
	/* a = family (AF_), b = type without flags, c = protocol -> the near end by SCM_RIGHTS */
	LFP_CTL_SOCKET,
	/* data = struct lfp_addr */
	LFP_CTL_BIND,
	/* data = struct lfp_addr; flag BLOCKING: answered when the connection is made or has failed,
	 * else at once (EINPROGRESS) */
	LFP_CTL_CONNECT,
	/* on the connection of a waiting CONNECT: let it go on by itself. The answer that comes back
	 * is CONNECT's own if it was under way, else error EINPROGRESS, or EALREADY if the CONNECT had
	 * joined another one */
	LFP_CTL_DETACH,
	/* a = backlog */
	LFP_CTL_LISTEN,
	/* a = SHUT_RD, SHUT_WR, SHUT_RDWR. Tells the instance and does what only it can do (a
	 * listener, ENOTCONN); value 1: the caller then calls shutdown(2) on the near end */
	LFP_CTL_SHUTDOWN,
	LFP_CTL_GETSOCKNAME, /* -> struct lfp_addr */
	LFP_CTL_GETPEERNAME, /* -> struct lfp_addr */
	LFP_CTL_GETSOCKOPT,  /* a = level, b = name, c = room -> value in host layout */
	LFP_CTL_SETSOCKOPT,  /* a = level, b = name, data = value in host layout */
	/* Why did the near end say end of file? error 0: the peer closed in order (or reading was
	 * shut down); ECONNRESET, ...: the connection was lost, told once; ENOTCONN, EINVAL, ... */
	LFP_CTL_WHY_EOF,
	/* value = bytes written by the program and not yet taken by the host's TCP */
	LFP_CTL_OUTQ,
	/* a = AI_ flags, b = family, c = type | protocol << 16, data = given (1 byte: bit 0 node, bit 1
	 * service), node NUL, service NUL -> value = EAI_ number, data = canonname NUL, then entries
	 * struct lfp_ctl_ai */
	LFP_CTL_GETADDRINFO,
	/* a = NI_ flags, data = struct lfp_addr -> value = EAI_, data = host NUL service NUL */
	LFP_CTL_GETNAMEINFO,
	/* a = family, data = name NUL -> value = h_errno, data = struct lfp_ctl_hostent */
	LFP_CTL_GETHOSTBYNAME,
	/* data = struct lfp_addr -> as GETHOSTBYNAME */
	LFP_CTL_GETHOSTBYADDR,
	LFP_CTL_GETHOSTNAME, /* -> text */
	LFP_CTL_GETHOSTID,   /* -> value = IPv4 address, network byte order */
};

#define LFP_CTL_BLOCKING 0x01u

struct lfp_ctl_request {
	uint32_t magic;
	uint16_t op;
	uint16_t flags;
	int32_t a;
	int32_t b;
	int32_t c;
	uint32_t len; /* bytes used in data */
	uint8_t data[LFP_CTL_DATA];
};

struct lfp_ctl_reply {
	uint32_t magic;
	int32_t error; /* 0 or a positive errno */
	int32_t value;
	uint32_t len;
	uint8_t data[LFP_CTL_DATA];
};

#define LFP_CTL_REQUEST_HEAD offsetof(struct lfp_ctl_request, data)
#define LFP_CTL_REPLY_HEAD   offsetof(struct lfp_ctl_reply, data)

/* An entry of GETADDRINFO's answer. */
struct lfp_ctl_ai {
	uint16_t kind; /* SOCK_STREAM ... */
	uint16_t protocol;
	struct lfp_addr addr;
};

/* GETHOSTBYNAME's answer: this, then addresses struct lfp_addr, then name NUL, aliases NUL each. */
struct lfp_ctl_hostent {
	uint32_t nr_addrs;
	uint32_t nr_aliases;
};

/*
 * An accept record: what travels on a listener's near end for each connection, with the near end
 * of the new socket by SCM_RIGHTS. A stream socket does not merge messages that carry rights, so
 * one recvmsg() of this size takes exactly one.
 */
struct lfp_accept_record {
	uint32_t magic; /* LFP_CTL_MAGIC */
	uint32_t reserved;
	struct lfp_addr peer;
	struct lfp_addr local;
	uint8_t pad[160 - 8 - 2 * sizeof(struct lfp_addr)];
};
_Static_assert(sizeof(struct lfp_accept_record) == 160, "a record has 160 bytes");

#endif
