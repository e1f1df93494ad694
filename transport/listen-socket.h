/* SPDX-License-Identifier: Apache-2.0 */
/* listen-socket.h - a socket that is listened on, and the UNIX socket by which two sides on one
 * machine meet */
#ifndef TRANSPORT_LISTEN_SOCKET_H
#define TRANSPORT_LISTEN_SOCKET_H

#include <sys/un.h>

#include "lfp/list.h"
#include "transport/transport.h"

/* A peer that has connected and is not yet known: the connection has no owner. */
struct socket_guest {
	struct lfp_list entry; /* in listener->guests */
	bool heard;            /* a word of it has come */
	/* Ends it to make room for others. @why is text for people, NULL to say nothing. */
	void (*give_way)(void *data, const char *why);
	void *data;
};

#define SOCKET_GUESTS 16 /* at a time */

/* A listener; a transport's own may begin with it. */
struct socket_listener {
	struct transport_listener base;
	struct transport_where where;
	/* A peer has connected. The callee owns @fd. 0 or a negative errno. */
	int (*on_accept)(struct socket_listener *listener, int fd);
	uv_poll_t poll;
	uv_timer_t timer; /* while accepting pauses, or to look for the unannounced */
	int fd;
	bool paused;  /* for lack of descriptors */
	bool look;    /* the kernel does not tell of all that have connected: see by itself */
	bool stopped; /* the owner has gone */
	int handles;  /* users of the memory */
	struct lfp_list guests; /* struct socket_guest, as they came */
	unsigned int nr_guests;
	bool crowded; /* a guest was dropped, and a message reported it */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* "" if it has none */
};

/* Listen at where->path. @listener is zero but for its transport and on_accept, and comes from
 * calloc(); it is freed by itself after socket_stop(). 0 or a negative errno. */
int socket_listen(uv_loop_t *loop, const struct transport_where *where,
		  struct socket_listener *listener);

/* The same on @fd, a non-blocking listening socket, which the listener owns from now on. @path is
 * removed at the end; "": nothing. */
int socket_listen_on(uv_loop_t *loop, const struct transport_where *where, int fd, const char *path,
		     struct socket_listener *listener);
void socket_stop(struct socket_listener *listener);

/* Adds a guest. The guest needs the listener's memory until socket_listener_release(). If there are
 * SOCKET_GUESTS already, the first that has sent nothing gives way, or the first of all. So silent
 * peers keep nobody out. */
void socket_guest_add(struct socket_listener *listener, struct socket_guest *guest);

/* Removes a guest. */
void socket_guest_remove(struct socket_listener *listener, struct socket_guest *guest);
void socket_listener_release(struct socket_listener *listener);

/* A connected SOCK_SEQPACKET socket that does not block, or a negative errno. */
int socket_connect(const char *path);

/* Fills @out with the peer at the other end. */
void socket_describe(int fd, struct transport_peer *out);

#endif
