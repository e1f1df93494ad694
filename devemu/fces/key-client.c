/* SPDX-License-Identifier: Apache-2.0 */
/* key-client.c - an end asks a key server */
#include "devemu/fces/key-client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "devemu/fces/tls.h"

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int await(const struct key_client *client, int fd, short events, int64_t deadline)
{
	struct pollfd pfd = {.fd = fd, .events = events};

	if (client->wait) {
		if (now() >= deadline)
			return -ETIMEDOUT;
		return client->wait(client->context);
	}
	for (;;) {
		const int64_t left = deadline - now();
		const int n = left > 0 ? poll(&pfd, 1, (int)left) : 0;

		if (n > 0)
			return 0;
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

/* No event reports room: neither on a UNIX socket with a full backlog, nor in a server that has
 * given the place to another client. */
static bool later(int64_t deadline)
{
	return now() < deadline && (poll(NULL, 0, 5) == 0 || errno == EINTR);
}

static int connect_to(const struct key_client *client, int64_t deadline)
{
	const struct key_address *to = client->address;
	int error = 0, rc, fd;
	socklen_t len = sizeof(error);

	fd = socket(to->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	do
		rc = connect(fd, (const struct sockaddr *)&to->addr, to->len) < 0 ? -errno : 0;
	while (rc == -EINTR || (rc == -EAGAIN && later(deadline)));
	if (rc == -EAGAIN)
		rc = -ETIMEDOUT;
	if (rc == -EINPROGRESS) {
		rc = await(client, fd, POLLOUT, deadline);
		if (rc == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
			error = errno;
		if (rc == 0)
			rc = -error;
	}
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

static int write_all(const struct key_client *client, struct tls *tls, int fd, const uint8_t *bytes,
		     size_t len, int64_t deadline)
{
	while (len) {
		short events = 0;
		int rc = tls_write(tls, bytes, len, &events);

		if (rc == -EAGAIN)
			rc = await(client, fd, events, deadline);
		if (rc < 0)
			return rc;
		bytes += rc;
		len -= (size_t)rc;
	}
	return 0;
}

static int read_answer(const struct key_client *client, struct tls *tls, int fd,
		       struct key_answer *answer, int64_t deadline)
{
	uint8_t bytes[KEY_ANSWER];
	size_t have = 0;
	int rc = 0;

	while (rc == 0) {
		short events = 0;

		rc = tls_read(tls, bytes + have, sizeof(bytes) - have, &events);
		if (rc == 0)
			rc = -ECONNRESET;
		if (rc == -EAGAIN) {
			rc = await(client, fd, events, deadline);
		} else if (rc > 0) {
			have += (size_t)rc;
			rc = key_answer_decode(bytes, have, answer);
		}
	}
	OPENSSL_cleanse(bytes, sizeof(bytes));
	return rc < 0 ? rc : 0;
}

static int converse(const struct key_client *client, struct tls *tls, int fd,
		    const struct key_request *request, struct key_answer *answer, int64_t deadline)
{
	uint8_t bytes[KEY_REQUEST_MAX];
	int rc;

	for (;;) {
		short events = 0;

		rc = tls_handshake(tls, &events);
		if (rc == -EAGAIN)
			rc = await(client, fd, events, deadline);
		if (rc)
			break;
	}
	if (rc < 0)
		return rc;
	rc = write_all(client, tls, fd, bytes, key_request_encode(request, bytes), deadline);
	if (rc == 0)
		rc = read_answer(client, tls, fd, answer, deadline);
	if (rc == 0)
		tls_end(tls);
	return rc;
}

static int result(const struct key_answer *answer, uint32_t id, struct fces_shared *shared)
{
	switch (answer->status) {
	case KEY_OK:
		if (id && answer->shared.id != id)
			return -EPROTO;
		*shared = answer->shared;
		return 0;
	case KEY_NO_ID:
		return -ENOKEY;
	case KEY_UNAVAILABLE:
		return -ENOSPC;
	default:
		return -EACCES;
	}
}

/* On one connection. */
static int try(const struct key_client *client, const struct key_request *request,
	       struct fces_shared *shared, int64_t deadline)
{
	struct key_answer answer = {.status = KEY_UNAVAILABLE};
	struct tls_context *context;
	struct tls *tls = NULL;
	int fd, rc;

	fd = client->wait ? client->fd : connect_to(client, deadline);
	if (fd < 0)
		return fd;
	context = tls_client_context(client->name, client->secret);
	if (context)
		tls = tls_create(context, fd);
	rc = tls ? converse(client, tls, fd, request, &answer, deadline) : -ENOMEM;
	if (rc == 0)
		rc = result(&answer, request->id, shared);
	OPENSSL_cleanse(&answer, sizeof(answer));
	tls_destroy(tls);
	tls_context_destroy(context);
	if (!client->wait)
		close(fd);
	return rc;
}

int key_client_get(const struct key_client *client, const char *peer, uint32_t id,
		   struct fces_shared *shared)
{
	const int64_t deadline =
		now() + (client->patience ? client->patience : KEY_CLIENT_PATIENCE);
	struct key_request request = {.id = id};
	bool ended = false;
	int rc;

	if (!key_name_ok(peer) || !key_name_ok(client->name))
		return -EINVAL;
	strcpy(request.peer, peer);
	for (;;) {
		rc = try(client, &request, shared, deadline);
		if (client->wait || (rc != -ECONNRESET && rc != -EPIPE))
			break;
		ended = true;
		if (!later(deadline))
			break;
	}
	/* If the server closed each connection, report that. */
	return ended && (rc == -ETIMEDOUT || rc == -EPIPE) ? -ECONNRESET : rc;
}

const char *key_client_why(int rc)
{
	switch (rc) {
	case -ETIMEDOUT:
		return "the key server does not answer";
	case -EKEYREJECTED:
		return "the key server has a different secret for it";
	case -EPROTO:
		return "the peer is not a key server";
	case -ECONNRESET:
		return "the key server closed the connection";
	case -EACCES:
		return "the key server has no key for these two";
	case -ENOKEY:
		return "the key server no longer has the other end's key";
	case -ENOSPC:
		return "the key server has no room for another key";
	default:
		return strerror(-rc);
	}
}
