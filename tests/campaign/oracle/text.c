/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - calls and events as text */
#include "tests/campaign/oracle/oracle.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

const struct option options[] = {
	{"SO_ERROR", SOL_SOCKET, SO_ERROR, false},
	{"SO_TYPE", SOL_SOCKET, SO_TYPE, false},
	{"SO_DOMAIN", SOL_SOCKET, SO_DOMAIN, false},
	{"SO_PROTOCOL", SOL_SOCKET, SO_PROTOCOL, false},
	{"SO_ACCEPTCONN", SOL_SOCKET, SO_ACCEPTCONN, false},
	{"SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR, false},
	{"SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE, false},
	{"SO_BROADCAST", SOL_SOCKET, SO_BROADCAST, false},
	{"SO_LINGER", SOL_SOCKET, SO_LINGER, true},
	{"TCP_NODELAY", IPPROTO_TCP, TCP_NODELAY, false},
	{"TCP_KEEPIDLE", IPPROTO_TCP, TCP_KEEPIDLE, false},
	{"IP_TTL", IPPROTO_IP, IP_TTL, false},
	{"IP_TOS", IPPROTO_IP, IP_TOS, false},
	{"IPV6_V6ONLY", IPPROTO_IPV6, IPV6_V6ONLY, false},
	{"IPV6_UNICAST_HOPS", IPPROTO_IPV6, IPV6_UNICAST_HOPS, false},
	{"SO_OOBINLINE", SOL_SOCKET, SO_OOBINLINE, false},
	{"SO_RCVLOWAT", SOL_SOCKET, SO_RCVLOWAT, false},
	{"number 999", SOL_SOCKET, 999, false},
};
const unsigned int nr_options = sizeof(options) / sizeof(*options);

const int recv_flags[8] = {0,
			   MSG_DONTWAIT,
			   MSG_PEEK | MSG_DONTWAIT,
			   MSG_TRUNC | MSG_DONTWAIT,
			   MSG_WAITALL,
			   MSG_PEEK,
			   MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT,
			   MSG_OOB};
const int send_flags[4] = {0, MSG_DONTWAIT, MSG_DONTROUTE, MSG_OOB};

static const char *const recv_flag_names[] = {
	"0",       "DONTWAIT", "PEEK|DONTWAIT",       "TRUNC|DONTWAIT",
	"WAITALL", "PEEK",     "PEEK|TRUNC|DONTWAIT", "OOB"};
static const char *const send_flag_names[] = {"0", "DONTWAIT", "DONTROUTE", "OOB"};

static const char *const names[OP_CODES] = {
	[OP_SOCKET] = "socket",
	[OP_BIND] = "bind",
	[OP_LISTEN] = "listen",
	[OP_CONNECT] = "connect",
	[OP_ACCEPT] = "accept",
	[OP_SEND] = "send",
	[OP_SENDTO] = "sendto",
	[OP_WRITE] = "write",
	[OP_RECV] = "recv",
	[OP_RECVFROM] = "recvfrom",
	[OP_READ] = "read",
	[OP_SHUTDOWN] = "shutdown",
	[OP_CLOSE] = "close",
	[OP_DUP] = "dup",
	[OP_NONBLOCK] = "nonblock",
	[OP_GETSOCKNAME] = "getsockname",
	[OP_GETPEERNAME] = "getpeername",
	[OP_GETSOCKOPT] = "getsockopt",
	[OP_SETSOCKOPT] = "setsockopt",
	[OP_FIONREAD] = "FIONREAD",
	[OP_POLL] = "poll",
	[OP_SELECT] = "select",
	[OP_EPOLL_CREATE] = "epoll_create",
	[OP_EPOLL_CTL] = "epoll_ctl",
	[OP_EPOLL_WAIT] = "epoll_wait",
	[OP_FORK] = "fork",
	[OP_PASS] = "pass",
	[OP_ATMARK] = "SIOCATMARK",
	[OP_USER] = "user",
};

static const char *target_text(const struct op *op)
{
	static const char *const kinds[] = {"nobody", "AF_UNSPEC", "other family",
					    "short",  "port 0",    "wildcard"};
	static char text[24];

	if (op->other >= SLOTS)
		return op->other < TO_KINDS ? kinds[op->other - SLOTS] : "?";
	snprintf(text, sizeof(text), "port of %c%u", op->b ? 'B' : 'A', op->other);
	return text;
}

size_t events_text(unsigned int events, char *text, size_t room)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} bits[] = {{EPOLLIN, " IN"},           {EPOLLPRI, " PRI"},
		    {EPOLLOUT, " OUT"},         {EPOLLERR, " ERR"},
		    {EPOLLHUP, " HUP"},         {POLLNVAL, " NVAL"},
		    {EPOLLRDHUP, " RDHUP"},     {EPOLLET, " ET"},
		    {EPOLLONESHOT, " ONESHOT"}, {EPOLLEXCLUSIVE, " EXCLUSIVE"}};
	size_t len = 0;

	*text = 0;
	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		if (events & bits[i].bit && len < room)
			len += (size_t)snprintf(text + len, room - len, "%s", bits[i].name + !len);
	return len < room ? len : room - 1;
}

static size_t arguments_text(const struct op *op, char *text, size_t room)
{
	static const char *const ctl[] = {"?", "ADD", "DEL", "MOD"};
	char events[80];
	int n = 0;

	switch (op->code) {
	case OP_SOCKET:
		n = snprintf(text, room, " %s%s%s", op->a & 1 ? "udp" : "tcp",
			     op->a & 2 ? "6" : "4", op->a & 4 ? " NONBLOCK" : "");
		break;
	case OP_BIND:
	case OP_CONNECT:
		n = snprintf(text, room, " to %s", target_text(op));
		break;
	case OP_LISTEN:
		n = snprintf(text, room, " %u", op->a);
		break;
	case OP_SENDTO:
		n = snprintf(text, room, " %u to %s", op->len, target_text(op));
		break;
	case OP_SEND:
		n = snprintf(text, room, " %u %s", op->len, send_flag_names[op->a % 4]);
		break;
	case OP_WRITE:
	case OP_READ:
		n = snprintf(text, room, " %u%s", op->len, op->a & 1 ? " vector" : "");
		break;
	case OP_RECV:
	case OP_RECVFROM:
		n = snprintf(text, room, " %u %s", op->len, recv_flag_names[op->a % 8]);
		break;
	case OP_ACCEPT:
		n = snprintf(text, room, " as %u%s", op->other, op->a & 1 ? " NONBLOCK" : "");
		break;
	case OP_DUP:
		n = snprintf(text, room, " as %u%s", op->other, op->a & 1 ? " by dup2" : "");
		break;
	case OP_PASS:
		n = snprintf(text, room, " to %u of the other process", op->other);
		break;
	case OP_SHUTDOWN:
	case OP_NONBLOCK:
		n = snprintf(text, room, " %u", op->a);
		break;
	case OP_GETSOCKOPT:
		n = snprintf(text, room, " %s", options[op->a % nr_options].name);
		break;
	case OP_SETSOCKOPT:
		n = snprintf(text, room, " %s %u%s", options[op->a % nr_options].name, op->b,
			     op->len == 1 ? " of 1 byte" : "");
		break;
	case OP_POLL:
		events_text(op->len, events, sizeof(events));
		n = snprintf(text, room, " for %s", events);
		break;
	case OP_EPOLL_CTL:
		events_text(op->len | (uint32_t)op->b << 24, events, sizeof(events));
		n = snprintf(text, room, " %s %u %s", ctl[op->a % 4], op->other, events);
		break;
	}
	return n < 0 ? 0 : (size_t)n;
}

size_t op_text(const struct op *op, char *text, size_t room)
{
	size_t len = (size_t)snprintf(text, room, "%c%s %s %u", op->process ? 'B' : 'A',
				      op->behind ? "&" : "",
				      op->code < OP_CODES ? names[op->code] : "?", op->slot);

	return len + arguments_text(op, text + len, room - len);
}
