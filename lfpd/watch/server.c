/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - a small server on the loop: one question a connection, one answer */
#include "lfpd/watch/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/list.h"
#include "transport/passed.h"

/*
 * Theory of operation
 *
 * A client must ask within ASK_MS, take some of its answer every STALL_MS, and be done after
 * WHOLE_MS. Otherwise lfpd drops it. So no client holds a place by single bytes now and then.
 *
 * close() with unread bytes resets a TCP connection, and the reset may overtake the answer. So
 * after the answer our side is shut down, and what the client still says is thrown away for at most
 * DRAIN_MS.
 */

#define ASK_MS   5000
#define STALL_MS 5000
#define WHOLE_MS 60000
#define DRAIN_MS 1000
#define PAUSE_MS 100 /* without a descriptor */

enum client_state {
	CLIENT_ASKS,   /* the question is read */
	CLIENT_TAKES,  /* the answer is written */
	CLIENT_DRAINS, /* the answer is written; input is dropped until the end of file */
};

struct server {
	const struct server_ops *ops;
	void *data;
	uv_loop_t *loop;
	uv_poll_t poll;
	uv_timer_t timer; /* while accepting pauses */
	int fd;
	bool paused;
	int handles;             /* still to be closed by libuv */
	struct lfp_list clients; /* struct server_client, as they came */
	unsigned int nr_clients;
};

struct server_client {
	struct lfp_list entry; /* in server->clients */
	struct server *server;
	enum client_state state;
	uv_poll_t poll;
	uv_timer_t timer;
	int fd;
	int handles;
	uint64_t deadline; /* of the whole answer, uv_now() */

	char *answer;
	size_t answer_len, sent;
	bool said; /* by server_say(); answer() may still run */
	char *said_text;
	size_t said_len;
	bool makes; /* answer() runs */
	bool waits; /* for server_say() */
	bool (*more)(void *state, FILE *out);
	void (*forget)(void *state);
	void *more_state;

	size_t len;
	char question[]; /* ops->question_max bytes and a NUL */
};

static void on_client_closed(uv_handle_t *handle)
{
	struct server_client *client = handle->data;

	if (--client->handles)
		return;
	free(client->answer);
	free(client->said_text);
	free(client);
}

static void let_go(struct server_client *client)
{
	lfp_list_del(&client->entry);
	client->server->nr_clients--;
	if (client->forget)
		client->forget(client->more_state);
	uv_close((uv_handle_t *)&client->poll, on_client_closed);
	uv_close((uv_handle_t *)&client->timer, on_client_closed);
	passed_end(client->fd);
}

static void on_late(uv_timer_t *timer)
{
	let_go(timer->data);
}

static void on_drain(uv_poll_t *poll, int status, int events)
{
	struct server_client *client = poll->data;
	char bin[4096];
	ssize_t n = status < 0 ? 0 : passed_receive(client->fd, bin, sizeof(bin));

	(void)events;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		let_go(client);
}

static void drain(struct server_client *client)
{
	client->state = CLIENT_DRAINS;
	(void)shutdown(client->fd, SHUT_WR);
	uv_timer_start(&client->timer, on_late, DRAIN_MS, 0);
	uv_poll_start(&client->poll, UV_READABLE, on_drain);
}

/* Have the next piece written to memory; false if that fails. */
static bool make_piece(struct server_client *client)
{
	FILE *out;

	free(client->answer);
	client->answer = NULL;
	client->answer_len = client->sent = 0;
	out = open_memstream(&client->answer, &client->answer_len);
	if (!out)
		return false;
	if (client->state == CLIENT_ASKS)
		client->server->ops->answer(client, client->question, client->len, out);
	else if (!client->more(client->more_state, out))
		client->more = NULL;
	return !fclose(out);
}

static void made_progress(struct server_client *client)
{
	uint64_t now = uv_now(client->server->loop);
	uint64_t left = client->deadline > now ? client->deadline - now : 0;

	uv_timer_start(&client->timer, on_late, left < STALL_MS ? left : STALL_MS, 0);
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
	struct server_client *client = poll->data;
	ssize_t n;

	(void)events;
	n = status < 0 ? -1
		       : send(client->fd, client->answer + client->sent,
			      client->answer_len - client->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && status >= 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		let_go(client);
		return;
	}
	client->sent += (size_t)n;
	if (n)
		made_progress(client);
	if (client->sent < client->answer_len)
		return;
	if (!client->more)
		drain(client);
	else if (!make_piece(client))
		let_go(client);
}

static void begin_to_write(struct server_client *client)
{
	client->state = CLIENT_TAKES;
	client->deadline = uv_now(client->server->loop) + WHOLE_MS;
	made_progress(client);
	uv_poll_start(&client->poll, UV_WRITABLE, on_writable);
}

static void use_said(struct server_client *client)
{
	if (!client->said_text) {
		let_go(client);
		return;
	}
	free(client->answer);
	client->answer = client->said_text;
	client->answer_len = client->said_len;
	client->said_text = NULL;
	begin_to_write(client);
}

static void answer(struct server_client *client)
{
	client->question[client->len] = '\0';
	/* Its events mean nothing until there is an answer. */
	uv_poll_stop(&client->poll);
	client->makes = true;
	if (!make_piece(client)) {
		let_go(client);
		return;
	}
	client->makes = false;
	if (client->waits)
		uv_timer_start(&client->timer, on_late, WHOLE_MS, 0);
	else if (client->said)
		use_said(client);
	else
		begin_to_write(client);
}

void server_wait(struct server_client *client, void (*forget)(void *state), void *state)
{
	client->waits = true;
	client->forget = forget;
	client->more_state = state;
}

void server_wait_no_more(struct server_client *client)
{
	client->waits = false;
	client->forget = NULL;
}

void server_say(struct server_client *client, char *text, size_t len)
{
	server_wait_no_more(client);
	client->said = true;
	client->said_text = text;
	client->said_len = len;
	/* Else answer() itself goes on with it. */
	if (!client->makes)
		use_said(client);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct server_client *client = poll->data;
	const struct server_ops *ops = client->server->ops;
	ssize_t n = status < 0 ? 0
			       : passed_receive(client->fd, client->question + client->len,
						ops->question_max - client->len);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		let_go(client);
		return;
	}
	client->len += (size_t)n;
	if (ops->complete(client->question, client->len) ||
	    (client->len == ops->question_max && ops->answers_too_long))
		answer(client);
	else if (client->len == ops->question_max)
		let_go(client);
}

static struct server_client *first_client(const struct server *server)
{
	return lfp_list_first_entry(&server->clients, struct server_client, entry);
}

static void client_create(struct server *server, int fd)
{
	struct server_client *client;

	if (server->nr_clients >= SERVER_CLIENTS)
		let_go(first_client(server));
	client = calloc(1, sizeof(*client) + server->ops->question_max + 1);
	if (!client || uv_poll_init(server->loop, &client->poll, fd)) {
		free(client);
		passed_end(fd);
		return;
	}
	uv_timer_init(server->loop, &client->timer);
	client->server = server;
	client->fd = fd;
	(void)passed_refuse(fd);
	numbers_note(fd);
	client->handles = 2;
	client->poll.data = client->timer.data = client;
	lfp_list_init(&client->entry);
	lfp_list_append(&server->clients, &client->entry);
	server->nr_clients++;
	uv_poll_start(&client->poll, UV_READABLE, on_readable);
	uv_timer_start(&client->timer, on_late, ASK_MS, 0);
}

static void on_connection(uv_poll_t *poll, int status, int events);

static void on_pause_over(uv_timer_t *timer)
{
	struct server *server = timer->data;

	uv_poll_start(&server->poll, UV_READABLE, on_connection);
}

static void on_connection(uv_poll_t *poll, int status, int events)
{
	struct server *server = poll->data;
	int fd = accept4(server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	int error = fd < 0 ? errno : 0;

	(void)status;
	(void)events;
	if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
		if (!server->paused)
			server->ops->on_pause(server, error);
		server->paused = true;
		uv_poll_stop(poll);
		uv_timer_start(&server->timer, on_pause_over, PAUSE_MS, 0);
		return;
	}
	if (fd < 0)
		return;
	if (server->paused)
		server->ops->on_pause(server, 0);
	server->paused = false;
	client_create(server, fd);
}

int server_listen(uv_loop_t *loop, int fd, const struct server_ops *ops, void *data,
		  struct server **out)
{
	struct server *server = calloc(1, sizeof(*server));
	int rc;

	if (!server)
		return -ENOMEM;
	rc = uv_poll_init(loop, &server->poll, fd);
	if (rc) {
		free(server);
		return rc;
	}
	uv_timer_init(loop, &server->timer);
	server->ops = ops;
	server->data = data;
	server->loop = loop;
	server->fd = fd;
	server->handles = 2;
	server->poll.data = server->timer.data = server;
	lfp_list_init(&server->clients);
	uv_poll_start(&server->poll, UV_READABLE, on_connection);
	*out = server;
	return 0;
}

static void on_server_closed(uv_handle_t *handle)
{
	struct server *server = handle->data;

	if (--server->handles == 0)
		free(server);
}

void server_stop(struct server *server)
{
	struct server_client *client;

	while ((client = first_client(server)))
		let_go(client);
	uv_close((uv_handle_t *)&server->poll, on_server_closed);
	uv_close((uv_handle_t *)&server->timer, on_server_closed);
	passed_end(server->fd);
}

void *server_data(const struct server *server)
{
	return server->data;
}

struct server *server_of(const struct server_client *client)
{
	return client->server;
}

void server_go_on(struct server_client *client, bool (*more)(void *state, FILE *out),
		  void (*forget)(void *state), void *state)
{
	client->more = more;
	client->forget = forget;
	client->more_state = state;
}
