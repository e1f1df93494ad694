/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - consecutive data of one socket, which goes to the host in one vectored send */
#include "lfpd/sock/gather.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "lfpd/state/session.h"

struct gather *gather_create(void (*take)(struct socket *sock, struct gather *gather))
{
	struct gather *gather = calloc(1, sizeof(*gather));

	if (gather)
		gather->take = take;
	return gather;
}

void gather_add(struct session *session, struct socket *sock, const struct lfp_bytes *payload,
		uint8_t flags)
{
	struct gather *gather = session->gather;
	bool urgent = flags & LFP_FRAME_URGENT;

	if (gather->sock != sock || gather->nr == GATHER_PARTS || urgent)
		gather_send(session);
	gather->sock = sock;
	gather->parts[gather->nr++] = (struct iovec){(void *)(uintptr_t)payload->ptr, payload->len};
	gather->len += payload->len;
	gather->flags = flags;
	if (urgent)
		gather_send(session);
}

void gather_send(struct session *session)
{
	struct gather *gather = session->gather;
	struct socket *sock = gather->sock;

	if (!sock)
		return;
	gather->sock = NULL;
	gather->take(sock, gather);
	gather->nr = 0;
	gather->len = 0;
}

void gather_drop(struct session *session)
{
	session->gather->sock = NULL;
}

ssize_t gather_write(struct gather *gather, int fd, int flags)
{
	struct msghdr msg = {.msg_iov = gather->parts, .msg_iovlen = gather->nr};
	const struct iovec *part = gather->parts;

	/* A single part costs less this way. */
	if (gather->nr == 1)
		return send(fd, part->iov_base, part->iov_len, flags);
	return sendmsg(fd, &msg, flags);
}

int gather_queue(const struct gather *gather, struct byte_queue *queue, struct buffer_pool *pool,
		 size_t done)
{
	for (unsigned int i = 0; i < gather->nr; i++) {
		const struct iovec *part = &gather->parts[i];
		size_t skip = done < part->iov_len ? done : part->iov_len;
		int rc = 0;

		done -= skip;
		if (skip < part->iov_len)
			rc = queue_append(queue, pool, (const uint8_t *)part->iov_base + skip,
					  part->iov_len - skip);
		if (rc)
			return rc;
	}
	return 0;
}
