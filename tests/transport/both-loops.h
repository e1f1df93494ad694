/* SPDX-License-Identifier: Apache-2.0 */
/* both-loops.h - a loop for tests that is run by the reactor, or by libuv alone */
#ifndef TESTS_TRANSPORT_BOTH_LOOPS_H
#define TESTS_TRANSPORT_BOTH_LOOPS_H

#include "transport/reactor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct fixture {
	uv_loop_t loop;
	void (*run)(uv_loop_t *loop);
	struct watch watches[2], *freed;
	struct watch_set set;
	struct turn_hook hooks[2];
	uv_timer_t timer;
	uv_poll_t poll;
	int fds[2];
	int events, status, calls, closed, done;
	uint64_t number;
	char order[16];
};

void by_libuv(uv_loop_t *loop);

/* A loop that @run runs, with two eventfds and nothing on it. */
void fixture_begin(struct fixture *f, void (*run)(uv_loop_t *loop));

/* Runs the loop, which must end with nothing left on it. */
void fixture_run(struct fixture *f);

/* Counts a watch that is closed; @data is the fixture. */
void fixture_on_closed(void *data);

/* A test that takes the way to run the loop, as two tests. */
#define BOTH(name)                                                                                 \
	static void name##_by_reactor(void **state)                                                \
	{                                                                                          \
		(void)state;                                                                       \
		name(reactor_run);                                                                 \
	}                                                                                          \
	static void name##_by_libuv(void **state)                                                  \
	{                                                                                          \
		(void)state;                                                                       \
		name(by_libuv);                                                                    \
	}

#define TESTS(name) cmocka_unit_test(name##_by_reactor), cmocka_unit_test(name##_by_libuv)

#endif
