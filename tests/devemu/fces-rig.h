/* SPDX-License-Identifier: Apache-2.0 */
/* fces-rig.h - a key server in a thread, and the files of one, for tests */
#ifndef TESTS_DEVEMU_FCES_RIG_H
#define TESTS_DEVEMU_FCES_RIG_H

#include <pthread.h>

#include "devemu/fces/key-client.h"
#include "devemu/fces/key-server.h"

/* Ends ONE, TWO and THREE with a secret of 1s, 2s and 3s; ONE and TWO share a key. */
struct fces_rig {
	char folder[64], socket[96], file[96];
	struct key_file keys;
	struct key_address address;
	struct key_server *server;
	pthread_t thread;
	int wake[2], patience;
	unsigned int served, refused, closed; /* after fces_rig_stop() */
	char why[80];                         /* of the last one refused or closed */
};

extern const uint8_t fces_rig_secret[3][FCES_KEY];

/* @key: 64 hexadecimal digits that ONE and TWO share, or NULL; @patience: of the server, ms. */
void fces_rig_start(struct fces_rig *rig, const char *key, int patience);
/* Starts the server again after fces_rig_stop(), with another text in its file. */
void fces_rig_serve(struct fces_rig *rig, const char *keys);
void fces_rig_stop(struct fces_rig *rig); /* counters stay readable, no request is answered */
void fces_rig_finish(struct fces_rig *rig);

/* A connected socket that blocks for at most 30 s. */
int fces_rig_connect(const struct fces_rig *rig);
/* Waits at most 30 s until the server closes such a socket. Skips data before the end, such as an
 * alert. */
bool fces_rig_is_closed(int fd);

/* As key_client_get() of ONE, TWO or THREE (0 to 2). */
int fces_rig_get(const struct fces_rig *rig, int who, const char *peer, uint32_t id,
		 struct fces_shared *shared);

#endif
