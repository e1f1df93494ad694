/* SPDX-License-Identifier: Apache-2.0 */
/* host-socket.h - one socket of z/VSE and the host's socket that serves it */
#ifndef LFPD_SOCK_HOST_SOCKET_H
#define LFPD_SOCK_HOST_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <uv.h>

#include "lfp/frame.h"
#include "lfp/list.h"
#include "lfp/window.h"
#include "lfpd/base/buffers.h"
#include "lfpd/policy/rule.h"
#include "lfp/table.h"
#include "lfpd/sock/states.h"
#include "lfpd/state/instance.h"
#include "lfpd/state/session.h"
#include "transport/reactor.h"

/* Hints for the next look at a connection. They save system calls, and decide nothing else, so each
 * may be set or taken back at any time. Writer: socket_hint() of host-socket.c. */
enum socket_hint {
	HINT_URGENT = 1, /* the next byte of the host may be urgent: ask (stream-in.c) */
	HINT_ERRORS = 2, /* if nothing else is polled for, poll for a reset (events.c) */
	HINT_BULK = 4,   /* data comes in large pieces: move it in pipes (stream-in.c) */
	HINT_UNSURE = 8, /* read without an event: urgent data may be there (stream-in.c) */
};

/* Whether Nagle's algorithm may hold the end of a write. Writer: nagle.c. */
enum nagle {
	/* Not known: the next write asks the kernel. A socket begins here. Goes to ACTS, OUT. */
	NAGLE_UNKNOWN,

	/* It may. Goes to LIFTED; to UNKNOWN when z/VSE sets an option of TCP. */
	NAGLE_ACTS,

	/* As ACTS for z/VSE. But ends of writes are being pushed: lfpd has set TCP_NODELAY until
	 * nothing pays for that any more. Goes to ACTS. */
	NAGLE_LIFTED,

	/* TCP_NODELAY or TCP_CORK is on: nothing is pushed. Goes to UNKNOWN as ACTS does. */
	NAGLE_OUT,
};

/* What the kernel does with a connection when its last descriptor is closed (SO_LINGER). Writer:
 * host-socket.c. */
enum at_close {
	/* Not known: the next socket_reset_at_close() sets SO_LINGER. Sockets of accept() and of
	 * saved state begin here. Goes to ENDS, RESETS. */
	AT_CLOSE_UNKNOWN,

	/* An orderly end, as for a new socket. Goes to RESETS. */
	AT_CLOSE_ENDS,

	/* SO_LINGER is {1, 0}. Goes to ENDS. */
	AT_CLOSE_RESETS,
};

/* What joined.h needs of a connection. */
struct joined {
	struct socket *other; /* the other end, or NULL: not joined */
	uint64_t in_tcp;      /* bytes given to the host's TCP, less those that @other has read */
	uint64_t out, in;     /* bytes of this connection that have left TCP out */
	bool stalled;         /* @other does not read: data goes by TCP */
	bool never;           /* an option needs TCP */
	bool was;             /* the connection is or was joined */
	bool listed;          /* in instance->unjoined */
	struct lfp_table_link by_names;
	struct lfp_list held; /* in instance->held */
	uint64_t since;       /* when @other has last taken something, uv_now() */
};

/* The part of a socket that only connections have. */
struct socket_stream {
	struct sockaddr_storage peer; /* of the last connect(), if @peer_len is not 0 */
	socklen_t peer_len;
	enum rules_naming gated;    /* nothing goes out before this: see gate.h */
	bool accepted;              /* by a listener, not connected by the program */
	struct lfp_addr source;     /* local address of the connect that failed last, or family 0 */
	struct upstream *upstream;  /* carries this connection or attempt, or NULL */
	struct gate_server *server; /* that the client has named, see gate.h; or NULL */
	struct via *via;            /* the attempt through @upstream, see via.h, or NULL */

	/* z/VSE to host */
	struct byte_queue queue;
	bool more;          /* the last frame's write goes on */
	bool has_urgent;    /* a byte in the queue is urgent */
	uint64_t urgent_at; /* its position */
	uint32_t credit;    /* bytes that pay for pushing, see nagle.c */
	enum nagle nagle;
	enum to_host_end to_host_end;

	struct joined joined; /* joined.h */

	/* host to z/VSE */
	unsigned int hints;         /* enum socket_hint */
	int broken;                 /* sending has failed with this; receiving will tell the rest */
	struct dns_stream *answers; /* of a name server of the host, or NULL: stream-names.h */

	/* An orphan's. */
	uint64_t progress;     /* when the kernel last took something, uv_now() */
	struct lfp_list entry; /* in instance->orphans */
};

/* The part of a socket that only listeners have. */
struct socket_listener {
	enum listener state;
	uint32_t credits;      /* connections that ACCEPT has asked for */
	struct lfp_list entry; /* in a list of pausing listeners */
};

struct socket {
	struct lfp_table_link node; /* by id */
	struct instance *instance;
	struct session *session; /* NULL for an orphan */
	enum socket_state state; /* written by socket_set_state() */
	uint16_t epoch;          /* of its life, see dispatch.c */
	int fd;
	int family;
	struct share *share;  /* of the user that it counts for; NULL when it is RELEASED */
	uint32_t task;        /* its owner's number on the path; the task may have ended, */
	uint64_t task_serial; /* and its number be used again: see socket_owner() */
	struct subject *who;  /* for the rules: of the task that made or took it, as it was then */
	struct watch watch;

	struct policy policy;    /* as it was when the socket was made */
	bool bound;              /* by BIND, by accept(), or by us because of RESTRICT_TO_HOSTID */
	enum policy_local local; /* where, if we know */

	struct lfp_addr
		published;       /* address that the program has bound, if PUBLISH has changed it */
	bool named;              /* instance->on_named() was called */
	bool spare;              /* written by socket_set_spare() */
	struct logged *logged;   /* logged.h; NULL: nothing */
	struct metered *metered; /* metered.h; NULL: under no limit of a rule */

	struct linger linger; /* remembered, see option.c */
	enum at_close at_close;
	int sndbuf, rcvbuf; /* what getsockopt() says, 0: ask the kernel */

	struct lfp_recv_window in;  /* z/VSE to host */
	struct lfp_send_window out; /* host to z/VSE */
	enum from_host from_host;
	struct lfp_list ready; /* in session->ready: FROM_WAITS */

	/* datagram_init() sets it. datagram_finish() clears it, and leaves the union as it was
	 * before.
	 */
	bool is_datagram;
	union {
		struct datagrams *dgram; /* if is_datagram */
		/* If not. These are no union: a socket that was a listener may connect, and must
		 * still know that it has listened (LISTENER_WAS). */
		struct {
			struct socket_stream stream;
			struct socket_listener listener;
		};
	};
};

/* How a peer is reached. */
struct socket_way {
	struct upstream *upstream; /* no reference; NULL: without a proxy */
	const char *name;          /* of the peer for the proxy, or NULL; valid until the next
				    * look-up */
};

/* Functions of higher files that host-socket.c calls; in events.c. */
struct socket_ops {
	/* Returns the events to poll for: UV_READABLE and the like. */
	int (*wanted_events)(const struct socket *sock);
	/* Handles events of the host's socket. @error: an error may be pending. */
	void (*on_event)(struct socket *sock, int events, bool error);
	/* Data may pass that a rate has held, or a joined connection: to the host, or from it. */
	void (*go_on)(struct socket *sock, bool in);
	/* Throws away queued data. */
	void (*drop)(struct socket *sock);
	/* The instance has one socket less. */
	void (*on_fewer)(struct instance *inst);
};

static inline struct socket *socket_of(struct lfp_table_link *node)
{
	return lfp_table_entry(node, struct socket, node);
}

/* SO_LINGER {1, 0}: CLOSE resets the connection. */
static inline bool socket_aborts_on_close(const struct socket *sock)
{
	return sock->linger.l_onoff && !sock->linger.l_linger;
}

int socket_handle_bind(struct socket *sock, const struct lfp_frame *frame, const char **why);
int socket_handle_getsockname(struct socket *sock, const struct lfp_frame *frame, const char **why);
int socket_handle_getpeername(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* The same without a session, for user @uid. On failure closes @fd and returns NULL with errno. */
struct socket *socket_create(struct instance *inst, int fd, int family, uint32_t uid);

/* Change the state as states.h permits. */
void socket_set_state(struct socket *sock, enum socket_state state);

/* Note that no program may ever need the socket. Any change of the state ends that. */
void socket_set_spare(struct socket *sock, bool spare);

/* Change whether and how the host's socket is read. For FROM_WAITS call socket_wait(). */
void socket_set_from_host(struct socket *sock, enum from_host state);

void socket_set_to_host_end(struct socket *sock, enum to_host_end state);

/* Set a hint about a connection, or take it back. */
void socket_hint(struct socket *sock, enum socket_hint hint, bool on);

/* The socket has data for a path that has no room now: wait, as the first or as the last one. */
void socket_wait(struct socket *sock, bool first);

/* The socket waits for the path no more. Nothing happens if it does not wait. */
void socket_wait_no_more(struct socket *sock);

/* Change the state of listening. The socket joins the list where it pauses, or leaves it; what is
 * polled for does not change. */
void socket_set_listener(struct socket *sock, enum listener state);

/* The socket listens no more, and what ACCEPT has asked for is void. Nothing happens if it does not
 * listen, or is one of datagrams. */
void socket_end_listener(struct socket *sock);

struct task;

/* The socket belongs to the task of this number from now on, or to none any more. */
void socket_take_owner(struct socket *sock, uint32_t number);
void socket_drop_owner(struct socket *sock);

/* The task that the socket belongs to; NULL if it has ended. */
const struct task *socket_owner(const struct socket *sock);
struct task *socket_task(const struct socket *sock);

/* Returns the user that the rules see. */
uint32_t socket_uid(const struct socket *sock);

/* Makes @who the subject of the socket, which gets a reference of its own. */
void socket_set_who(struct socket *sock, struct subject *who);

/* Poll for nothing until socket_arm(). */
void socket_rest(struct socket *sock);

/**
 * socket_adopt() - make a socket of a descriptor
 * @fd:		owned by it from now on; closed on failure
 * @uid:	the user that it counts for
 * Return: the socket, in the session's table and counted, or NULL with errno ENOMEM.
 */
struct socket *socket_adopt(struct session *session, uint64_t id, int fd, int family, uint32_t uid);

/**
 * socket_bind_implicitly() - bind an unbound socket as RESTRICT_TO_HOSTID demands
 * @to:		where it connects or sends; NULL for a listener, which wants its port now
 * Return: 0 or a negative errno.
 */
int socket_bind_implicitly(struct socket *sock, const struct sockaddr_storage *to);

/* The socket is bound from now on; @local: POLICY_UNBOUND if the kernel has chosen the address. */
void socket_set_bound(struct socket *sock, enum policy_local local);

/* Returns 0 if the socket may listen where it is bound, else the negative errno of REFUSE_WITH or
 * another one. */
int socket_may_listen(struct socket *sock);

/* Returns true for a socket of IPv6 with IPV6_V6ONLY. */
bool socket_is_v6only(const struct socket *sock);

/* Checks that RESTRICT_TO_HOSTID and the rules of POLICY_FILE let it connect or send there;
 * replaces a wildcard. Sets @way, and the upstream of a connection. Returns 0 or a negative errno.
 */
int socket_reach(struct socket *sock, struct sockaddr_storage *to, struct socket_way *way);

/* Sets or clears the upstream of a connection. */
void socket_set_upstream(struct socket *sock, struct upstream *upstream);

/* Returns the name of the upstream that carries a connection, or the datagrams to the peer or the
 * last destination; "": none. */
const char *socket_upstream_name(const struct socket *sock);

/* As getpeername(): the peer that the program has asked for, whatever carries the connection. */
int socket_peername(const struct socket *sock, struct sockaddr *addr, socklen_t *len);

/* Watch for the events that are wanted now, if they have changed. */
void socket_arm(struct socket *sock);

/* The connection is lost: RESET to z/VSE, once. */
void socket_lose(struct socket *sock, int error);

/* RESUME found that the two sides differ: a stream is lost, without RESET. */
void socket_mark_lost(struct socket *sock);

/* The two sides do not agree about it: reset the host's connection, and send RESET with EPROTO. */
void socket_kill(struct socket *sock);

/* A new life begins: frames of those before are late. */
void socket_next_life(struct socket *sock);

/* Choose whether the kernel resets the connection when the last descriptor is closed (SO_LINGER).
 */
void socket_reset_at_close(struct socket *sock, bool reset);

/* The host's socket already has this SO_LINGER. */
void socket_note_at_close(struct socket *sock, enum at_close at_close);

/* Release the socket, but return its descriptor to the caller. */
int socket_detach(struct socket *sock);

/* Release the socket in any state; @abort: the peer gets a reset. The loop frees the memory. */
void socket_release(struct socket *sock, bool abort);

struct socket;

/* Reset the socket on both sides because of a frame for it; @why is text for a person. */
void disagree_on_socket(struct socket *sock, const struct lfp_frame *frame, const char *why);

/* Half a DATAGRAM is sent, and there is no memory for its rest: z/VSE cannot go on with it. */
void disagree_no_memory(struct socket *sock);

/* In logged.c: the connection, or the datagram socket, has ended. @error: a positive errno or 0.
 * Does nothing the second time. */
void logged_end(struct socket *sock, int error);

/* For instance->sock_ops. */
extern const struct socket_ops socket_event_ops;

#endif
