/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - a resident LFP instance: its configuration, and pointers to its parts */
#ifndef IJBLFP_BASE_INSTANCE_H
#define IJBLFP_BASE_INSTANCE_H

#include <stdbool.h>
#include <uv.h>

#include "ijblfp/base/statements.h"
#include "lfp/list.h"
#include "transport/transport.h"

struct again;
struct ctl_server;
struct descriptors;
struct dgram_set;
struct gives;
struct graves;
struct link;
struct near_maker;
struct near_network;
struct netstat_round;
struct op_server;
struct past_listeners;
struct refusals;
struct sock_watch;
struct stream_set;
struct tasks;
struct vsock;
struct vsock_table;

struct instance_config {
	struct ijblfp_statements st;
	char vmid[9]; /* of this side */
	const struct transport *transport;
	struct near_network *network; /* makes near ends, or NULL; outlives the instance */
	/* Called when the first path is up (0) or has failed. After a failure the caller stops the
	 * instance. */
	void (*on_started)(void *data, int error);
	/* The operator wants it to end. */
	void (*on_stop)(void *data);
	/* Every handle on the loop is closed, and the memory is about to be freed. */
	void (*on_gone)(void *data);
	void *data;
};

/*
 * The directory of an instance's parts. Each room defines its own struct, which only that room and
 * the rooms above it see. wiring.c allocates all of them in one piece.
 */
struct instance {
	uv_loop_t *loop;
	struct instance_config config;
	struct descriptors *descriptors;
	struct refusals *refusals; /* of lfpd's limits */
	struct near_maker *near;
	struct vsock_table *socks;
	struct graves *graves;
	struct tasks *tasks;
	struct link *link;
	struct stream_set *streams;
	struct dgram_set *datagrams;
	const struct sock_watch *watch;
	struct gives *gives;
	struct ctl_server *ctl;
	struct again *again;
	struct op_server *op;
	struct netstat_round *netstat;
	uv_timer_t sweep;       /* sockets whose names are to be checked (sweep.h) */
	struct lfp_list unsent; /* sockets whose CLOSE waits for memory */
	struct lfp_list peeked; /* sockets in whose far ends something is left (peek.h) */
	uv_timer_t peek_end;
	struct lfp_list late; /* connections that wait for descriptors */
	struct past_listeners *past;
	uint64_t disagreements; /* frames of lfpd that did not fit their socket (disagree.h) */
	unsigned int strays;    /* CLOSE frames for unknown sockets that lfpd has not answered */
	unsigned int handles;   /* of the loop, not yet closed */
	void (*all_closed)(struct instance *inst); /* frees it */
	uv_timer_t drain;                          /* checks whether tasks and sockets are gone */
	bool draining;                             /* no new tasks; instance_drain() */
	bool stopping;
};

#endif
