/* SPDX-License-Identifier: Apache-2.0 */
/* connect.c - connects sockets of the z/VSE interfaces, and the errors that z/VSE has for it */
#include "libvsesock/vse/connect.h"

#include <errno.h>
#include <poll.h>

static int try_connect(int fd, const struct sockaddr *to, unsigned int len)
{
	return connect(fd, to, len) ? -errno : 0;
}

static bool listens(int fd)
{
	int yes = 0;
	socklen_t size = sizeof(yes);

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) && yes;
}

static bool has_peer(int fd)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);

	return !getpeername(fd, (struct sockaddr *)&peer, &len);
}

/* Returns whether a connect() that did not wait has ended. */
static bool has_ended(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLOUT};

	return poll(&one, 1, 0) != 0;
}

static void note(struct vse_api *api, int s, struct vse_past *past, int rc)
{
	past->connecting = rc == -EINPROGRESS || rc == -EALREADY;
	if (!rc || rc == -EISCONN)
		past->connected = true;
	vse_note_past(api, s, past);
}

int vse_connect_now(struct vse_api *api, int s, int fd, const struct sockaddr *to, unsigned int len)
{
	struct vse_past past = vse_past(api, s);
	bool made;
	int rc;

	if (past.connecting && !has_ended(fd))
		return -EALREADY;
	made = past.connecting && has_peer(fd);
	rc = try_connect(fd, to, len);
	if (!rc && made)
		rc = -EISCONN;
	/* The program has read the error of the failed one itself. */
	if (rc == -ECONNABORTED && past.connecting)
		rc = try_connect(fd, to, len);
	if (rc == -EISCONN && listens(fd))
		return -EOPNOTSUPP;
	note(api, s, &past, rc);
	return rc;
}

int vse_connect(struct vse_api *api, int s, int fd, const struct sockaddr *to, unsigned int len,
		bool *started)
{
	struct vse_past past = vse_past(api, s);
	socklen_t size = sizeof(int);
	int error = 0, rc;

	if (!*started) {
		rc = vse_connect_now(api, s, fd, to, len);
		*started = rc == -EINPROGRESS;
		return *started ? -EAGAIN : rc;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size))
		return -errno;
	/* A connect() after one that did not wait reports success once. */
	rc = error ? -error : try_connect(fd, to, len);
	if (rc == -EALREADY)
		return -EAGAIN;
	/* The next connect() would report the error that was read here. */
	if (error)
		return rc;
	note(api, s, &past, rc);
	return rc == -EISCONN ? 0 : rc;
}

ssize_t vse_sent(struct vse_api *api, int s, ssize_t n)
{
	int error = errno;
	struct vse_past past;

	if (n >= 0)
		return n;
	if (error != EPIPE)
		return -error;
	past = vse_past(api, s);
	/* The end of a CONNECT that did not wait is not known here. */
	return past.connected || past.connecting ? -EPIPE : -ENOTCONN;
}
