/* SPDX-License-Identifier: Apache-2.0 */
/* hs-pair.h - two ends of the transport hipersockets in one process */
#ifndef TESTS_TRANSPORT_HS_PAIR_H
#define TESTS_TRANSPORT_HS_PAIR_H

#include "tests/transport/settings.h"
#include "transport/hs-inner.h"

struct hs_pair {
	uv_loop_t loop;
	char dir[64], name[96];
	struct transport_where where;
	struct transport_listener *listener;
	struct hs_conn *out, *in; /* the connecting end, the listening end */
	int status;
	bool answered;
	char refused[256];
	unsigned int readable;
	unsigned int round; /* of a test that is run with several */
};

/* For cmocka: a listener of "LINR02", and its end. *state is first NULL or the round. */
int pair_set_up(void **state);
int pair_tear_down(void **state);

/* Listen as @where says, and no longer as before. */
void pair_listen(struct hs_pair *f, const struct transport_where *where);

/* For connect(), with the pair as its data. */
void pair_on_connected(void *data, int status, struct transport_conn *conn);

/* Until it is answered: f->status, and f->out and f->in if that is 0. */
void pair_connect(struct hs_pair *f, const struct transport_where *where);

/* One turn of the loop, at most two minutes after the first with the same @end, which is 0 then. */
void pair_turn(struct hs_pair *f, uint64_t *end);

/* Sends a message with this number. Returns the result of send(). */
int pair_send(struct hs_conn *conn, uint32_t number);

/* The next messages, whose numbers go on from @*number. An error, or how many. */
int pair_take(struct hs_conn *conn, uint32_t *number);

#endif
