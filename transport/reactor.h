/* SPDX-License-Identifier: Apache-2.0 */
/* reactor.h - one epoll set for the descriptors that carry data, and the turns of a loop */
#ifndef TRANSPORT_REACTOR_H
#define TRANSPORT_REACTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "lfp/list.h"

/*
 * Theory of operation
 *
 * The descriptors that carry data are in one epoll set, the reactor of their libuv loop. libuv has
 * everything else: timers, signals, threads, names, control.
 *
 * reactor_run() runs a loop until it ends. Then libuv's own epoll set is a member of the reactor's
 * set, and a packet costs one epoll_wait(). libuv runs only when its set has an event, a timer is
 * due, or a handle was started or closed. A turn is:
 *
 *   idle()     of hooks that asked for another turn
 *   before()   of all hooks
 *   the last callbacks of watches and hooks that were closed
 *   epoll_wait(), and the events of descriptors
 *   after()    of all hooks
 *   libuv, if it has something to do
 *   the last callbacks again
 *
 * A timer that is due ends the wait by the alarm (alarm.c), a short one by the limit of
 * epoll_wait().
 *
 * With uv_run() instead, libuv watches the reactor's set as one descriptor, and a turn is one of
 * libuv. Unit tests use that. Two things differ: with reactor_run() uv_now() may be a tick of the
 * kernel old (CONFIG_HZ) in callbacks of members, and handles of libuv that are not referenced do
 * not run while members alone keep the loop alive.
 *
 * A reactor begins with its first member and ends with its last one. Members that are active keep
 * the loop alive. All functions belong to the thread of the loop.
 */

struct reactor;

/* A watched descriptor, level-triggered. Events and status are those of uv_poll_t. After an error
 * (status < 0) the watch is stopped, and the events are those that it has watched for. */
struct watch {
	struct reactor *reactor;
	void *data; /* the owner's */
	void (*cb)(struct watch *watch, int status, int events);
	int fd;
	uint32_t slot; /* in the reactor's table */
	int events;    /* UV_READABLE and the like, WATCH_EDGES; 0: stopped */
	bool inside;   /* the descriptor is in the epoll set */
	struct lfp_list closed, outside;
	void (*on_closed)(void *data);
};

/* Besides events: each change makes one event, and nothing has to be read. */
#define WATCH_EDGES 256

/* Functions of a member of the loop that is called each turn. Each may be NULL. A later hook is
 * called before an earlier one. */
struct turn_hook {
	struct reactor *reactor;
	void *data;                             /* the owner's */
	void (*idle)(struct turn_hook *hook);   /* while it asks for turns */
	void (*before)(struct turn_hook *hook); /* before the loop may sleep */
	void (*after)(struct turn_hook *hook);  /* after it has slept */
	bool asks;                              /* the loop must not sleep */
	struct lfp_list entry, closed;
	void (*on_closed)(void *data);
};

/* Many descriptors of one owner, edge-triggered, known by numbers without the bits of
 * WATCH_SET_TAG. A descriptor leaves the set when it is closed; events with a number that means
 * nothing any more are the owner's to ignore. */
struct watch_set {
	struct reactor *reactor;
	void *data;     /* the owner's */
	uint64_t place; /* in the reactor's table */
	void (*on_event)(struct watch_set *set, uint64_t number, uint32_t events);
	void (*on_done)(struct watch_set *set); /* after the events of a turn */
	bool told;                              /* on_done() is owed */
};

#define WATCH_SET_TAG (UINT64_C(0x7fff) << 48)

/* Runs the loop until nothing keeps it alive, or reactor_stop(). */
void reactor_run(uv_loop_t *loop);

/* Ends reactor_run() after the present turn. */
void reactor_stop(uv_loop_t *loop);

/* Makes a watch of @fd, stopped. Returns 0 or -ENOMEM. */
int watch_init(uv_loop_t *loop, struct watch *watch, int fd);

/* Watches for @events from now on, instead of those before. */
void watch_start(struct watch *watch, int events,
		 void (*cb)(struct watch *watch, int status, int events));
void watch_stop(struct watch *watch);

/* Ends the watch. The descriptor is the caller's again. @on_closed is called later, from the loop,
 * with the owner's data; until then the memory of the watch is in use. */
void watch_close(struct watch *watch, void (*on_closed)(void *data));
bool watch_is_closing(const struct watch *watch);

/* Adds a hook whose functions and data are set. Returns 0 or a negative errno. */
int turn_hook_init(uv_loop_t *loop, struct turn_hook *hook);

/* Asks for another turn at once, until it is told otherwise. */
void turn_hook_ask(struct turn_hook *hook, bool asks);

/* As watch_close(). */
void turn_hook_close(struct turn_hook *hook, void (*on_closed)(void *data));

/* Makes a set whose functions and data are set. Returns 0 or a negative errno. */
int watch_set_init(uv_loop_t *loop, struct watch_set *set);
void watch_set_finish(struct watch_set *set);

/* epoll_ctl() of a descriptor of the set: @op, and @events besides EPOLLET. Returns 0 or a negative
 * errno. */
int watch_set_control(const struct watch_set *set, int op, int fd, uint64_t number,
		      uint32_t events);

/* Handles all pending events of the set now. */
void watch_set_poll(struct watch_set *set);

#endif
