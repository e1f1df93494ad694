/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - datagrams on a path, in as many frames as they need */
#ifndef TRANSPORT_PARTS_H
#define TRANSPORT_PARTS_H

#include <stdint.h>

#include "lfp/datagram.h"
#include "transport/path.h"

/* A datagram that is to be sent, whole or from where it was interrupted. */
struct parts {
	uint64_t sock, position; /* as DATAGRAM has them */
	struct lfp_meta meta;
	const uint8_t *data;
	uint32_t total;
	uint32_t sent; /* bytes; all of them and `begun` when it is done */
	bool begun;    /* at least one frame is sent */
};

/* Send what is left of it: 0 if it is done, -EAGAIN if the path takes no more now (on_ready will be
 * called), or another negative errno, after which it can't be sent. */
int parts_send(struct path *path, struct parts *parts);

#endif
