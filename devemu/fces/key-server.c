/* SPDX-License-Identifier: Apache-2.0 */
/* key-server.c - connections of a key server */
#include "devemu/fces/key-server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "devemu/fces/tls.h"

/* Requests that one connection may make in a turn, so that the others have theirs, and connections
 * that are accepted in one: those that are there are served before they can lose their places. */
enum { STEPS = 8, ACCEPTED = 8 };

enum state {
	HANDSHAKE, /* until both sides have shown that they have the secret */
	ASKED,     /* a request, or more of it, is awaited */
	ANSWERS,   /* what is in `out` is to be sent; nothing is read meanwhile */
};

struct place {
	int fd; /* -1: free */
	enum state state;
	struct tls *tls;
	short events;
	bool spoke;       /* some bytes have arrived */
	int64_t deadline; /* ms */
	uint8_t in[KEY_REQUEST_MAX], out[KEY_ANSWER];
	size_t in_len, sent;
};

struct key_server {
	struct key_store store;
	struct tls_context *context;
	int listener, patience;
	int64_t deaf; /* until then no connection is accepted: descriptors had run out */
	unsigned int places;
	struct place place[KEY_SERVER_PLACES];
	void (*on_event)(void *context, enum key_server_event event, const char *name,
			 const char *peer, const char *why);
	void *event_context;
};

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static const uint8_t *secret_of(void *context, const char *name)
{
	const struct key_end *end = key_file_end(context, name);

	return end ? end->secret : NULL;
}

struct key_server *key_server_create(const struct key_file *keys, int listener, int patience)
{
	struct key_server *server = calloc(1, sizeof(*server));

	if (server)
		server->context = tls_server_context(secret_of, (void *)(uintptr_t)keys);
	if (!server || !server->context) {
		free(server);
		if (listener >= 0)
			close(listener);
		errno = ENOMEM;
		return NULL;
	}
	key_store_init(&server->store, keys);
	server->listener = listener;
	server->patience = patience ? patience : KEY_SERVER_PATIENCE;
	for (int i = 0; i < KEY_SERVER_PLACES; i++)
		server->place[i].fd = -1;
	return server;
}

static void leave(struct key_server *server, struct place *place)
{
	tls_destroy(place->tls);
	close(place->fd);
	OPENSSL_cleanse(place, sizeof(*place));
	place->fd = -1;
	server->places--;
}

void key_server_destroy(struct key_server *server)
{
	if (!server)
		return;
	for (int i = 0; i < KEY_SERVER_PLACES; i++)
		if (server->place[i].fd >= 0)
			leave(server, &server->place[i]);
	tls_context_destroy(server->context);
	key_store_finish(&server->store);
	if (server->listener >= 0)
		close(server->listener);
	free(server);
}

void key_server_watch(struct key_server *server,
		      void (*on_event)(void *context, enum key_server_event event, const char *name,
				       const char *peer, const char *why),
		      void *context)
{
	server->on_event = on_event;
	server->event_context = context;
}

static void tell(const struct key_server *server, enum key_server_event event, const char *name,
		 const char *peer, const char *why)
{
	if (server->on_event)
		server->on_event(server->event_context, event, name, peer, why);
}

/* Closes a connection because of an error, and reports it. */
static void throw_out(struct key_server *server, struct place *place, const char *why)
{
	char name[FCES_NAME];

	strcpy(name, tls_peer(place->tls));
	leave(server, place);
	tell(server, KEY_CLOSED, name, "", why);
}

/* Rank of a connection: 0 silent, 1 has sent something, 2 authenticated. */
static int standing(const struct place *place)
{
	return place->state != HANDSHAKE ? 2 : place->spoke;
}

/* Chooses a connection to drop: of those with the lowest rank, the one with the nearest deadline.
 * NULL: no connection. */
static struct place *make_room(struct key_server *server)
{
	struct place *least = NULL;

	for (int i = 0; i < KEY_SERVER_PLACES; i++) {
		struct place *place = &server->place[i];

		if (place->fd < 0)
			continue;
		if (!least || standing(place) < standing(least) ||
		    (standing(place) == standing(least) && place->deadline < least->deadline))
			least = place;
	}
	if (least)
		throw_out(server, least, "another client needs its place");
	return least;
}

static struct place *free_place(struct key_server *server)
{
	int i = 0;

	if (server->places == KEY_SERVER_PLACES)
		make_room(server);
	while (server->place[i].fd >= 0)
		i++;
	return &server->place[i];
}

int key_server_adopt(struct key_server *server, int fd)
{
	struct place *place = free_place(server);

	memset(place, 0, sizeof(*place));
	place->fd = -1;
	place->tls = tls_create(server->context, fd);
	if (!place->tls) {
		close(fd);
		return -ENOMEM;
	}
	place->fd = fd;
	place->events = POLLIN;
	place->deadline = now() + server->patience;
	server->places++;
	return 0;
}

static void accept_some(struct key_server *server)
{
	for (int i = 0; i < ACCEPTED; i++) {
		const int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			key_server_adopt(server, fd);
			continue;
		}
		switch (errno) {
		case EINTR:
		case ECONNABORTED:
			continue;
		case EMFILE:
		case ENFILE:
		case ENOBUFS:
		case ENOMEM:
			if (make_room(server))
				continue;
			server->deaf = now() + 100; /* it would be ready again at once */
			return;
		default:
			return;
		}
	}
}

static void answer(struct key_server *server, struct place *place,
		   const struct key_request *request)
{
	static const char *const whys[KEY_STATUSES] = {
		[KEY_NO_END] = "unknown end",
		[KEY_NOT_SHARED] = "these two do not share a key",
		[KEY_NO_ID] = "the server no longer has the key with that id",
		[KEY_UNAVAILABLE] = "no room for another key",
	};
	struct key_answer made = {0};
	const char *name = tls_peer(place->tls);

	key_store_get(&server->store, name, request->peer, request->id, &made);
	key_answer_encode(&made, place->out);
	place->sent = 0;
	place->state = ANSWERS;
	place->deadline = now() + server->patience;
	tell(server, made.status == KEY_OK ? KEY_SERVED : KEY_REFUSED, name, request->peer,
	     made.status == KEY_OK ? "" : whys[made.status]);
	OPENSSL_cleanse(&made, sizeof(made));
}

/* Decodes the received bytes. Return: 1 for a whole request, 0 if more is to come, or -EPROTO. */
static int take(struct key_server *server, struct place *place)
{
	struct key_request request;
	int used = key_request_decode(place->in, place->in_len, &request);

	if (used <= 0)
		return used;
	place->in_len -= (size_t)used;
	memmove(place->in, place->in + used, place->in_len);
	answer(server, place, &request);
	return 1;
}

/* One step. 1: there may be another one, -EAGAIN, 0: the other side has ended; another negative
 * errno: the reason to close the connection.
 */
static int step(struct key_server *server, struct place *place)
{
	int rc;

	switch (place->state) {
	case HANDSHAKE:
		rc = tls_handshake(place->tls, &place->events);
		if (rc == 1)
			place->state = ASKED;
		return rc;
	case ASKED:
		rc = place->in_len ? take(server, place) : 0;
		if (rc)
			return rc;
		rc = tls_read(place->tls, place->in + place->in_len,
			      sizeof(place->in) - place->in_len, &place->events);
		if (rc <= 0)
			return rc;
		place->in_len += (size_t)rc;
		return 1;
	case ANSWERS:
		rc = tls_write(place->tls, place->out + place->sent, KEY_ANSWER - place->sent,
			       &place->events);
		if (rc < 0)
			return rc;
		place->sent += (size_t)rc;
		if (place->sent == KEY_ANSWER) {
			OPENSSL_cleanse(place->out, sizeof(place->out));
			place->state = ASKED;
		}
		return 1;
	}
	return -EPROTO;
}

static const char *why_of(int rc)
{
	switch (rc) {
	case -EKEYREJECTED:
		return "it does not have the secret of that end";
	case -EPROTO:
		return "it violates the protocol";
	default:
		return strerror(-rc);
	}
}

/* Handles the connection until it would wait, for at most STEPS steps. */
static void serve(struct key_server *server, struct place *place)
{
	int rc = 1;

	for (int i = 0; i < STEPS && rc == 1; i++)
		rc = step(server, place);
	if (rc == 1)
		place->events = POLLIN | POLLOUT; /* it is another one's turn */
	else if (rc == 0 && !place->in_len)
		leave(server, place);
	else if (rc != -EAGAIN)
		throw_out(server, place,
			  rc ? why_of(rc) : "it closed the connection within a request");
}

/* ms until the next deadline; -1 without any. */
static int until_deadline(const struct key_server *server, int timeout)
{
	const int64_t at = now();
	int64_t least = timeout < 0 ? INT64_MAX : timeout;

	for (int i = 0; i < KEY_SERVER_PLACES; i++)
		if (server->place[i].fd >= 0 && server->place[i].deadline - at < least)
			least = server->place[i].deadline - at;
	if (server->deaf > at && server->deaf - at < least)
		least = server->deaf - at;
	if (least == INT64_MAX)
		return -1;
	return least < 0 ? 0 : (int)least;
}

/* Only used entries: poll() fails with more entries than RLIMIT_NOFILE. */
static nfds_t collect(struct key_server *server, int wake, struct pollfd *pfd, struct place **of)
{
	nfds_t n = 2;

	pfd[0] = (struct pollfd){.fd = wake, .events = POLLIN};
	pfd[1] = (struct pollfd){.fd = server->deaf > now() ? -1 : server->listener,
				 .events = POLLIN};
	for (int i = 0; i < KEY_SERVER_PLACES; i++)
		if (server->place[i].fd >= 0) {
			of[n] = &server->place[i];
			pfd[n++] = (struct pollfd){.fd = server->place[i].fd,
						   .events = server->place[i].events};
		}
	return n;
}

int key_server_turn(struct key_server *server, int timeout, int wake)
{
	struct pollfd pfd[KEY_SERVER_PLACES + 2];
	struct place *of[KEY_SERVER_PLACES + 2];
	const nfds_t count = collect(server, wake, pfd, of);
	int64_t at;

	if (poll(pfd, count, until_deadline(server, timeout)) < 0)
		return errno == EINTR ? 0 : -errno;
	at = now();
	for (nfds_t n = 2; n < count; n++) {
		if (pfd[n].revents) {
			of[n]->spoke = true;
			serve(server, of[n]);
		}
		if (of[n]->fd >= 0 && of[n]->deadline <= at)
			throw_out(server, of[n], "it is too slow");
	}
	if (pfd[1].revents)
		accept_some(server);
	return pfd[0].revents != 0;
}

int key_server_renew(struct key_server *server)
{
	return key_store_renew(&server->store);
}

unsigned int key_server_connections(const struct key_server *server)
{
	return server->places;
}
