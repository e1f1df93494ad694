/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - GETSOCKOPT and SETSOCKOPT */
#include "lfpd/sock/option.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <time.h>

#include "lfp/sockopt.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/sock/joined.h"
#include "lfpd/sock/nagle.h"
#include "lfpd/sock/stream.h"

/*
 * Most options are the kernel's business. Ours are:
 *
 *  - SO_LINGER with a time: close() would block the loop, so it is only remembered; {1, 0} makes
 *    CLOSE an abort.
 *  - SO_SNDBUF, SO_RCVBUF: small ones stall TCP on loopback, so the kernel gets at least 128 KiB
 *    and z/VSE gets the value that the kernel would have reported. - TCP_INFO: z/VSE adds the bytes
 *  on the way to the kernel's socket, which only it knows. - SO_ERROR: Linux clears the error when
 *  it reports it (include/net/sock.h, sock_error()), so it
 *    becomes a RESET as well.
 */

#define VALUE_MAX    4096u
#define BUFFER_LEAST 131072
/* The least that Linux reports (include/net/sock.h: SOCK_MIN_SNDBUF, SOCK_MIN_RCVBUF). */
#define SNDBUF_MIN 4608u
#define RCVBUF_MIN 2304u

static int get_error(struct socket *sock)
{
	int error = 0;
	socklen_t len = sizeof(error);

	/* CONNECTED reports the error of connect(). */
	if (sock->state == SOCKET_CONNECTING)
		return 0;
	if (getsockopt(sock->fd, SOL_SOCKET, SO_ERROR, &error, &len))
		return 0;
	if (error)
		socket_lose(sock, error);
	return error;
}

/* SOL_SOCKET options that we answer; returns their length, or 0 if the kernel is to be asked. */
static size_t get_own(struct socket *sock, int name, uint8_t value[static sizeof(struct linger)])
{
	int number;

	switch (name) {
	case SO_LINGER:
		memcpy(value, &sock->linger, sizeof(sock->linger));
		return sizeof(sock->linger);
	case SO_ERROR:
		number = get_error(sock);
		break;
	case SO_SNDBUF:
		number = sock->sndbuf;
		break;
	case SO_RCVBUF:
		number = sock->rcvbuf;
		break;
	default:
		return 0;
	}
	if (!number && name != SO_ERROR)
		return 0;
	memcpy(value, &number, sizeof(number));
	return sizeof(number);
}

static int get(struct socket *sock, int level, int name, uint8_t *value, socklen_t *len)
{
	uint8_t own[sizeof(struct linger)];
	enum lfp_opt_policy policy = lfp_opt_policy(level, name);
	size_t own_len = 0;

	if (policy != LFP_OPT_FORWARD && policy != LFP_OPT_ASK)
		return -ENOPROTOOPT;
	if (level == SOL_SOCKET && name == SO_PEERNAME && !sock->is_datagram &&
	    sock->stream.upstream) {
		memset(value, 0, *len);
		return socket_peername(sock, (struct sockaddr *)(void *)value, len) ? -errno : 0;
	}
	if (level == SOL_SOCKET)
		own_len = get_own(sock, name, own);
	if (level == IPPROTO_TCP && name == TCP_INFO)
		stream_report(sock);
	if (level == IPPROTO_TCP && name == TCP_NODELAY && !sock->is_datagram)
		nagle_let(sock);
	if (!own_len && getsockopt(sock->fd, level, name, value, len))
		return -errno;
	if (level == IPPROTO_TCP && name == TCP_INFO)
		joined_add_info(sock, value, *len);
	if (!own_len)
		return 0;
	if (*len > own_len)
		*len = (socklen_t)own_len;
	memcpy(value, own, *len);
	return 0;
}

/* Options of z/VSE's own. */
static int get_source(const struct socket *sock, int name, uint8_t *value, socklen_t *len)
{
	if (name != LFP_OPT_SOURCE || sock->is_datagram || !sock->stream.source.family ||
	    *len < LFP_ADDR_SIZE)
		return -ENOPROTOOPT;
	lfp_addr_put(&sock->stream.source, value);
	*len = LFP_ADDR_SIZE;
	return 0;
}

int option_handle_get(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	struct lfp_frame reply = session_reply(frame);
	int level = frame->getsockopt.level, name = frame->getsockopt.name;
	size_t most = path_frame_max(sock->session->path) - LFP_FRAME_HEADER;
	uint8_t value[VALUE_MAX];
	socklen_t len = frame->getsockopt.length;
	int rc;

	(void)why;
	/* Some options read the buffer that they fill. */
	memset(value, 0, sizeof(value));
	if (len > most)
		len = (socklen_t)most;
	if (level == LFP_OPT_LEVEL)
		rc = get_source(sock, name, value, &len);
	else
		rc = get(sock, level, name, value, &len);
	reply.status = (uint16_t)-rc;
	if (!rc) {
		lfp_opt_to_wire(level, name, value, len);
		reply.value.value.ptr = value;
		reply.value.value.len = len;
	}
	session_send(sock->session, &reply);
	return 0;
}

static int set_linger(struct socket *sock, const uint8_t *value, size_t len)
{
	if (len < sizeof(sock->linger))
		return -EINVAL;
	memcpy(&sock->linger, value, sizeof(sock->linger));
	sock->linger.l_onoff = !!sock->linger.l_onoff;
	return 0;
}

static int set_buffer(struct socket *sock, int name, const uint8_t *value, size_t len)
{
	bool is_send = name == SO_SNDBUF;
	unsigned int max = is_send ? sock->instance->wmem_max : sock->instance->rmem_max;
	unsigned int least = is_send ? SNDBUF_MIN : RCVBUF_MIN;
	unsigned int wanted, shown;
	int real;

	if (len < sizeof(wanted))
		return -EINVAL;
	memcpy(&wanted, value,
	       sizeof(wanted)); /* the kernel takes a negative one for a huge one, too */
	if (wanted > max)
		wanted = max;
	shown = wanted * 2 > least ? wanted * 2 : least;
	/* A program chooses how many datagrams may wait before they are dropped. */
	real = sock->is_datagram || wanted > BUFFER_LEAST ? (int)wanted : BUFFER_LEAST;
	if (setsockopt(sock->fd, SOL_SOCKET, name, &real, sizeof(real)))
		return -errno;
	*(is_send ? &sock->sndbuf : &sock->rcvbuf) = (int)shown;
	return 0;
}

/* SO_TXTIME is refused, but a wrong value first, as the kernel does without CAP_NET_ADMIN. */
static int check_txtime(const uint8_t *value, size_t len)
{
	struct sock_txtime txtime;

	if (len != sizeof(txtime))
		return -EINVAL;
	memcpy(&txtime, value, sizeof(txtime));
	if (txtime.flags & ~(uint32_t)SOF_TXTIME_FLAGS_MASK)
		return -EINVAL;
	return txtime.clockid == CLOCK_MONOTONIC ? -ENOPROTOOPT : -EPERM;
}

static int set(struct socket *sock, int level, int name, uint8_t *value, size_t len)
{
	int rc;

	if (lfp_opt_policy(level, name) != LFP_OPT_FORWARD)
		return -lfp_opt_refusal(level, name);
	if (level == SOL_SOCKET && name == SO_TXTIME)
		return check_txtime(value, len);
	/* Rules hold for sockets that are older than they, too. */
	sock->policy.ruled = sock->instance->rules != NULL;
	rc = policy_option(&sock->policy, level, name);
	if (!rc && sock->is_datagram)
		rc = datagram_option(level, name);
	if (!rc)
		rc = membership_option(&sock->policy, level, name, value, len);
	if (rc)
		return rc;
	if (level == SOL_SOCKET && name == SO_LINGER)
		return set_linger(sock, value, len);
	if (level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_RCVBUF))
		return set_buffer(sock, name, value, len);
	joined_note_option(sock, level, name);
	if (level == IPPROTO_TCP && !sock->is_datagram)
		nagle_forget(sock);
	return setsockopt(sock->fd, level, name, value, (socklen_t)len) ? -errno : 0;
}

int option_handle_set(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	int level = frame->setsockopt.level, name = frame->setsockopt.name;
	size_t len = frame->setsockopt.value.len;
	uint8_t value[VALUE_MAX];

	(void)why;
	/* The decoder lets at most VALUE_MAX bytes pass. */
	if (len)
		memcpy(value, frame->setsockopt.value.ptr, len);
	lfp_opt_from_wire(level, name, value, len);
	session_answer(sock->session, frame, -set(sock, level, name, value, len));
	return 0;
}

void option_inherit(struct socket *sock, const struct socket *listener)
{
	sock->linger = listener->linger;
	sock->sndbuf = listener->sndbuf;
	sock->rcvbuf = listener->rcvbuf;
	joined_inherit(sock, listener);
}
