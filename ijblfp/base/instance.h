/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - a resident LFP instance; a program gives it a loop and its statements */
#ifndef IJBLFP_BASE_INSTANCE_H
#define IJBLFP_BASE_INSTANCE_H

#include <stdbool.h>
#include <uv.h>

#include "ijblfp/base/list.h"
#include "ijblfp/base/statements.h"
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
struct stream_set;
struct tasks;
struct vsock;
struct vsock_table;

struct instance_config {
	struct ijblfp_statements st;
	char vmid[9]; /* of this side */
	const struct transport *transport;
	struct near_network *network; /* where near ends are made, or NULL; it outlives the instance */
	/* The first path is up (0) or failed; the instance is then of no use and is to be stopped.
	 */
	void (*on_started)(void *data, int error);
	/* The operator wants it to end. */
	void (*on_stop)(void *data);
	/* The memory is about to be freed; every handle on the loop is closed. */
	void (*on_gone)(void *data);
	void *data;
};

/*
 * The directory of an instance: each room's own struct is known in that room and those above it, so
 * that nobody can look into a room above. instance.c makes them, in one piece.
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
	struct gives *gives;
	struct ctl_server *ctl;
	struct again *again;
	struct op_server *op;
	struct netstat_round *netstat;
	uv_timer_t sweep; /* of sockets whose names are to be asked */
	struct list unsent; /* sockets whose CLOSE waits for memory */
	struct list late; /* connections that wait for descriptors */
	struct past_listeners *past;
	uint64_t disagreements;   /* frames of lfpd that did not fit (disagree.h) */
	unsigned int strays;      /* CLOSE of unknown sockets that lfpd has not answered */
	unsigned int handles;     /* of the loop, not yet closed */
	void (*all_closed)(struct instance *inst); /* frees it */
	uv_timer_t drain;     /* looks whether tasks and sockets are gone */
	bool draining;        /* no new tasks; instance_drain() */
	bool stopping;
};

/**
 * instance_create() - start an instance
 * @loop:	everything happens on it
 * @config:	copied
 * @error:	set to a negative errno on failure; a message has then been given, on_gone does not
 * follow, and handles may be on the loop until it has run once more
 *
 * Its directory must exist and its pid file be locked by the caller.
 */
struct instance *instance_create(uv_loop_t *loop, const struct instance_config *config, int *error);

/* End it: BYE to lfpd, sockets of programs are reset, on_gone follows. */
void instance_stop(struct instance *inst);

/* No new tasks from now on; config.on_stop is called when all tasks have ended and all sockets are
 * closed. */
void instance_drain(struct instance *inst);

/* --- ends of sockets, used by all that deal with them --- */

/* Send CLOSE and hold nothing any more; the socket is freed when lfpd has answered. */
void instance_close_socket(struct instance *inst, struct vsock *vs, bool abort);

/* Frees the socket that @frame answers the CLOSE of, if there was no memory for a request: false if there is
 * none such. */
bool instance_is_closed(struct instance *inst, const struct lfp_frame *frame);

/* The connection is over and the program may still hold the near end: bury it. @error is told once.
 */
void instance_bury_socket(struct instance *inst, struct vsock *vs, int error);

/* The connection is over and the program may still hold the near end, and lfpd's socket can still
 * be asked: state OVER. @error is told once. */
void instance_end_connection(struct instance *inst, struct vsock *vs, int error);

/* lfpd does not have it any more. */
void instance_forget_socket(struct instance *inst, struct vsock *vs);

/* The path is gone: all sockets with it. */
void instance_bury_all(struct instance *inst);

/* Ask the names of at most @most sockets, those that were asked longest ago first, and close those
 * whose programs have closed them; returns how many. Only those that task @task made, if not 0. */
unsigned int instance_sweep(struct instance *inst, size_t most, uint32_t task);

/* A task has ended: ask those that it made, and soon the others. */
void instance_sweep_task(struct instance *inst, uint32_t task);

/* The sweep runs while there are sockets to ask. */
void instance_sweep_start(struct instance *inst);

#endif
