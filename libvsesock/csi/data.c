/* SPDX-License-Identifier: Apache-2.0 */
/* data.c - SEND, RECEIVE, STATUS of TCP and UDP */
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "libvsesock/csi/control-file.h"
#include "libvsesock/csi/functions.h"

/* Prepares the job of a call that moves data; -EAGAIN or another negative error. */
static int prepare(struct csi_call *call, short events, int (*attempt)(struct async_job *job))
{
	bool passive;
	int rc = csi_find(call);

	if (!rc)
		rc = csi_check_buf(call);
	if (!rc && csi_is_opening(call->job.api, call->job.s, &passive))
		rc = -ENOTCONN;
	if (rc < 0)
		return rc;
	call->job.events = events;
	call->job.attempt = attempt;
	return -EAGAIN;
}

/* Sends all of BUF. */
static int try_send(struct async_job *job)
{
	struct csi_call *call = (struct csi_call *)job;
	const char *data = call->said.BUF;

	do {
		ssize_t n =
			send(job->fd, data + call->sent, (size_t)(call->said.LENGTH - call->sent),
			     MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0)
			return -errno;
		call->sent += (int)n;
	} while (call->sent < call->said.LENGTH);
	return call->sent;
}

static int try_send_to(struct async_job *job)
{
	struct csi_call *call = (struct csi_call *)job;
	struct sockaddr_storage own = {0}, to;
	socklen_t len = sizeof(own);
	ssize_t n;

	if (getsockname(job->fd, (struct sockaddr *)&own, &len))
		return -errno;
	len = csi_take_addr(&to, own.ss_family, call->said.FOIP, call->said.FOPORT);
	n = sendto(job->fd, call->said.BUF, (size_t)call->said.LENGTH, MSG_DONTWAIT | MSG_NOSIGNAL,
		   (const struct sockaddr *)&to, len);
	return n < 0 ? -errno : (int)n;
}

static int try_receive(struct async_job *job)
{
	struct csi_call *call = (struct csi_call *)job;
	struct sockaddr_storage from = {0};
	socklen_t len = sizeof(from);
	ssize_t n = recvfrom(job->fd, call->said.BUF, (size_t)call->said.LENGTH, MSG_DONTWAIT,
			     (struct sockaddr *)&from, &len);

	if (n < 0)
		return -errno;
	if (call->type == CSI_UDP && from.ss_family != AF_UNSPEC)
		csi_give_addr(&from, call->said.FOIP, &call->said.FOPORT);
	return (int)n;
}

int csi_send(struct csi_call *call)
{
	const struct csi_socket *said = &call->said;
	bool named = call->type == CSI_UDP && said->FOPORT && csi_is_said(said->FOIP);

	if (said->FOPORT < 0 || said->FOPORT > 65535)
		return -EINVAL;
	return prepare(call, POLLOUT, named ? try_send_to : try_send);
}

int csi_receive(struct csi_call *call)
{
	return prepare(call, POLLIN, try_receive);
}

static enum csi_state state_of(const struct csi_call *call)
{
	ssize_t n;
	char c;

	if (call->type != CSI_TCP)
		return CSI_ESTABLISHED;
	n = recv(call->job.fd, &c, 1, MSG_PEEK | MSG_DONTWAIT);
	if (n == 0)
		return CSI_PEER_CLOSED;
	return n > 0 || errno == EAGAIN ? CSI_ESTABLISHED : CSI_BROKEN;
}

static void note_addrs(struct csi_call *call)
{
	struct csi_socket *said = &call->said;
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	memset(said->FOIP, 0, sizeof(said->FOIP));
	memset(said->LOIP, 0, sizeof(said->LOIP));
	said->FAMILY = said->FOPORT = said->LOPORT = 0;
	if (!getsockname(call->job.fd, (struct sockaddr *)&addr, &len)) {
		said->FAMILY = addr.ss_family == AF_INET6 ? CSI_INET6 : CSI_INET;
		csi_give_addr(&addr, said->LOIP, &said->LOPORT);
	}
	len = sizeof(addr);
	if (!getpeername(call->job.fd, (struct sockaddr *)&addr, &len))
		csi_give_addr(&addr, said->FOIP, &said->FOPORT);
}

int csi_status(struct csi_call *call)
{
	int rc = csi_find(call), waiting = 0;
	bool passive;

	if (rc < 0)
		return rc;
	call->said.PENDING = async_count(call->job.api, call->job.s, NULL);
	if (call->type == CSI_CONTROL) {
		call->said.STATE = CSI_ESTABLISHED;
		call->said.WAITING = csi_file_waiting(call->job.fd);
		return 0;
	}
	note_addrs(call);
	if (csi_is_opening(call->job.api, call->job.s, &passive)) {
		call->said.STATE = passive ? CSI_LISTENING : CSI_OPENING;
		call->said.WAITING = 0;
		return 0;
	}
	call->said.STATE = (int)state_of(call);
	call->said.WAITING = ioctl(call->job.fd, FIONREAD, &waiting) ? 0 : waiting;
	return 0;
}
