/* SPDX-License-Identifier: Apache-2.0 */
/* transport.h - one reliable connection that carries packets, whatever is below */
#ifndef TRANSPORT_TRANSPORT_H
#define TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <uv.h>

#include "transport/packets.h"
#include "transport/settings.h"

/*
 * A transport keeps the boundaries of packets, delivers them in order and once, and says when the
 * peer is gone. The z/VSE side connects, lfpd listens. Everything runs on one libuv loop; no
 * function blocks. Functions return 0, a count or a negative errno.
 *
 * Packets go by reference. The sender builds each packet in the transport's own memory if there is
 * a place(), so that data is received straight into it, and hands over several a call. The receiver
 * uses packets in the transport's memory, several a call, until it releases them.
 */

struct transport;
struct transport_report; /* needs.h */

#define TRANSPORT_WHY 160

/* Where to listen or to connect to; a transport uses what it needs. */
struct transport_where {
	const char *path;  /* of the socket where both sides meet */
	const char *vmid;  /* z/VM user id or hsuid of the far side; NULL for a listener */
	const char *name;  /* application name of lfpd */
	const char *own;   /* application name of the side that connects */
	uint32_t msglimit; /* packets in flight that are asked for */
	uint32_t mtu;      /* longest packet that is received, bytes */
	/* TRANSPORT_WHY bytes for the reason of a failure: a half-sentence that says more than
	 * errno. Unchanged without a reason. Must be valid until the callback of connect(). May be
	 * NULL. */
	char *why;
	struct transport_settings settings; /* see transport_settings_init() */
};

#define TRANSPORT_GROUPS_MAX 64

/* The peer, as far as the transport itself knows it. */
struct transport_peer {
	char vmid[9];    /* "" if the transport cannot tell */
	char appname[9]; /* "" if the transport cannot tell */
	bool has_ucred;
	pid_t pid;
	uid_t uid;
	gid_t gid;
	gid_t groups[TRANSPORT_GROUPS_MAX]; /* supplementary ones */
	unsigned int nr_groups;             /* 0 also of a process that has more than fit */
	char text[96];                      /* for messages */
};

/* Counts of a connection. */
struct transport_counts {
	uint64_t calls_out, calls_in;     /* send(), receive() that moved at least one packet */
	uint64_t full;                    /* times that not all packets were taken */
	uint64_t wakeups_out, wakeups_in; /* times the peer was woken, and we were */
	uint64_t polls_hit,
		polls_missed; /* polls before sleep that ended by a packet, or did not */
};

struct transport_conn {
	const struct transport *transport;
	struct transport_counts counts;
	char vmid[9]; /* of this side, if the transport knows it, else "" */
	bool drained; /* the last receive() gave all that was there: on_readable tells of more */
	void *data;   /* the owner's */
	/* Called while watched; after close() none of them is called. */
	void (*on_readable)(struct transport_conn *conn);
	void (*on_writable)(struct transport_conn *conn);
	/* The owner should send packets that are partly filled: its own turn to send is over. May
	 * be NULL. */
	void (*on_turn)(struct transport_conn *conn);
	/* Returns a packet that send() has taken to the owner; only if transport->keeps. */
	void (*on_sent)(struct transport_conn *conn, struct packet *packet);
	void (*on_closed)(
		struct transport_conn *conn); /* close() is complete; conn is freed after it */
};

struct transport_listener {
	const struct transport *transport;
	char vmid[9];     /* of this side, if the transport knows it, else "" */
	const char *file; /* the socket that peers open; NULL: there is none */
	void *data;
	/* A new connection; the callee sets its callbacks and data and owns it from now on. */
	void (*on_connection)(struct transport_listener *listener, struct transport_conn *conn);
	/* Accepting pauses for lack of descriptors, or a peer that this side dials cannot be
	 * reached (@error); or it goes on again (0). */
	void (*on_pause)(struct transport_listener *listener, int error);
	/* The transport has refused a peer; @why is text for people. May be NULL. */
	void (*on_refused)(struct transport_listener *listener, const char *why);
};

typedef void (*transport_connected_cb)(void *data, int status, struct transport_conn *conn);

enum {
	TRANSPORT_READ = 1,
	TRANSPORT_WRITE = 2,
};

/* The device of a connection, if the transport has one, and its counts: of all frames, and of bytes
 * with headers. */
struct transport_device {
	uint32_t mtu, frame; /* bytes */
	uint32_t buffers;    /* of a queue */
	bool has_cq;         /* a completion queue */
	uint64_t bytes_in, frames_in, bytes_out, frames_out;
	uint64_t no_protocol;                        /* frames_in that are not of AF_IUCV */
	uint64_t discarded_in;                       /* AF_IUCV frames of other connections */
	uint64_t pending, pending_max, pending_ever; /* transfers that wait for a buffer */
	uint64_t done_ok, done_unreachable, done_error, done_twice; /* completions */
	uint64_t target_full; /* frames lost for lack of a buffer */
	uint64_t busy, full;  /* SIGAs that found HiperSockets busy, or no room for a transfer */
	uint64_t interrupts_in, interrupts_out;
	uint64_t messages, limit; /* messages that the peer has not read; its limit of them */
};

struct transport {
	const char *name;
	bool pretends_iucv; /* no CP is below: the connecting side asks the emulated one,
			       transport/vm.h */
	bool shared; /* the peer may change packets while they are looked at: see path-in.c */
	bool lone; /* a peer's names belong to one connection: a second one with them means that the
		      first is lost */
	bool keeps;             /* send() keeps the packets, and returns them with on_sent() */
	bool threads;           /* connect() needs libuv's threads */
	unsigned int batch;     /* packets that are worth waiting for within a turn of the loop */
	uint32_t msglimit;      /* default of the message limit; 0: that of the configuration */
	const char *listens_at; /* where it listens, for messages; NULL: at the path */

	/* Its keys in the configurations, and a check of their values: 0, or -EINVAL with the
	 * fault. @mtu is that of the path, bytes. The function may be missing. */
	struct transport_keys keys[TRANSPORT_SIDES];
	int (*check)(const struct transport_settings *settings, enum transport_side side,
		     uint32_t mtu, struct transport_fault *fault);

	/* Returns true if the settings work but LFP does not allow them; they are for tests. The
	 * function may be missing. */
	bool (*warns)(const struct transport_settings *settings, enum transport_side side,
		      struct transport_fault *warning);

	/* Returns the NN of the LFP instance that runs in lfpd's process. The function is missing
	 * if both sides are processes of their own. */
	const char *(*hosted)(const struct transport_settings *settings);

	/* Names of what it needs of the system, NULL behind the last one, and the report about
	 * each, in this order. Both are missing if it needs nothing that may be absent. */
	const char *const *needs;
	void (*check_needs)(const struct transport_settings *settings, uint32_t mtu,
			    const struct transport_report *report);

	/* Listen; *out is owned by the caller until stop(). Its callbacks and data are set by the
	 * caller before the loop runs again. */
	int (*listen)(uv_loop_t *loop, const struct transport_where *where,
		      struct transport_listener **out);
	void (*stop)(struct transport_listener *listener);

	/* Connect; @cb is called once, later, from the loop, with the connection or the reason.
	 * -EPROTONOSUPPORT: the listener there uses another transport. */
	int (*connect)(uv_loop_t *loop, const struct transport_where *where,
		       transport_connected_cb cb, void *data);

	/* Where the next packet can be built so that send() need not copy it: @size bytes, or NULL
	 * if there is no room now. Good until the next send(), which is of that packet or of none
	 * before it. The function may be missing. */
	uint8_t *(*place)(struct transport_conn *conn, size_t size);

	/* Send @nr packets. Returns how many were taken, in order; if not all, watch
	 * TRANSPORT_WRITE. -EMSGSIZE, or the reason of the end. */
	int (*send)(struct transport_conn *conn, struct packet **packets, unsigned int nr);

	/* Receives up to @max packets. Returns their number, 0 at the orderly end, -EAGAIN,
	 * -EMSGSIZE (longer than the MTU), or the reason of the end. They are good until release(),
	 * which must come before the next receive(). */
	int (*receive)(struct transport_conn *conn, struct iovec *packets, unsigned int max);
	void (*release)(struct transport_conn *conn);

	/* Of packet @i, counted from 0, of the last receive(): the pipe with the payload of its
	 * only frame, or NULL. A caller that sets it to NULL owns the pipe. Both sides are one
	 * process. The function may be missing: then send() takes no packets with a pipe. */
	struct held_pipe **(*pipe)(struct transport_conn *conn, unsigned int i);

	/* Which of TRANSPORT_READ, TRANSPORT_WRITE the owner waits for. */
	void (*watch)(struct transport_conn *conn, unsigned int events);

	/* Packets that were sent and that the peer has not yet taken off the path, or -ENOTSUP
	 * where the transport cannot tell (the path then counts by itself). */
	int64_t (*credit)(struct transport_conn *conn);

	/* The report of its device, for NETSTAT. NULL if there is no device. */
	void (*device)(struct transport_conn *conn, struct transport_device *out);

	void (*close)(struct transport_conn *conn);
	void (*describe)(struct transport_conn *conn, struct transport_peer *out);
};

#endif
