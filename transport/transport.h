/* SPDX-License-Identifier: Apache-2.0 */
/* transport.h - one reliable connection that carries packets, whatever is below */
#ifndef TRANSPORT_TRANSPORT_H
#define TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

/*
 * A transport keeps the boundaries of packets, delivers them in order and once, and says when the
 * peer is gone. The z/VSE side connects, lfpd listens. Everything runs on one libuv loop; no
 * function blocks. Functions return 0, a count or a negative errno.
 */

struct transport;

/* Where to listen or to connect to; a transport uses what it needs. */
struct transport_where {
	const char *path;  /* unix: the path of the socket */
	const char *vmid;  /* iucv: z/VM user id or hsuid of the far side; NULL for a listener */
	const char *name;  /* iucv: application name of the far side, of ourselves for a listener */
	uint32_t msglimit; /* packets in flight that are asked for */
};

/* Who is at the other end, as the transport itself can tell. */
struct transport_peer {
	char vmid[9];    /* "" if the transport cannot tell */
	char appname[9]; /* "" if the transport cannot tell */
	bool has_ucred;
	pid_t pid;
	uid_t uid;
	gid_t gid;
	char text[96]; /* for messages */
};

struct transport_conn {
	const struct transport *transport;
	void *data; /* the owner's */
	/* Called while watched; after close() none of them is called. */
	void (*on_readable)(struct transport_conn *conn);
	void (*on_writable)(struct transport_conn *conn);
	void (*on_closed)(
		struct transport_conn *conn); /* close() is complete; conn is freed after it */
};

struct transport_listener {
	const struct transport *transport;
	void *data;
	/* A new connection; the callee sets its callbacks and data and owns it from now on. */
	void (*on_connection)(struct transport_listener *listener, struct transport_conn *conn);
	/* Accepting pauses for lack of descriptors (@error), or goes on again (0). */
	void (*on_pause)(struct transport_listener *listener, int error);
};

typedef void (*transport_connected_cb)(void *data, int status, struct transport_conn *conn);

enum {
	TRANSPORT_READ = 1,
	TRANSPORT_WRITE = 2,
};

struct transport {
	const char *name;
	bool pretends_iucv; /* no CP is below: who connects asks the pretend one, transport/vm.h */

	/* Listen; *out is owned by the caller until stop(). Its callbacks and data are set by the
	 * caller before the loop runs again. */
	int (*listen)(uv_loop_t *loop, const struct transport_where *where,
		      struct transport_listener **out);
	void (*stop)(struct transport_listener *listener);

	/* Connect; @cb is called once, later, from the loop, with the connection or the reason. */
	int (*connect)(uv_loop_t *loop, const struct transport_where *where,
		       transport_connected_cb cb, void *data);

	/* One packet. 0, -EAGAIN (watch TRANSPORT_WRITE), -EMSGSIZE, or the reason of the end. */
	int (*send)(struct transport_conn *conn, const uint8_t *packet, size_t len);

	/* One packet. Its length, 0 at the orderly end, -EAGAIN, -EMSGSIZE (longer than @room), or
	 * the reason of the end. */
	ssize_t (*receive)(struct transport_conn *conn, uint8_t *buf, size_t room);

	/* Which of TRANSPORT_READ, TRANSPORT_WRITE the owner waits for. */
	void (*watch)(struct transport_conn *conn, unsigned int events);

	/* Packets that were sent and that the peer has not yet taken off the path, or -ENOTSUP
	 * where the transport cannot tell (the path then counts by itself). */
	int64_t (*credit)(struct transport_conn *conn);

	void (*close)(struct transport_conn *conn);
	void (*describe)(struct transport_conn *conn, struct transport_peer *out);
};

extern const struct transport transport_unix;

#endif
