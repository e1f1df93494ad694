/* SPDX-License-Identifier: Apache-2.0 */
/* path-inner.h - the state of a path, for its files; path.c has the theory */
#ifndef TRANSPORT_PATH_INNER_H
#define TRANSPORT_PATH_INNER_H

#include "transport/packets.h"
#include "transport/path.h"
#include "transport/reactor.h"

struct path {
	struct transport_conn *conn;
	const struct transport *transport;
	const struct path_ops *ops;
	void *data;
	struct turn_hook hook; /* sends what was filled */
	uv_timer_t tell; /* runs while the peer is owed an acknowledgement, is deaf, or gives no
			    room while this side does not receive */
	int closing;     /* handles that are still to be closed */

	enum lfp_side from;
	uint32_t mtu; /* packets that are sent */
	uint32_t mtu_in;
	uint32_t msglimit;
	bool open;

	struct packet *fill;
	struct packet_queue queue;
	bool blocked; /* the transport takes no more now */
	struct packet_pool pool;
	uint32_t space_initial, space_limit; /* bytes; limit 0: none */
	bool reserved;   /* between path_data_reserve() and path_data_commit() */
	bool wants_room; /* on_ready is owed */
	bool starved;    /* there was no memory for a packet with data: on_tell() tries again */

	uint32_t sequence_out, sequence_in;
	uint32_t data_sent, data_done;
	uint32_t data_taken, told;

	bool paused;
	bool closed;
	bool is_down; /* on_down was called */
	int down;     /* negative errno to report */
	const char *down_why;
	int deaf;       /* negative errno of sending, if the peer is gone but may still be heard */
	uint64_t heard; /* packets, when that was looked at last */

	const struct path_tap *tap;
	struct path_stats stats;
	struct held_pipe **pipe; /* of the packet whose frames are looked at; NULL: it has none */
	uint8_t *copy; /* of a frame that the peer could change, mtu_in bytes; NULL if it can't */
};

static inline bool path_usable(const struct path *path)
{
	return !path->closed && !path->is_down && !path->down;
}

/* Bytes in memory of a packet that has its payload in a pipe. */
#define PIPED_HEAD (LFP_PACKET_HEADER + LFP_DATA_OVERHEAD)

/* Shows a packet of @len bytes to the tap. @pipe: has its payload, or NULL. */
void path_show(struct path *path, bool sent, const uint8_t *packet, size_t len,
	       struct held_pipe *pipe);

/* Tells the transport which events the path waits for. */
void path_watch(struct path *path);

/* The end, now or (for those below whom it must not vanish) from the hook. */
void path_go_down(struct path *path, int error, const char *why);
void path_fail_later(struct path *path, int error, const char *why);

/* path-out.c: may data go now, as far as limit and transport are concerned? */
bool path_may_send_data(const struct path *path);

/* space.c: packets that take buffer space now; is there space for one more with data? */
uint32_t path_space(const struct path *path);
bool path_has_space(const struct path *path);

/* Call on_ready if it is owed and can be. */
void path_tell_ready(struct path *path);

/* Closes the packet being filled: queues it, or gives it back if it has no frame. */
void path_end_fill(struct path *path);

/* Sends the filled packet; with @tell, an empty one if no packet is filled. */
void path_send_now(struct path *path, bool tell);

void path_on_writable(struct transport_conn *conn);
void path_on_sent(struct transport_conn *conn, struct packet *packet);
void path_on_turn(struct transport_conn *conn);

/* path-in.c */
void path_on_readable(struct transport_conn *conn);

#endif
