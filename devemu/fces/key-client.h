/* SPDX-License-Identifier: Apache-2.0 */
/* key-client.h - an end asks a key server; addresses of key servers */
#ifndef DEVEMU_FCES_KEY_CLIENT_H
#define DEVEMU_FCES_KEY_CLIENT_H

#include <sys/socket.h>

#include "devemu/fces/key-message.h"

enum { KEY_CLIENT_PATIENCE = 5000 }; /* ms, for connecting and for everything after it together */

/* An end, its secret, and the key server that it asks. */
struct key_client {
	const char *name;
	const uint8_t *secret; /* FCES_KEY bytes */
	const struct key_address *address;
	int patience; /* ms; 0: KEY_CLIENT_PATIENCE */
	/* If not NULL: instead of waiting for @fd with poll(), lets a server in this process, with
	 * the other end of the socket @fd, do its next step. 0 or a negative errno.
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
 * server; -ECONNRESET: it has ended each connection until the time was over; -EACCES: it has no key
 * for these two; -ENOKEY: it has, but none of that id; -ENOSPC.
 */
int key_client_get(const struct key_client *client, const char *peer, uint32_t id,
		   struct fces_shared *shared);

/* Error text for people, to complete "CHP50 has no key: ...". */
const char *key_client_why(int rc);

enum { KEY_ADDRESS_TEXT = 128 };

struct key_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

/* @text begins with '/' (a path of up to 107 bytes), or has a host (a number, or a name that is
 * looked up) and a port. 0; -EINVAL: it is neither; -ENAMETOOLONG; -EADDRNOTAVAIL: there is no such
 * host. */
int key_address_parse(struct key_address *address, const char *text);

/* As text, with the port that the kernel has chosen for @fd. */
void key_address_of(int fd, char text[KEY_ADDRESS_TEXT]);

/* A socket that listens there, does not block, and is closed by exec; removes a UNIX socket of the
 * same path without a listener. The descriptor or a negative errno. */
int key_address_listen(const struct key_address *address);

#endif
