/* SPDX-License-Identifier: Apache-2.0 */
/* eza-socket.c - SOCKET, BIND, CONNECT, LISTEN, ACCEPT, SHUTDOWN, CLOSE, GETSOCKNAME, GETPEERNAME
 */
#include <limits.h>

#include "libvsesock/eza/functions.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/connect.h"
#include "libvsesock/vse/socket.h"

#define LAST_TYPE 10

/* AF, SOCTYPE, PROTO */
int eza_socket(struct eza_call *call)
{
	long family = call->values[0], type = call->values[1];
	int native = family == AF_INET || family == VSE_AF_INET6 ? vse_family_take((int)family)
								 : -EAFNOSUPPORT;

	if (native < 0)
		return eza_fail(call, native, 10221);
	/* Higher numbers would be flags here. */
	if (type < 0 || type > LAST_TYPE)
		return eza_fail(call, -EINVAL, 10222);
	return vse_socket(call->api, native, (int)type, (int)call->values[2]);
}

/* S, NAME */
int eza_bind(struct eza_call *call)
{
	struct sockaddr_storage name;
	socklen_t len;
	int rc = eza_take_name(&name, &len, &call->args[1]);

	if (!rc)
		rc = strict_local((const struct sockaddr *)&name, len);
	if (rc < 0)
		return rc;
	return bind(call->fd, (const struct sockaddr *)&name, len) ? -errno : 0;
}

int eza_connect(struct eza_call *call)
{
	struct sockaddr_storage name;
	socklen_t len;
	int rc = eza_take_name(&name, &len, &call->args[1]);

	if (rc < 0)
		return rc;
	return vse_connect_now(call->api, (int)call->values[0], call->fd,
			       (const struct sockaddr *)&name, len);
}

/* S, BACKLOG */
int eza_listen(struct eza_call *call)
{
	return listen(call->fd, (int)call->values[1]) ? -errno : 0;
}

/* S, NAME */
int eza_accept(struct eza_call *call)
{
	struct sockaddr_storage peer = {0}, own = {0};
	socklen_t own_len = sizeof(own);
	unsigned int len;
	int rc;

	/* Checks the room for the peer's address first, because an accepted connection cannot be
	 * put back. */
	if (getsockname(call->fd, (struct sockaddr *)&own, &own_len))
		return -errno;
	rc = eza_check_result(&call->args[1],
			      own.ss_family == AF_INET6 ? VSE_SOCKADDR_IN6 : VSE_SOCKADDR_IN);
	if (rc < 0)
		return rc;
	rc = vse_accept(call->api, (int)call->values[0], &peer, &len);
	if (rc >= 0)
		(void)eza_give_name(&call->args[1], &peer);
	return rc;
}

/* S, HOW: Linux's numbers */
int eza_shutdown(struct eza_call *call)
{
	if (call->values[1] < SHUT_RD || call->values[1] > SHUT_RDWR)
		return -EINVAL;
	return shutdown(call->fd, (int)call->values[1]) ? -errno : 0;
}

/* S, also if it was given */
int eza_close(struct eza_call *call)
{
	long s = call->values[0];

	return vse_close(call->api, s > INT_MAX ? -1 : (int)s);
}

static int give_name(struct eza_call *call, int (*get)(int fd, __SOCKADDR_ARG addr, socklen_t *len))
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);

	if (get(call->fd, (struct sockaddr *)&name, &len))
		return -errno;
	return eza_give_name(&call->args[1], &name);
}

int eza_getsockname(struct eza_call *call)
{
	return give_name(call, getsockname);
}

int eza_getpeername(struct eza_call *call)
{
	return give_name(call, getpeername);
}
