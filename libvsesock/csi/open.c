/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - OPEN, CLOSE, ABORT of TCP and UDP */
#include <poll.h>
#include <string.h>

#include "libvsesock/core/raw.h"
#include "libvsesock/csi/functions.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/connect.h"
#include "libvsesock/vse/socket.h"
#include "libvsesock/vse/values.h"

#define BACKLOG  5
#define PORT_MAX 65535

static int family_of(const struct csi_call *call)
{
	return call->said.FAMILY ? vse_family_take(call->said.FAMILY) : AF_INET;
}

static void note_names(struct csi_call *call, int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	if (!getsockname(fd, (struct sockaddr *)&addr, &len))
		csi_give_addr(&addr, call->said.LOIP, &call->said.LOPORT);
	len = sizeof(addr);
	if (!getpeername(fd, (struct sockaddr *)&addr, &len))
		csi_give_addr(&addr, call->said.FOIP, &call->said.FOPORT);
}

static int try_connect(struct async_job *job)
{
	struct csi_call *call = (struct csi_call *)job;
	struct sockaddr_storage to;
	socklen_t len = csi_take_addr(&to, family_of(call), call->said.FOIP, call->said.FOPORT);
	int rc = vse_connect(job->api, job->s, job->fd, (const struct sockaddr *)&to, len,
			     &call->started);

	if (!rc)
		note_names(call, job->fd);
	return rc;
}

/* Returns whether OPEN waits for this peer; others are turned away. */
static bool is_wanted(const struct csi_call *call, const struct sockaddr_storage *peer)
{
	unsigned char ip[16];
	int port;

	csi_give_addr(peer, ip, &port);
	return (!csi_is_said(call->said.FOIP) || !memcmp(ip, call->said.FOIP, sizeof(ip))) &&
	       (!call->said.FOPORT || port == call->said.FOPORT);
}

static int try_accept(struct async_job *job)
{
	struct csi_call *call = (struct csi_call *)job;
	struct sockaddr_storage peer = {0};
	socklen_t len = sizeof(peer);
	int fd = accept4(job->fd, (struct sockaddr *)&peer, &len, SOCK_CLOEXEC), listener;

	if (fd < 0)
		return -errno;
	if (!is_wanted(call, &peer)) {
		raw_close(fd);
		return -EAGAIN;
	}
	listener = vse_swap(job->api, job->s, fd);
	if (listener < 0) {
		raw_close(fd);
		return listener;
	}
	raw_close(listener);
	note_names(call, fd);
	return 0;
}

bool csi_is_opening(const struct vse_api *api, int s, bool *passive)
{
	*passive = async_count(api, s, try_accept) > 0;
	return *passive || async_count(api, s, try_connect) > 0;
}

void csi_opened(struct csi_call *call, int rc)
{
	bool given;
	int fd;

	if (call->job.attempt != try_connect && call->job.attempt != try_accept)
		return;
	if (rc >= 0)
		return;
	fd = vse_remove(call->job.api, call->job.s, &given);
	if (fd >= 0)
		raw_close(fd);
	call->said.DESC = -1;
}

static bool has_listener(const struct async_job *job, const struct async_job *like)
{
	const struct csi_call *call = (const struct csi_call *)like,
			      *other = (const struct csi_call *)job;

	return family_of(other) == family_of(call) && other->said.LOPORT == call->said.LOPORT &&
	       !memcmp(other->said.LOIP, call->said.LOIP, sizeof(call->said.LOIP));
}

/* Binds the socket if the program names an own address, or listens. 0 or a negative error. */
static int bind_own(const struct csi_call *call, int fd)
{
	struct sockaddr_storage own;
	socklen_t len = csi_take_addr(&own, family_of(call), call->said.LOIP, call->said.LOPORT);
	int on = 1, rc;

	if (!call->said.PASSIVE && !call->said.LOPORT && !csi_is_said(call->said.LOIP))
		return 0;
	rc = strict_local((const struct sockaddr *)&own, len);
	if (rc < 0)
		return rc;
	/* Connections of a closed listener may still use the port. */
	if (call->type == CSI_TCP && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)))
		return -errno;
	return bind(fd, (const struct sockaddr *)&own, len) ? -errno : 0;
}

/* Makes the socket of an OPEN. Returns a descriptor, or a negative error. */
static int make(const struct csi_call *call)
{
	int type = call->type == CSI_TCP ? SOCK_STREAM : SOCK_DGRAM, fd, rc;

	fd = socket(family_of(call), type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	rc = bind_own(call, fd);
	if (!rc && call->type == CSI_TCP && call->said.PASSIVE)
		rc = listen(fd, BACKLOG) ? -errno : 0;
	if (!rc)
		return fd;
	raw_close(fd);
	return rc;
}

static int check(const struct csi_call *call)
{
	const struct csi_socket *said = &call->said;

	if (family_of(call) != AF_INET && family_of(call) != AF_INET6)
		return -EAFNOSUPPORT;
	if (said->FOPORT < 0 || said->FOPORT > PORT_MAX || said->LOPORT < 0 ||
	    said->LOPORT > PORT_MAX)
		return -EINVAL;
	if (call->type == CSI_TCP && !said->PASSIVE && (!said->FOPORT || !csi_is_said(said->FOIP)))
		return -EDESTADDRREQ;
	return 0;
}

/* Opens UDP, which never waits. With a foreign address all data is from and to that address. */
static int finish_datagram(struct csi_call *call, int fd)
{
	struct sockaddr_storage to;
	socklen_t len = csi_take_addr(&to, family_of(call), call->said.FOIP, call->said.FOPORT);

	if (csi_is_said(call->said.FOIP) && call->said.FOPORT &&
	    connect(fd, (const struct sockaddr *)&to, len))
		return -errno;
	note_names(call, fd);
	return 0;
}

int csi_open(struct csi_call *call)
{
	int rc = check(call), fd = -ENOENT;

	call->said.DESC = -1;
	if (!rc)
		rc = csi_enter(call);
	if (rc < 0)
		return rc;
	if (call->type == CSI_TCP && call->said.PASSIVE && call->said.LOPORT) {
		call->job.attempt = try_accept;
		fd = async_copy(&call->job, has_listener);
		call->job.attempt = NULL; /* -EAGAIN has another meaning from here on */
	}
	if (fd < 0)
		fd = make(call);
	if (fd < 0)
		return fd;
	if (call->type == CSI_UDP) {
		rc = finish_datagram(call, fd);
		if (rc < 0) {
			raw_close(fd);
			return rc;
		}
	}
	rc = vse_add(call->job.api, fd, -1);
	if (rc < 0)
		return rc;
	call->said.DESC = call->job.s = rc;
	if (call->type == CSI_UDP)
		return 0;
	call->job.fd = fd;
	call->job.events = call->said.PASSIVE ? POLLIN : POLLOUT;
	call->job.attempt = call->said.PASSIVE ? try_accept : try_connect;
	/* A program that asked for any port must learn the number. */
	if (call->said.PASSIVE && !call->said.LOPORT) {
		struct sockaddr_storage own;
		socklen_t len = sizeof(own);

		if (!getsockname(fd, (struct sockaddr *)&own, &len))
			csi_give_addr(&own, call->said.LOIP, &call->said.LOPORT);
	}
	return -EAGAIN;
}

int csi_close(struct csi_call *call)
{
	int rc = csi_find(call);
	bool passive;

	if (rc < 0)
		return rc;
	/* The end of the OPEN closes the descriptor. */
	if (csi_is_opening(call->job.api, call->job.s, &passive)) {
		async_forget(call->job.api, call->job.s);
		return 0;
	}
	return vse_close(call->job.api, call->job.s);
}

int csi_abort(struct csi_call *call)
{
	static const struct linger at_once = {1, 0};
	int rc = csi_find(call);

	if (!rc && call->type == CSI_TCP)
		(void)setsockopt(call->job.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	return rc ? rc : csi_close(call);
}
