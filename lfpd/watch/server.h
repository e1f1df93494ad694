/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - a small server on the loop: one question a connection, one answer */
#ifndef LFPD_WATCH_SERVER_H
#define LFPD_WATCH_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <uv.h>

struct server;
struct server_client;

/*
 * No client can hold up the loop: no call waits, an answer is made in pieces as the client reads,
 * and lfpd drops a client that is slow with its question or its answer. At most SERVER_CLIENTS are
 * there at a time; one more takes the place of the oldest.
 */
#define SERVER_CLIENTS 16

struct server_ops {
	size_t question_max; /* bytes */
	/* Returns whether the whole question has arrived. @text has @len bytes. */
	bool (*complete)(const char *text, size_t len);
	/* Write the answer, or its first piece, to @out. @text may be changed; it has a NUL after
	 * its @len bytes, also if the question is too long and not complete(). */
	void (*answer)(struct server_client *client, char *text, size_t len, FILE *out);
	bool answers_too_long; /* otherwise a client with a longer question is dropped */
	/* Called when accepting pauses (@error: the errno number) or continues (0). */
	void (*on_pause)(struct server *server, int error);
};

/**
 * server_listen() - serve a listening socket
 * @fd:		listens, does not block; owned by the server if 0 is returned
 * @data:	for the owner
 *
 * Return: 0 or a negative errno.
 */
int server_listen(uv_loop_t *loop, int fd, const struct server_ops *ops, void *data,
		  struct server **out);

/* Disconnects all clients; the loop frees their memory. */
void server_stop(struct server *server);

void *server_data(const struct server *server);
struct server *server_of(const struct server_client *client);

/**
 * server_go_on() - the answer has more pieces
 * @more:	called when what was written is taken; writes the next piece; false if it was the
 * last
 * @forget:	frees @state, whatever becomes of the client
 *
 * Called from answer().
 */
void server_go_on(struct server_client *client, bool (*more)(void *state, FILE *out),
		  void (*forget)(void *state), void *state);

/**
 * server_wait() - the answer comes later, by server_say()
 * @forget:	called if the client is dropped before that, with @state
 *
 * Called from answer(), which then writes nothing.
 */
void server_wait(struct server_client *client, void (*forget)(void *state), void *state);

/* Takes that back, within the same call of answer(). */
void server_wait_no_more(struct server_client *client);

/* Gives a client that waits its answer, which is freed. NULL drops the client. */
void server_say(struct server_client *client, char *text, size_t len);

#endif
