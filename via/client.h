/* SPDX-License-Identifier: Apache-2.0 */
/* client.h - a connection of the controller: commands come, answers go in pieces */
#ifndef VIA_CLIENT_H
#define VIA_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "via/request.h"
#include "via/settings.h"

#define VIA_CLIENTS_MAX                                                                            \
	4 /* at once; a further one takes the place of the one that is silent for longest */

/* A connection, from which one command at a time is taken. */
struct via_client;

#define VIA_WHO 64 /* bytes */

/* What a client is made of. */
struct via_client_from {
	int fd;        /* does not block; closed with the client */
	bool messages; /* each command and each piece is a message (AF_IUCV), and no line of a
			  stream */
	char who[VIA_WHO];
	struct via_controller peer;
	/* Asked before each command: the configuration may have changed. */
	bool (*may_ask)(const struct via_controller *peer, const char *who);
	void (*on_request)(struct via_client *client, const struct via_request *request);
};

/* Returns false if all places are taken by clients that wait for answers, or take them; @from->fd
 * is still the caller's. */
bool via_client_make(const struct via_client_from *from);

/* True when no client is connected. */
bool via_clients_gone(void);

/* Connections since the boot that were refused, because their peers may give no commands. */
extern unsigned long via_refused;

/* Gives the client a line of its answer. */
void via_client_line(struct via_client *client, const char *text, size_t len);
void via_client_printf(struct via_client *client, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends the answer. The next command is taken when it is sent. */
void via_client_end(struct via_client *client, int code);

/* Of the answer that is under way: its owner is told when the client keeps up again, or has gone.
 */
struct via_client_owner {
	void (*on_room)(void *data, bool room);
	void (*on_gone)(void *data);
	void *data;
};
void via_client_own(struct via_client *client, const struct via_client_owner *owner);

#endif
