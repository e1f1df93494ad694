/* SPDX-License-Identifier: Apache-2.0 */
/* reactor-inner.h - the state of a reactor, for its files */
#ifndef TRANSPORT_REACTOR_INNER_H
#define TRANSPORT_REACTOR_INNER_H

#include <sys/epoll.h>
#include <time.h>

#include "transport/reactor.h"

#define REACTOR_EVENTS 64
#define REACTOR_SETS   16

/*
 * The number that an event carries (epoll_data_t):
 *
 *   bit 62 set   of a watch_set: its place in bits 48 to 61, the owner's number in the others
 *   bit 63 set   of libuv's set, or of the alarm
 *   neither      of a watch: its generation in bits 32 to 61, its slot in bits 0 to 31
 *   0            of none: it was handled already
 */
#define EVENT_OF_SET   (UINT64_C(1) << 62)
#define EVENT_OF_UV    (UINT64_C(1) << 63)
#define EVENT_OF_ALARM (EVENT_OF_UV | 1)
#define GENERATION_MAX 0x3fffffffu

/* A place in the table of watches. Its generation is never 0, and changes with each watch, so that
 * a late event finds no later one. */
struct watch_slot {
	struct watch *watch; /* NULL: free */
	uint32_t generation;
	uint32_t next; /* free ones: the next one */
};

/* See alarm.c. */
struct alarm {
	int fd;       /* a timerfd; -1: there is none */
	uint64_t due; /* when it ends, at the latest, by uv_now(); 0: it was not started */
};

struct reactor {
	struct lfp_list entry; /* in the list of all reactors */
	uv_loop_t *loop;
	int epfd;
	unsigned int members; /* watches, hooks, sets */
	unsigned int active;  /* those that keep the loop alive */
	bool driven;          /* reactor_run() runs */
	bool stopped;
	bool uv_is_ready;     /* libuv has something to do in this turn */
	struct timespec tick; /* when libuv has last looked at the clock, by the kernel's tick */
	bool asks_uv;         /* libuv does not tell when it has something to do */
	struct alarm alarm;   /* of a driven loop */

	struct watch_slot *slots;
	uint32_t nr_slots, free_slot; /* nr_slots: no slot is free */
	struct watch_set *sets[REACTOR_SETS];
	unsigned int sets_told; /* to which on_done() is owed */

	struct epoll_event events[REACTOR_EVENTS]; /* of this turn */
	int next, nr;                              /* those from next on are not yet handled */

	struct lfp_list hooks;
	unsigned int nr_asking, nr_after; /* hooks that ask for turns, that have after() */
	struct lfp_list closed_watches, closed_hooks;
	struct lfp_list outside; /* started watches for which the kernel had no memory */

	/* For uv_run(). */
	uv_poll_t poll;
	uv_prepare_t prepare;
	uv_check_t check;
	uv_idle_t idle;
	int handles; /* not yet closed */
};

/* Returns the reactor of the loop for one more member, or NULL with @rc. */
struct reactor *reactor_join(uv_loop_t *loop, int *rc);
void reactor_leave(struct reactor *reactor);

/* A member begins or ceases to keep the loop alive. */
void reactor_note_active(struct reactor *reactor, int by);

/* Lets the loop turn once more: something was closed, or asks. */
void reactor_note_work(struct reactor *reactor);

/* alarm.c: the alarm of a driven loop. Without a descriptor for it, waits have a limit. */
void alarm_open(struct reactor *reactor);
void alarm_close(struct reactor *reactor);

/* Returns the limit of a wait that must end after @timeout ms, or -1: the alarm ends it. */
int alarm_limit(struct reactor *reactor, int timeout);

/* The alarm has ended a wait. */
void alarm_on_event(struct reactor *reactor);

/* watch.c: an event of a watch was taken from the kernel, and is to come again. */
void watch_again(struct reactor *reactor, uint64_t number);

/* watch.c: tries again to watch the descriptors that are outside. Returns how long the loop may
 * wait, at most @timeout: milliseconds, or -1 for ever. */
int watches_enter(struct reactor *reactor, int timeout);

/* watch.c: handles an event of a watch. */
void watch_on_event(struct reactor *reactor, uint64_t number, uint32_t events);

/* watch-set.c: handles an event of a set; tells the sets that this was all. */
void watch_sets_on_event(struct reactor *reactor, uint64_t number, uint32_t events);
void watch_sets_done(struct reactor *reactor);

#endif
