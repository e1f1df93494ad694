/* SPDX-License-Identifier: Apache-2.0 */
/* hook-socket.c - socket, bind, listen, shutdown */
#include <netinet/in.h>
#include <string.h>

#include "libvsesock/core/credit.h"
#include "libvsesock/core/fresh.h"
#include "libvsesock/core/known.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/near.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/preload/listeners.h"
#include "libvsesock/strict/strict.h"

#define SOCK_TYPE_MASK 0xf /* the kernel's: flags are above it */

_Static_assert(SOCK_NONBLOCK == O_NONBLOCK && SOCK_CLOEXEC == O_CLOEXEC, "one set of flags");

int near_call(int fd, const char *nn, enum lfp_ctl_op op, int32_t a)
{
	struct ctl_call call = {.nn = nn, .op = (uint16_t)op, .a = a, .fd = fd};
	int rc = ctl_call(&call);

	return rc < 0 ? rc : call.value;
}

/* At most one descriptor may be free. Make this one first; it becomes the near end. */
static int take_last(struct ctl_call *call, int type)
{
	int rc;

	call->fd = raw_socket(AF_UNIX, type, 0);
	if (call->fd < 0)
		return call->fd;
	rc = ctl_call(call);
	if (!rc)
		return call->fd;
	raw_close(call->fd);
	return rc;
}

/* Returns true for a CICS-style task: its sockets are its own from the start, and end with it. */
static bool is_of_cics_task(const char *nn)
{
	uint16_t flags = 0;

	return ctl_task && ctl_task(nn, &flags);
}

int hook_socket(int family, int type, int protocol)
{
	struct ctl_call call = {
		.nn = place_now(),
		.op = LFP_CTL_SOCKET,
		.a = family,
		.b = type & SOCK_TYPE_MASK,
		.c = protocol,
		.fd = -1,
	};
	int flags = type & ~SOCK_TYPE_MASK;
	bool earns;
	long rc;

	/* No Internet socket of any type is made in the program's own network. */
	if (family != AF_INET && family != AF_INET6)
		return raw_socket(family, type, protocol);
	if ((flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) || call.b > SOCK_PACKET)
		return -EINVAL;
	/* z/VSE's ELOAD: the multiplexer's table has no interface phase of LFP for the id. */
	if (!*call.nn)
		return -ELIBACC;
	earns = call.b == SOCK_STREAM && (!protocol || protocol == IPPROTO_TCP) &&
		!is_of_cics_task(call.nn);
	if (earns) {
		rc = fresh_socket(call.nn, family, flags);
		if (rc >= 0) {
			near_note((int)rc, NEAR_STREAM);
			near_note_cookie((int)rc);
		}
		if (rc != -ENETDOWN)
			return (int)rc;
	}
	/* Unknown socket type. Any errno but EINVAL comes from the program's own seccomp filter.
	 * The test makes a UNIX socket, because the program gets one. */
	rc = raw_call(SYS_socket, AF_UNIX, SOCK_TYPE_MASK, 0, 0, 0, raw_cookie);
	if (rc != -EINVAL)
		return (int)rc;
	rc = ctl_take(&call, flags);
	if (rc == -EMFILE)
		rc = take_last(&call, type);
	if (rc < 0)
		return (int)rc;
	near_note((int)rc, call.b == SOCK_DGRAM ? NEAR_DATAGRAM : NEAR_STREAM);
	if (earns)
		credit_earn(call.nn, family);
	return (int)rc;
}

/* AF_UNSPEC stands for AF_INET, without an address (net/ipv4/af_inet.c, __inet_bind()). */
static bool is_refused(const struct sockaddr *addr, socklen_t addrlen)
{
	struct sockaddr_in in;

	if (addrlen < sizeof(in))
		return false;
	memcpy(&in, addr, sizeof(in));
	return in.sin_family == AF_UNSPEC && in.sin_addr.s_addr != htonl(INADDR_ANY);
}

int hook_bind(int fd, const struct sockaddr *addr, socklen_t addrlen)
{
	struct lfp_addr data;
	struct ctl_call call = {.op = LFP_CTL_BIND, .data = &data, .len = sizeof(data), .fd = fd};
	char nn[3];
	int rc;

	if (!near_end(fd, nn))
		return raw_bind(fd, addr, addrlen);
	rc = filter_verdict(raw_bind_nothing());
	if (rc < 0)
		return rc;
	rc = take_addr(&data, addr, addrlen);
	if (rc < 0)
		return rc;
	if (is_refused(addr, addrlen))
		return -EAFNOSUPPORT;
	if (strict_shim("bind") && strict_local(addr, addrlen) < 0)
		return -STRICT_ERROR;
	call.nn = nn;
	rc = ctl_call(&call);
	if (!rc && near_bit(near_stream_bits, fd))
		known_forget(known_cookie(fd));
	return rc;
}

int hook_listen(int fd, int backlog)
{
	char nn[3];
	int rc;

	if (near_kind(fd, nn) != NEAR_STREAM)
		return raw_listen(fd, backlog); /* UNIX datagram sockets cannot listen either */
	rc = filter_verdict(raw_listen(-1, backlog));
	if (rc < 0)
		return rc;
	rc = near_call(fd, nn, LFP_CTL_LISTEN, backlog);
	if (rc == -EBADFD) { /* the listener was shut down before */
		rc = renew(fd, nn);
		if (!rc)
			rc = near_call(fd, nn, LFP_CTL_LISTEN, backlog);
	}
	if (rc < 0)
		return rc;
	listeners_note(fd);
	known_put_listener(known_cookie(fd));
	return 0;
}

/* The kernel's UNIX socket behaves as UDP's, except for its errno without a peer. */
static int shutdown_datagram(int fd, int how)
{
	bool paired = near_end_paired(fd);
	int rc = raw_shutdown(fd, how);

	return rc < 0 || paired ? rc : -ENOTCONN;
}

/* Resets the connections that nobody has accepted. Another process may have the listener's near
 * end, too, so its replacement here does not close it. */
static void drop_records(int fd)
{
	struct lfp_accept_record record;

	/* Without room for the new near end in a record the kernel closes it. */
	while (raw_recv(fd, &record, sizeof(record), MSG_DONTWAIT) > 0)
		continue;
}

int hook_shutdown(int fd, int how)
{
	struct ctl_call call = {.op = LFP_CTL_SHUTDOWN, .a = how, .fd = fd};
	enum near_kind kind;
	char nn[3];
	int rc;

	kind = near_kind(fd, nn);
	if (kind == NEAR_NONE)
		return raw_shutdown(fd, how);
	rc = filter_verdict(raw_shutdown(-1, how));
	if (rc < 0)
		return rc;
	if (kind == NEAR_DATAGRAM)
		return shutdown_datagram(fd, how);
	call.nn = nn;
	rc = ctl_call(&call);
	if (rc == -EBADFD) { /* a listener */
		drop_records(fd);
		return renew(fd, nn);
	}
	/* 1: the kernel does the rest. Without an instance there is only the kernel. */
	if (rc == -ENETDOWN)
		return raw_shutdown(fd, how);
	if (call.value == 1) {
		int own = raw_shutdown(fd, how);

		return rc < 0 ? rc : own;
	}
	return rc;
}

EXPORT int socket(int family, int type, int protocol)
{
	if ((family == AF_INET || family == AF_INET6) && strict_shim(__func__) &&
	    strict_type(type) < 0)
		return (int)give(-STRICT_ERROR);
	return (int)give(hook_socket(family, type, protocol));
}

EXPORT int bind(int fd, __CONST_SOCKADDR_ARG addr, socklen_t addrlen)
{
	return (int)give(hook_bind(fd, addr.__sockaddr__, addrlen));
}

EXPORT int listen(int fd, int backlog)
{
	return (int)give(hook_listen(fd, backlog));
}

EXPORT int shutdown(int fd, int how)
{
	return (int)give(hook_shutdown(fd, how));
}
