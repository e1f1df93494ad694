/* SPDX-License-Identifier: Apache-2.0 */
/* stream-ends.h - a path on a stream socket: either side may dial, the other one listens */
#ifndef TRANSPORT_STREAM_ENDS_H
#define TRANSPORT_STREAM_ENDS_H

#include "transport/dial.h"
#include "transport/listen-socket.h"
#include "transport/stream-socket.h"

/* The part that differs between kinds of stream sockets. Functions return a negative errno on
 * failure, and may then write a half-sentence into @why, TRANSPORT_WHY bytes. */
struct stream_kind {
	const struct transport *transport; /* the functions of its connections and listeners */
	bool peeks;                        /* its connections do (stream-socket.h) */
	/* Returns a listening socket that does not block. Fills @path with the file to remove at
	 * the end; "": none. */
	int (*listen)(const struct transport_where *where,
		      char path[static sizeof(((struct sockaddr_un *)0)->sun_path)], char *why);
	/* Returns a socket that does not block and whose connect() was begun. Fills the line that
	 * dial.h describes. */
	int (*dial)(const struct transport_where *where, char line[static DIAL_LINE], char *why);
	/* Returns 0 if the peer at @fd is the configured one. May be NULL. */
	int (*admit)(const struct transport_where *where, int fd, char *why);
};

/* As listen(), stop() and connect() of struct transport. A listener that @dials makes one
 * connection at a time: the next one after the present one has ended. A side that connects and does
 * not dial waits some seconds for the peer to do it. */
int streamsock_listen(uv_loop_t *loop, const struct transport_where *where,
		      const struct stream_kind *kind, bool dials, struct transport_listener **out);
void streamsock_stop(struct transport_listener *listener);
int streamsock_connect(uv_loop_t *loop, const struct transport_where *where,
		       const struct stream_kind *kind, bool dials, transport_connected_cb cb,
		       void *data);

#endif
