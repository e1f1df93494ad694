/* SPDX-License-Identifier: Apache-2.0 */
/* shm-inner.h - a connection of the transport shm: what its files share */
#ifndef TRANSPORT_SHM_INNER_H
#define TRANSPORT_SHM_INNER_H

#include "transport/choice.h"
#include "transport/shm-poll.h"
#include "transport/shm-ring.h"
#include "transport/socket.h"

struct shm_settings {
	unsigned int ring_size; /* bytes of each ring, see shm_ring_size(); of who connects */
	unsigned int poll;      /* longest poll before sleep, microseconds; 0 is none */
};

_Static_assert(sizeof(struct shm_settings) <= TRANSPORT_SETTINGS_EACH, "they fit");

enum shm_state {
	SHM_GREETING, /* who listens waits for the memory, who connects for the answer; no owner */
	SHM_OPEN,     /* packets travel; the socket only tells of the peer's end */
	SHM_CLOSED,   /* handles are being closed */
};

struct shm_conn {
	struct transport_conn base;
	enum shm_state state;
	struct transport_where where;
	unsigned int events;
	bool gone;     /* the socket has ended */
	bool sleeping; /* the peer was told */
	bool full;     /* a send was refused; `need` bytes must fit */
	size_t need;
	struct shm_poll poll;

	struct shm_ring in, out;
	void *memory; /* mapping of control page and both rings, or NULL */
	size_t mapped;
	int fd, bell, peer_bell; /* socket; eventfds: ours, the peer's */

	uv_poll_t socket, bells;
	uv_prepare_t prepare;
	uv_check_t check;
	uv_idle_t idle; /* runs while the loop must not sleep */
	uv_timer_t timer;
	int handles; /* not yet closed */

	/* While SHM_GREETING: who waits for the connection. */
	struct socket_listener *listener;
	struct socket_guest guest; /* of the listener */
	transport_connected_cb cb;
	void *cb_data;
};

/* A connection in SHM_GREETING on socket @fd, which is closed on failure. 0 or a negative errno. */
int shm_create(uv_loop_t *loop, int fd, const struct transport_where *where, struct shm_conn **out);

/* The greeting is done: packets may travel. 0 or a negative errno. */
int shm_begin(struct shm_conn *conn);

/* Close it whatever its state; on_closed follows if it has an owner. */
void shm_destroy(struct shm_conn *conn);

/* shm-memory.c: make (who connects) or take (who listens) the shared memory @memfd, whose rings
 * have
 * @ring_size bytes, and map it. -EPROTO with @why if it is not what it must be. */
int shm_memory_make(struct shm_conn *conn, uint32_t ring_size);
int shm_memory_take(struct shm_conn *conn, int memfd, uint32_t ring_size, const char **why);
void shm_memory_drop(struct shm_conn *conn);

static inline const struct shm_settings *shm_settings(const struct transport_where *where)
{
	return transport_settings_of(&where->settings, &transport_shm);
}

/* shm-hello.c: begin the greeting of one side. */
int shm_hello_send(struct shm_conn *conn);
void shm_hello_wait(struct shm_conn *conn);

#endif
