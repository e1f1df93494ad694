/* SPDX-License-Identifier: Apache-2.0 */
/* client.c - a connection of the controller: commands come, answers go in pieces */
#include "via/client.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lfp/exit.h"
#include "via/close.h"
#include "via/journal.h"
#include "via/loop.h"

/*
 * Theory of operation
 *
 * A client is in one of these states. READING: commands are taken. ANSWERING: an answer is made;
 * its pieces wait in @out until the client takes them, and whoever makes it is held up while there
 * are many. ENDING: the last piece is made; when it is sent, READING follows. A client that is
 * silent for a minute, or takes nothing for as long, is dropped. It is dropped earlier when another
 * one needs its place: at once in READING, and otherwise after it has taken nothing for a second,
 * or has taken an answer little by little for ten.
 */

#define ROOM     16384        /* bytes of pieces that wait, before their maker is held up */
#define ROOM_MAX (512 * 1024) /* bytes; an answer that is made at once has less */
#define SILENCE  60000        /* ms */
#define STALL    1000         /* ms */
#define SLOW     10000        /* ms */

enum client_state { CLIENT_FREE, CLIENT_READING, CLIENT_ANSWERING, CLIENT_ENDING };

struct via_client {
	enum client_state state;
	bool messages; /* each piece is a message (AF_IUCV), and no line of a stream */
	bool overflows;
	char who[64];
	struct via_watch watch;
	struct via_timer silence;
	int64_t begun; /* since when pieces wait */
	char in[VIA_REQUEST_MAX + 2];
	size_t in_len;
	struct via_pieces pieces;
	char *out; /* its bytes from out_at to out_len are to be sent */
	size_t out_at, out_len, out_room;
	struct via_client_owner owner;
	struct via_controller peer;
	bool (*may_ask)(const struct via_controller *peer, const char *who);
	void (*on_request)(struct via_client *client, const struct via_request *request);
};

unsigned long via_refused;
static struct via_client clients[VIA_CLIENTS_MAX];

static void drop(struct via_client *client)
{
	const struct via_client_owner owner = client->owner;

	if (!client->state)
		return;
	client->state = CLIENT_FREE;
	client->owner = (struct via_client_owner){.on_gone = NULL};
	via_timer_stop(&client->silence);
	via_watch_remove(&client->watch);
	via_close(client->watch.fd);
	free(client->out);
	client->out = NULL;
	if (owner.on_gone)
		owner.on_gone(owner.data);
}

static size_t waiting(const struct via_client *client)
{
	return client->out_len - client->out_at;
}

/* What is sent next: a whole message, or as much as there is. */
static size_t next_len(const struct via_client *client)
{
	const char *newline;

	if (!client->messages)
		return waiting(client);
	newline = memchr(client->out + client->out_at, '\n', waiting(client));
	return newline ? (size_t)(newline - client->out) - client->out_at : waiting(client);
}

static void take_command(struct via_client *client);

static void flush(struct via_client *client)
{
	while (waiting(client)) {
		size_t len = next_len(client);
		ssize_t n = send(client->watch.fd, client->out + client->out_at, len,
				 MSG_NOSIGNAL | MSG_DONTWAIT | (client->messages ? MSG_EOR : 0));

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0) {
			drop(client);
			return;
		}
		client->out_at += client->messages ? len + 1 : (size_t)n;
		if (client->out_at >= client->out_len)
			client->out_at = client->out_len = 0;
		via_timer_set(&client->silence, SILENCE);
	}
	client->watch.events = waiting(client)                   ? POLLOUT
			       : client->state == CLIENT_READING ? POLLIN
								 : 0;
	if (client->owner.on_room && waiting(client) < ROOM / 2)
		client->owner.on_room(client->owner.data, true);
	if (client->state == CLIENT_ENDING && !waiting(client)) {
		client->state = CLIENT_READING;
		client->watch.events = POLLIN;
		take_command(client);
	}
}

static bool make_room(struct via_client *client, size_t len)
{
	size_t room = client->out_room ? client->out_room : ROOM;
	char *out;

	if (client->out_at) {
		memmove(client->out, client->out + client->out_at, waiting(client));
		client->out_len -= client->out_at;
		client->out_at = 0;
	}
	while (room < client->out_len + len)
		room *= 2;
	if (room == client->out_room)
		return true;
	out = room <= ROOM_MAX ? realloc(client->out, room) : NULL;
	if (!out)
		return false;
	client->out = out;
	client->out_room = room;
	return true;
}

static void put_piece(struct via_client *client, const char *piece)
{
	size_t len = strlen(piece);

	if (!make_room(client, len + 1)) {
		client->overflows = true;
		return;
	}
	if (!waiting(client)) { /* it may have been long in the making */
		via_timer_set(&client->silence, SILENCE);
		client->begun = via_now();
	}
	memcpy(client->out + client->out_len, piece, len);
	client->out_len += len;
	client->out[client->out_len++] = '\n';
	client->watch.events = POLLOUT;
	if (client->owner.on_room && waiting(client) > ROOM)
		client->owner.on_room(client->owner.data, false);
}

void via_client_line(struct via_client *client, const char *text, size_t len)
{
	char piece[VIA_PIECE_MAX + 1];
	size_t at = 0;

	do {
		at += via_piece_make(&client->pieces, text + at, len - at, piece);
		put_piece(client, piece);
	} while (at < len);
}

void via_client_printf(struct via_client *client, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	via_client_line(client, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

void via_client_end(struct via_client *client, int code)
{
	char piece[VIA_PIECE_MAX + 1];

	client->owner = (struct via_client_owner){.on_gone = NULL};
	via_piece_end(&client->pieces, code, piece);
	put_piece(client, piece);
	client->state = CLIENT_ENDING;
	/* A piece that is missing would be noticed by its number, and the end by the connection's.
	 */
	if (client->overflows)
		drop(client);
}

void via_client_own(struct via_client *client, const struct via_client_owner *owner)
{
	client->owner = *owner;
}

static void answer_command(struct via_client *client, const char *text, size_t len)
{
	struct via_request request;
	char why[VIA_WHY], shown[VIA_REQUEST_MAX + 1];

	if (!client->may_ask(&client->peer, client->who)) {
		drop(client);
		return;
	}
	client->state = CLIENT_ANSWERING;
	client->watch.events = 0;
	client->pieces.next = 0;
	client->overflows = false;
	if (via_request_decode(text, len, &request, why)) {
		via_say("VLFD530W", "A command of %s is wrong: %s.", client->who, why);
		via_client_printf(client, "VLFD531E The command is wrong: %s.", why);
		via_client_end(client, LFP_EXIT_USAGE);
		return;
	}
	via_request_encode(&request, shown);
	via_say("VLFD532I", "%s: %s", client->who, shown);
	client->on_request(client, &request);
}

/* Takes the first command that is whole. */
static void take_command(struct via_client *client)
{
	char command[sizeof(client->in)];
	char *newline = memchr(client->in, '\n', client->in_len);
	size_t len = newline ? (size_t)(newline - client->in) : client->in_len;

	if (client->state != CLIENT_READING || (!newline && len <= VIA_REQUEST_MAX))
		return;
	memcpy(command, client->in, len);
	client->in_len -= len + (newline != NULL);
	memmove(client->in, client->in + len + (newline != NULL), client->in_len);
	if (len && command[len - 1] == '\r')
		len--;
	answer_command(client, command, len);
	if (client->state)
		flush(client);
}

static void on_client(struct via_watch *watch, short events)
{
	struct via_client *client = watch->data;
	ssize_t n;

	if (waiting(client) || client->state != CLIENT_READING) {
		if (events & (POLLERR | POLLNVAL) || (events & POLLHUP && !(events & POLLOUT)))
			drop(client);
		else
			flush(client);
		return;
	}
	n = recv(watch->fd, client->in + client->in_len, sizeof(client->in) - 1 - client->in_len,
		 MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) { /* ENOTCONN of AF_IUCV is the end, too */
		drop(client);
		return;
	}
	client->in_len += (size_t)n;
	if (client->messages)
		client->in[client->in_len++] = '\n';
	via_timer_set(&client->silence, SILENCE);
	take_command(client);
}

static void on_silence(struct via_timer *timer)
{
	drop(timer->data);
}

/* One that waits for a command may always go. One whose answer is not made yet stays. */
static bool may_go(const struct via_client *client)
{
	if (client->state == CLIENT_READING)
		return true;
	return waiting(client) && (client->silence.at - via_now() < SILENCE - STALL ||
				   via_now() - client->begun >= SLOW);
}

/* True if @client makes room earlier than @other, which may be NULL. */
static bool goes_before(const struct via_client *client, const struct via_client *other)
{
	bool reads = client->state == CLIENT_READING;

	if (!other || reads != (other->state == CLIENT_READING))
		return !other || reads;
	return client->silence.at < other->silence.at;
}

static struct via_client *find_place(void)
{
	struct via_client *oldest = NULL;

	for (size_t i = 0; i < VIA_CLIENTS_MAX; i++) {
		struct via_client *client = &clients[i];

		if (!client->state)
			return client;
		if (may_go(client) && goes_before(client, oldest))
			oldest = client;
	}
	if (oldest)
		drop(oldest);
	return oldest;
}

bool via_clients_gone(void)
{
	for (size_t i = 0; i < VIA_CLIENTS_MAX; i++)
		if (clients[i].state)
			return false;
	return true;
}

bool via_client_make(const struct via_client_from *from)
{
	struct via_client *client = find_place();

	if (!client)
		return false;
	memset(client, 0, sizeof(*client));
	client->state = CLIENT_READING;
	client->messages = from->messages;
	client->peer = from->peer;
	client->may_ask = from->may_ask;
	client->on_request = from->on_request;
	snprintf(client->who, sizeof(client->who), "%s", from->who);
	client->watch.fd = from->fd;
	client->watch.events = POLLIN;
	client->watch.on_ready = on_client;
	client->silence.on_time = on_silence;
	client->watch.data = client->silence.data = client;
	via_watch_add(&client->watch);
	via_timer_set(&client->silence, SILENCE);
	return true;
}
