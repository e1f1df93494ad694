/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h - both ends of a path on one loop, over each transport in turn */
#ifndef TESTS_TRANSPORT_PAIR_H
#define TESTS_TRANSPORT_PAIR_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "transport/path.h"

/*
 * A side sends `to_send` bytes, as the path permits, and checks the received bytes, which follow
 * from their position.
 *
 * iucv needs a kernel that has it: VSELFPD_IUCV has the hsuids of both sides, or one word, the z/VM
 * user id of this system.
 */
struct side {
	struct path *path;
	int error;
	bool down;
	char why[128];
	uint64_t frames, bytes, position;
	uint64_t to_send, sent; /* data still to be sent */
	bool out_of_order;
	unsigned int ready;
	bool resumes;     /* on_ready ends path_pause() */
	int refuse_after; /* on_frame says -EPROTO at this frame */
};

struct pair {
	const struct transport *transport;
	bool stream; /* bytes without boundaries below the path */
	uv_loop_t loop;
	char dir[64], name[96];
	struct transport_listener *listener;
	struct transport_conn *accepted, *connected;
	struct side vse, lfpd;
};

/* Run the tests over each transport; the number of those that have failed. */
#define pair_run(tests) pair_run_tests(tests, sizeof(tests) / sizeof((tests)[0]))
int pair_run_tests(const struct CMUnitTest *tests, size_t nr);

/* A test whose state is a struct pair. */
#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
int pair_setup(void **state);
int pair_teardown(void **state);

/* HELLO is done on both sides. */
void pair_open(struct pair *f, uint32_t mtu, uint32_t limit);

/* Send as much as can be sent now; the rest goes by itself. */
void pair_pump(struct side *side);

/* Let the loop run until @done, at most two minutes. */
void pair_run_until(struct pair *f, bool (*done)(struct pair *f));

bool pair_all_arrived(struct pair *f);
bool pair_lfpd_down(struct pair *f);

#endif
