/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - waits for descriptors and times */
#ifndef VIA_LOOP_H
#define VIA_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* libuv's loop reaps its own children only; the first process has to reap all. So this is poll(2).
 * The structs belong to their owners, who may take them out at any time, also within a call. */
struct via_watch {
	int fd;
	short events; /* of poll(2); 0: only errors and the end */
	void (*on_ready)(struct via_watch *watch, short events);
	void *data;
	struct via_watch *next;
	bool on;
};

struct via_timer {
	int64_t at; /* ms of via_now() */
	void (*on_time)(struct via_timer *timer);
	void *data;
	struct via_timer *next;
	bool on;
};

/* Milliseconds of a clock that nobody sets. */
int64_t via_now(void);

void via_watch_add(struct via_watch *watch);
void via_watch_remove(struct via_watch *watch);

/* Calls once, after @ms; a running timer starts anew. */
void via_timer_set(struct via_timer *timer, int64_t ms);
void via_timer_stop(struct via_timer *timer);

/* One turn: waits, and makes the calls. */
void via_loop_turn(void);

#endif
