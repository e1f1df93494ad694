/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - consecutive data of one socket, which goes to the host in one vectored send */
#ifndef LFPD_SOCK_GATHER_H
#define LFPD_SOCK_GATHER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "lfp/frame.h"
#include "lfpd/base/buffers.h"

struct session;
struct socket;

#define GATHER_PARTS 16

/* The payloads lie in the packets that the path looks at, and are good until the end of its batch.
 */
struct gather {
	/* Sends to the host what was gathered of the socket's data. */
	void (*take)(struct socket *sock, struct gather *gather);
	struct socket *sock; /* the socket of the data; NULL: no data */
	unsigned int nr;
	uint32_t len;
	uint8_t flags; /* of the last frame */
	struct iovec parts[GATHER_PARTS];
};

/* Returns a gather for a new session, or NULL without memory; free it with free(). @take: as in the
 * struct. */
struct gather *gather_create(void (*take)(struct socket *sock, struct gather *gather));

/* Add data; sends first what cannot go with it. The payload counts as received already. */
void gather_add(struct session *session, struct socket *sock, const struct lfp_bytes *payload,
		uint8_t flags);

void gather_send(struct session *session);

/* Sends the parts to the host's socket @fd. Returns as send(2). */
ssize_t gather_write(struct gather *gather, int fd, int flags);

/* Copy to @queue what comes after the first @done bytes. 0 or -ENOMEM. */
int gather_queue(const struct gather *gather, struct byte_queue *queue, struct buffer_pool *pool,
		 size_t done);

/* The session ends. */
void gather_drop(struct session *session);

#endif
