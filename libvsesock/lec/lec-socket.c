/* SPDX-License-Identifier: Apache-2.0 */
/* lec-socket.c - socket, bind, connect, listen, accept, shutdown, close, names of both ends,
 * maxdesc */
#include <netinet/in.h>

#include "libvsesock/lec/lec.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/connect.h"
#include "libvsesock/vse/socket.h"

EXPORT int lec_socket(int family, int type, int protocol);
EXPORT int lec_bind(int s, const void *addr, unsigned int len);
EXPORT int lec_connect(int s, const void *addr, unsigned int len);
EXPORT int lec_listen(int s, int backlog);
EXPORT int lec_accept(int s, void *addr, unsigned int *len);
EXPORT int lec_shutdown(int s, int how);
EXPORT int lec_close(int s);
EXPORT int lec_getsockname(int s, void *addr, unsigned int *len);
EXPORT int lec_getpeername(int s, void *addr, unsigned int *len);
EXPORT int lec_maxdesc(int *total, int *inet);

#define LAST_TYPE 10

int lec_socket(int family, int type, int protocol)
{
	struct vse_api *api;
	int native = family ? vse_family_take(family) : -EAFNOSUPPORT;

	if (lec_enter(&api))
		return -1;
	if (native < 0)
		return lec_fail(-native);
	/* Higher numbers would be flags here. */
	if (type < 0 || type > LAST_TYPE)
		return lec_fail(EINVAL);
	return lec_end(vse_socket(api, native, type, protocol));
}

int lec_bind(int s, const void *addr, unsigned int len)
{
	struct sockaddr_storage native;
	socklen_t native_len;
	int fd = lec_fd(s), rc;

	if (fd < 0)
		return -1;
	rc = lec_take_addr(&native, &native_len, addr, len);
	if (!rc)
		rc = strict_local((const struct sockaddr *)&native, native_len);
	if (rc < 0)
		return lec_fail(-rc);
	return bind(fd, (const struct sockaddr *)&native, native_len) ? lec_fail(errno) : 0;
}

int lec_connect(int s, const void *addr, unsigned int len)
{
	struct sockaddr_storage native;
	socklen_t native_len;
	struct vse_api *api;
	int fd, rc;

	if (lec_enter(&api))
		return -1;
	fd = rc = vse_fd(api, s);
	if (fd >= 0)
		rc = lec_take_addr(&native, &native_len, addr, len);
	if (rc < 0)
		return lec_fail(-rc);
	return lec_end(vse_connect_now(api, s, fd, (const struct sockaddr *)&native, native_len));
}

int lec_listen(int s, int backlog)
{
	int fd = lec_fd(s);

	if (fd < 0)
		return -1;
	return listen(fd, backlog) ? lec_fail(errno) : 0;
}

int lec_accept(int s, void *addr, unsigned int *len)
{
	struct sockaddr_storage peer;
	struct vse_api *api;
	int rc;

	if (lec_enter(&api))
		return -1;
	rc = vse_fd(api, s);
	if (rc >= 0 && addr)
		rc = lec_check_addr(addr, len);
	if (rc < 0)
		return lec_fail(-rc);
	rc = vse_accept(api, s, &peer, NULL);
	if (rc < 0) {
		errno = -rc;
		return lec_fail_io();
	}
	if (addr)
		(void)lec_give_addr(addr, len, &peer);
	return rc;
}

int lec_shutdown(int s, int how)
{
	int fd = lec_fd(s);

	if (fd < 0)
		return -1;
	return shutdown(fd, how) ? lec_fail(errno) : 0;
}

int lec_close(int s)
{
	struct vse_api *api;

	if (lec_enter(&api))
		return -1;
	/* Asynchronous requests hold copies of the near end. */
	lec_forget_requests(s);
	return lec_end(vse_close(api, s));
}

static int give_name(const char *function, int s, void *addr, unsigned int *len,
		     int (*get)(int fd, __SOCKADDR_ARG addr, socklen_t *len))
{
	struct sockaddr_storage name;
	socklen_t native_len = sizeof(name);
	int fd = lec_fd_as(function, s), rc;

	if (fd < 0)
		return -1;
	rc = lec_check_addr(addr, len);
	if (rc < 0)
		return lec_fail(-rc);
	if (get(fd, (struct sockaddr *)&name, &native_len))
		return lec_fail(errno);
	return lec_end(lec_give_addr(addr, len, &name));
}

int lec_getsockname(int s, void *addr, unsigned int *len)
{
	return give_name(__func__, s, addr, len, getsockname);
}

int lec_getpeername(int s, void *addr, unsigned int *len)
{
	return give_name(__func__, s, addr, len, getpeername);
}

int lec_maxdesc(int *total, int *inet)
{
	struct vse_api *api;

	if (memory_check_read(total, sizeof(*total)) || memory_check_read(inet, sizeof(*inet)))
		return lec_fail(EFAULT);
	if (*inet < 1 || *inet > *total || *inet > VSE_DESCRIPTORS)
		return lec_fail(EINVAL);
	if (lec_enter(&api))
		return -1;
	vse_api_max(api, *inet);
	return 0;
}
