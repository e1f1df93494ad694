/* SPDX-License-Identifier: Apache-2.0 */
/* socket.h - the UNIX socket by which two sides find each other, for transports on one machine */
#ifndef TRANSPORT_SOCKET_H
#define TRANSPORT_SOCKET_H

#include <sys/un.h>

#include "transport/transport.h"

/* A listener; a transport's own may begin with it. */
struct socket_listener {
	struct transport_listener base;
	struct transport_where where;
	/* Somebody has connected; owns @fd from now on. 0 or a negative errno. */
	int (*on_accept)(struct socket_listener *listener, int fd);
	uv_poll_t poll;
	uv_timer_t timer; /* while accepting pauses */
	int fd;
	bool paused;  /* for lack of descriptors */
	bool stopped; /* there is no owner any more */
	int handles;  /* what still needs the memory */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

/* Listen at where->path. @listener is zero but for its transport and on_accept, and comes from
 * calloc(); it is freed by itself after socket_stop(). 0 or a negative errno. */
int socket_listen(uv_loop_t *loop, const struct transport_where *where,
		  struct socket_listener *listener);
void socket_stop(struct socket_listener *listener);

/* The memory is needed by one more, or by one less. */
void socket_listener_hold(struct socket_listener *listener);
void socket_listener_release(struct socket_listener *listener);

/* A connected SOCK_SEQPACKET socket that does not block, or a negative errno. */
int socket_connect(const char *path);

/* Who is at the other end. */
void socket_describe(int fd, struct transport_peer *out);

#endif
