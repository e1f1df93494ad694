/* SPDX-License-Identifier: Apache-2.0 */
/* path.h - the path between an LFP instance and lfpd: packets, message limit, HELLO */
#ifndef TRANSPORT_PATH_H
#define TRANSPORT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "lfp/datagram.h"
#include "lfp/frame.h"
#include "transport/transport.h"

/*
 * Both sides use the same code. A path owns one connection of a transport. Frames that are sent
 * during one turn of the loop travel together: they are put into the packet that is being filled,
 * which leaves when it is full or before the loop sleeps.
 *
 * Rules of sending:
 *  - control frames (path_send) are always taken: they never wait for the message limit. Packets
 *    that the transport does not take are queued; path_congested() tells a side that should stop
 *    reading requests whose answers pile up.
 *  - data needs room: path_data_reserve() gives the place for the payload in the packet, so that
 *    recv() can write straight into it, or 0 while the message limit is reached or packets are
 *    queued; on_ready is called when there is room again.
 *    path_send_data() is for data that is in the caller's hands already.
 *  - all frames leave in the order in which they were given.
 */

struct path;
struct held_pipe;

struct path_limits {
	uint32_t mtu;       /* bytes */
	uint32_t msglimit;  /* packets with data */
	uint32_t window;    /* bytes */
	uint16_t threshold; /* percent */
};

struct path_ops {
	/* A frame of the peer; pointers in it are good until the callee returns. It returns 0, or
	 * -EPROTO with *why set: the path then ends as for a frame that does not decode. */
	int (*on_frame)(struct path *path, const struct lfp_frame *frame, const char **why);
	/* Data can be sent again after path_data_reserve() gave 0. */
	void (*on_ready)(struct path *path);
	/* The path has ended: 0 for the peer's orderly end, else a negative errno; @why is text for
	 * a person. Called once; not called for path_close(). path_close() must still be called. */
	void (*on_down)(struct path *path, int error, const char *why);
	/* The payloads of the DATA frames since the last call are good only until this one returns;
	 * without it, only until on_frame does. May be NULL. */
	void (*on_batch)(struct path *path);
};

/* Sees each packet of a path once: an incoming one before its dispatch, an outgoing one when the
 * transport is to take it. The first @there of its @len bytes can be read. A payload in a pipe
 * cannot be read without @payload, or without memory. With @payload this side sends no data in
 * pipes. The peer may change the bytes meanwhile. @packet may be NULL. */
struct path_tap {
	void (*packet)(void *data, struct path *path, bool sent, const uint8_t *packet, size_t len,
		       size_t there);
	void *data;
	bool payload;
};

struct path_stats {
	uint64_t packets_out, packets_in; /* all packets */
	uint64_t bytes_out, bytes_in;     /* with headers */
	uint64_t frames_out, frames_in;
	uint32_t outstanding;     /* packets with data sent and not yet taken: "waiting for message
				     complete" */
	uint32_t outstanding_max; /* the most there ever were */
	uint32_t peer_max;        /* the most that the peer had outstanding, as far as seen here */
	uint64_t limit_waits; /* times that data waited for the message limit or the transport */
	uint32_t queued;      /* packets that the transport has not taken yet */
	uint32_t buffers;     /* packet buffers allocated now */
	uint32_t space;       /* packets that use buffer space now: see path_limit_space() */
	uint32_t space_max;   /* the most there ever were */
	uint64_t space_waits; /* times that data waited for buffer space */
	uint64_t data_out, data_in;       /* packets with data, which the message limit counts */
	uint64_t credits_out, credits_in; /* of those: acknowledged by us, by the peer */
	uint64_t windows_out, windows_in; /* WINDOW frames: credit of single sockets */
	uint64_t spliced_out,
		spliced_in; /* bytes of payload in pipes, which the above count, too */
	struct transport_counts transport; /* of the connection */
};

/**
 * path_create() - take over a connection
 * @loop:	the loop
 * @conn:	owned by the path from now on
 * @from:	the peer's side: LFP_FROM_VSE in lfpd, LFP_FROM_LFPD in an instance
 * @mtu:	packets up to this many bytes are received
 * @ops:	callbacks
 * @data:	for the owner
 *
 * Until path_open() packets of at most LFP_MTU_MIN bytes are sent, and no data.
 * Return: the path, or NULL with errno ENOMEM (the connection is then closed).
 */
struct path *path_create(uv_loop_t *loop, struct transport_conn *conn, enum lfp_side from,
			 uint32_t mtu, const struct path_ops *ops, void *data);

/**
 * path_limit_space() - a limit for the packets of this side, before path_open()
 * @initial:	bytes of packet buffers that are made at path_open(), and kept
 * @max:	bytes that packets may take; one packet always may
 *
 * A packet with data takes the MTU in force, from being filled until the peer has taken it off the
 * path; others are not counted. Data that needs more waits (on_ready). With a limit, data is queued
 * here when the transport takes no more; without one it is left where it comes from.
 */
void path_limit_space(struct path *path, uint32_t initial, uint32_t max);

/*
 * HELLO is done: the smaller MTU and message limit of both sides hold. Returns 0, or -ENOMEM
 * without memory for the first buffers; the caller must then close the path.
 */
int path_open(struct path *path, uint32_t mtu, uint32_t msglimit);

/* @tap may change at any time, and must live as long as the path. */
void path_set_tap(struct path *path, const struct path_tap *tap);

void *path_data(const struct path *path);
struct transport_conn *path_conn(const struct path *path);
const struct path_stats *path_stats(struct path *path);
uint32_t path_mtu(const struct path *path);
uint32_t path_msglimit(const struct path *path);

/**
 * path_send() - send a control frame
 * @frame:	copied
 *
 * Return: 0; -EINVAL if a field is bad or the frame does not fit a packet; -ENOMEM; -ENOTCONN if
 * the path is down.
 */
int path_send(struct path *path, const struct lfp_frame *frame);

/* The same with a frame that counts as data: -EAGAIN if there is no room for data now (on_ready
 * will be called). */
int path_send_data(struct path *path, const struct lfp_frame *frame);

/* Returns the largest frame, in bytes, that fits into one packet with its header. */
size_t path_frame_max(const struct path *path);

/**
 * path_data_reserve() - room for the payload of a DATA frame
 * @want:	bytes wished for
 * @at:		set to where they go
 *
 * Between 1 and @want bytes if data can be sent, else 0 (on_ready will be called). The next call
 * on this path must be path_data_commit().
 */
size_t path_data_reserve(struct path *path, size_t want, uint8_t **at);

/* @len bytes (0: none after all) of what was reserved are the payload; bytes from @position on.
 * @flags: LFP_FRAME_MORE, LFP_FRAME_URGENT */
void path_data_commit(struct path *path, uint64_t sock, uint64_t position, size_t len,
		      uint8_t flags);

/**
 * path_data_splice() - move data from a socket into a pipe that travels instead of the payload
 * @fd:		the socket
 * @want:	bytes wished for
 *
 * Where both sides are one process, a DATA frame can have its payload in a pipe. It counts by its
 * bytes, and is a packet of its own, with at most PIPE_BYTES of payload: as no bytes are in the
 * packet, the MTU does not limit them.
 *
 * Return: the number of bytes, and path_data_spliced() must be the next call on this path; -ENOTSUP
 * if data cannot go this way now, so that path_data_reserve() is to be called; else as pipe_fill().
 */
ssize_t path_data_splice(struct path *path, int fd, size_t want);

/* The bytes in the pipe are the payload; bytes from @position on. @flags: LFP_FRAME_MORE */
void path_data_spliced(struct path *path, uint64_t sock, uint64_t position, uint8_t flags);

/* Sends the first @most bytes that @pipe holds as path_data_spliced() does. Returns their number;
 * the pipe is taken if these are all. Returns 0, with nothing done, if data cannot go this way now.
 */
size_t path_data_pass(struct path *path, struct held_pipe *pipe, size_t most, uint64_t sock,
		      uint64_t position);

/* For on_frame(), of a DATA frame: the pipe with its payload, which is the caller's from now on.
 * NULL: the payload is in the frame. A pipe that nobody takes is lost with its bytes. */
struct held_pipe *path_take_pipe(struct path *path);

/* Frames pile up: the side should stop taking requests until on_ready, which then comes. */
bool path_congested(struct path *path);

/* Sends the packet being filled now, without waiting for the end of the turn. */
void path_flush(struct path *path);

/* Stop or go on receiving (lfpd while it is congested). */
void path_pause(struct path *path, bool pause);

/**
 * path_close() - end the path and free it
 * @reason:	sent to the peer with BYE if it is not NULL and the path is still up
 *
 * The path must not be used after it; memory is freed when libuv has closed its handles.
 */
void path_close(struct path *path, const char *reason);

/* parts.c: datagrams, in as many frames as they need. */

/* A datagram to send, whole or from the point of interruption. */
struct parts {
	uint64_t sock, position; /* as DATAGRAM has them */
	struct lfp_meta meta;
	const uint8_t *data;
	uint32_t total;
	uint32_t sent; /* bytes; all of them and `begun` when it is done */
	bool begun;    /* at least one frame is sent */
};

/* Sends the rest of it. Returns 0 if it is done, -EAGAIN if the path takes no more now (on_ready
 * will be called), or another negative errno, after which it can't be sent. */
int parts_send(struct path *path, struct parts *parts);

#endif
