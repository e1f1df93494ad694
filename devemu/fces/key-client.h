/* SPDX-License-Identifier: Apache-2.0 */
/* key-client.h - an end asks a key server */
#ifndef DEVEMU_FCES_KEY_CLIENT_H
#define DEVEMU_FCES_KEY_CLIENT_H

#include "devemu/fces/key-address.h"
#include "devemu/fces/key-message.h"

enum { KEY_CLIENT_PATIENCE = 5000 }; /* ms, for connecting and for everything after it together */

/* Who asks whom. */
struct key_client {
	const char *name;
	const uint8_t *secret; /* FCES_KEY bytes */
	const struct key_address *address;
	int patience; /* ms; 0: KEY_CLIENT_PATIENCE */
	/* If not NULL: instead of waiting for @fd with poll(), let the server do its next step,
	 * which is in this process and has the other end of the socket @fd. 0 or a negative errno.
	 */
	int (*wait)(void *context);
	void *context;
	int fd; /* with @wait */
};

/**
 * key_client_get() - the key of @client->name and @peer
 * @id:	of the key; 0: the newest
 *
 * Return: 0; the errno of connecting (-ECONNREFUSED, -ENOENT and others: no server is there);
 * -ETIMEDOUT; -EKEYREJECTED: server and end do not have the same secret; -EPROTO: it is no key
 * server; -ECONNRESET: it has ended each connection, until patience was at its end; -EACCES: it has
 * no key for these two; -ENOKEY: it has, but none of that id; -ENOSPC.
 */
int key_client_get(const struct key_client *client, const char *peer, uint32_t id,
		   struct fces_shared *shared);

/* Why, for people: what completes "CHP50 has no key: ...". */
const char *key_client_why(int rc);

#endif
