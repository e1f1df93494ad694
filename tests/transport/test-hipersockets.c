/* SPDX-License-Identifier: Apache-2.0 */
/* test-hipersockets.c - the transport hipersockets and its device, right and wrong */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/transport/hs-pair.h"

static void test_names_and_limit(void **state)
{
	struct hs_pair *f = *state;
	char name[9];
	uint32_t sent = 0, got = 0;

	pair_connect(f, &f->where);
	assert_int_equal(f->status, 0);
	assert_int_equal(hs_name_get(f->in->me.app, name), 0);
	assert_string_equal(name, "LINR02");
	assert_int_equal(f->out->peer_limit, HS_MSGLIMIT);
	/* The peer does not read: the message limit holds. */
	for (uint64_t end = 0; sent < HS_MSGLIMIT; pair_turn(f, &end))
		while (pair_send(f->out, sent) == 1)
			sent++;
	assert_int_equal(pair_send(f->out, sent), 0);
	assert_int_equal(f->out->sent, HS_MSGLIMIT);
	/* Half of them are read: the sender hears of it. */
	for (uint64_t end = 0; got < HS_MSGLIMIT / 2; pair_turn(f, &end))
		pair_take(f->in, &got);
	for (uint64_t end = 0; f->out->sent > HS_MSGLIMIT / 2; pair_turn(f, &end))
		;
	assert_int_equal(pair_send(f->out, sent), 1);
}

static void test_other_application(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;

	where.name = "LINR03";
	pair_connect(f, &where);
	assert_int_equal(f->status, -ECONNREFUSED);
	assert_non_null(strstr(f->refused, "it asks for another application"));
}

static void test_mtu(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	char why[TRANSPORT_WHY] = "";

	assert_int_equal(hs_packet_max(8192), 8074);
	assert_int_equal(hs_packet_max(57344), 57226);
	assert_int_equal(hs_packet_max(9000), 0);
	settings_set(&where.settings, "HS_MTU", "8192");
	assert_int_equal(transport_hipersockets.connect(&f->loop, &where, pair_on_connected, f),
			 -EMSGSIZE);
	where.mtu = 8074;
	where.why = why;
	pair_connect(f, &where);
	assert_int_equal(f->status, -EMSGSIZE);
	assert_non_null(strstr(why, "has an MTU of 16384, ours of 8192"));
	assert_non_null(strstr(f->refused, "the frames of its device have another size"));
}

/* The longest message of each size of frames arrives as it is; one byte more is refused. */
static void test_sizes(void **state)
{
	static const char *const mtus[] = {"8192", "16384", "32768", "57344"};
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	uint32_t most = hs_packet_max((uint32_t)strtoul(mtus[f->round], NULL, 10));
	struct packet *packet = malloc(sizeof(*packet) + most + 1);
	struct iovec got;
	uint64_t end = 0;

	assert_non_null(packet);
	*packet = (struct packet){.size = most + 1, .len = most + 1};
	packet->buf = packet->memory;
	for (uint32_t i = 0; i <= most; i++)
		packet->memory[i] = (uint8_t)(i * 7 + i / 4096);
	settings_set(&where.settings, "HS_MTU", mtus[f->round]);
	where.mtu = most;
	pair_listen(f, &where);
	pair_connect(f, &where);
	assert_int_equal(f->status, 0);
	assert_int_equal(transport_hipersockets.send(&f->out->meet.base, &packet, 1), -EMSGSIZE);
	packet->len = most;
	assert_int_equal(transport_hipersockets.send(&f->out->meet.base, &packet, 1), 1);
	while (transport_hipersockets.receive(&f->in->meet.base, &got, 1) != 1)
		pair_turn(f, &end);
	assert_int_equal(got.iov_len, most);
	assert_memory_equal(got.iov_base, packet->memory, most);
	transport_hipersockets.release(&f->in->meet.base);
	free(packet);
}

/* With ids of their own both sides know whom they talk to, from the frames. */
static void test_hsuid(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	struct transport_peer peer;

	settings_set(&where.settings, "IUCV_HSUID", "LINHS");
	pair_listen(f, &where);
	assert_string_equal(f->listener->vmid, "LINHS");
	settings_set(&where.settings, "IUCV_HSUID", "VSEHS");
	where.own = "TESTV";
	where.vmid = "LINHX";
	pair_connect(f, &where);
	assert_int_equal(f->status, -ECONNREFUSED);
	assert_non_null(strstr(f->refused, "it asks for another hsuid"));
	f->answered = false;
	where.vmid = "LINHS";
	pair_connect(f, &where);
	assert_int_equal(f->status, 0);
	assert_string_equal(f->out->meet.base.vmid, "VSEHS");
	transport_hipersockets.describe(&f->in->meet.base, &peer);
	assert_string_equal(peer.vmid, "VSEHS");
	transport_hipersockets.describe(&f->out->meet.base, &peer);
	assert_string_equal(peer.vmid, "LINHS");
}

/* By enum hs_faults. */
static const char *const faults[] = {"none", "hold", "late", "duplicate",
				     "race", "busy", "code", "all"};

/* Messages in both directions, each once and in order, whatever the machine does wrong: each fault
 * alone and all together, as the configuration has them. The trace of both devices is lawful. */
static void test_faults(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	uint32_t sent[2] = {0, 0}, got[2] = {0, 0};
	static struct qdio_trace trace;
	struct hs_conn *side[2];
	uint64_t planted = 0;

	settings_set(&where.settings, "HS_FAULTS", faults[f->round]);
	where.msglimit = 4 * QDIO_BUFFERS; /* so that transfers have to wait */
	pair_listen(f, &where);
	pair_connect(f, &where);
	side[0] = f->out;
	side[1] = f->in;
	trace = (struct qdio_trace){.both = true};
	for (int i = 0; i < 2; i++) {
		struct qdio_port *port = &side[i]->port;

		port->trace = &trace;
		trace.accepted[i] = trace.ended[i] = port->sequence;
		transport_hipersockets.watch(&side[i]->meet.base, TRANSPORT_READ);
	}
	for (uint64_t end = 0; got[0] < 4000 || got[1] < 4000; pair_turn(f, &end))
		for (int i = 0; i < 2; i++) {
			while (sent[i] < 4000 && pair_send(side[i], sent[i]) == 1)
				sent[i]++;
			if (f->readable % 5 == 0)
				pair_take(side[i], &got[!i]);
			assert_int_equal(side[i]->error, 0);
		}
	/* The last completions. */
	for (uint64_t end = 0; side[0]->port.waiting || side[1]->port.waiting; pair_turn(f, &end))
		;
	assert_string_equal(trace.wrong, "");
	assert_string_equal(qdio_trace_end(&trace), "");
	for (int i = 0; i < 2; i++)
		planted += side[i]->port.counts.busy + side[i]->port.counts.done_twice;
	assert_true(side[0]->port.counts.pending_ever > 0);
	assert_true((f->round != HS_FAULTS_BUSY && f->round != HS_FAULTS_DUPLICATE &&
		     f->round != HS_FAULTS_ALL) ||
		    planted > 0);
	side[0]->port.trace = side[1]->port.trace = NULL;
}

/* With a return code, or without completion queue: the connection ends, and what came is in order.
 */
static void test_loss_ends_it(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	uint32_t sent = 0, got = 0;
	uint64_t end = 0;

	settings_set(&where.settings, "HS_FAULTS", f->round ? "code" : "none");
	settings_set(&where.settings, "HS_CQ", f->round ? "yes" : "no");
	where.msglimit = 4 * QDIO_BUFFERS;
	pair_listen(f, &where);
	pair_connect(f, &where);
	for (int rc = 1; rc >= 0 && !f->out->error; pair_turn(f, &end)) {
		while ((rc = pair_send(f->out, sent)) == 1)
			sent++;
		while (pair_take(f->in, &got) > 0)
			;
	}
	assert_true(f->round ? f->out->port.counts.done_unreachable > 0
			     : f->out->port.counts.target_full > 0);
	assert_true(f->round || !f->out->port.counts.pending_ever);
}

/* Without completion queue, in the midst of several messages: lost messages are not sent again, nor
 * is anything after them. */
static void test_loss_in_a_batch(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	struct packet *packets[5]; /* no divisor of the number of buffers, with SYN or without */
	uint32_t sent = 0, got = 0;
	int rc;

	settings_set(&where.settings, "HS_CQ", "no");
	where.msglimit = 4 * QDIO_BUFFERS;
	pair_listen(f, &where);
	pair_connect(f, &where);
	for (int i = 0; i < 5; i++) {
		packets[i] = calloc(1, sizeof(*packets[i]) + 100);
		assert_non_null(packets[i]);
		packets[i]->size = packets[i]->len = 100;
		packets[i]->buf = packets[i]->memory;
	}
	do {
		for (uint32_t i = 0; i < 5; i++) {
			uint32_t number = sent + i;

			memcpy(packets[i]->memory, &number, sizeof(number));
		}
		rc = transport_hipersockets.send(&f->out->meet.base, packets, 5);
		sent += rc > 0 ? (uint32_t)rc : 0;
	} while (rc == 5);
	for (int i = 0; i < 5; i++)
		free(packets[i]);
	assert_in_range(rc, 1, 4);
	assert_int_equal(f->out->port.counts.target_full, 1);
	while (pair_take(f->in, &got) > 0)
		;
	assert_int_equal(got, sent);
	assert_int_equal(pair_send(f->out, sent), -ENOBUFS);
	assert_int_equal(pair_take(f->in, &got), -EAGAIN);
}

/* Messages kept while the peer does not read stay below the agreed limit. */
static void test_too_long_to_keep(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	struct iovec packets[16];
	uint32_t number = 0;
	uint64_t end = 0;

	where.mtu = 64; /* pair_send() has 100 bytes */
	pair_listen(f, &where);
	pair_connect(f, &f->where);
	assert_int_equal(pair_send(f->out, number), 1);
	while (!f->in->error)
		pair_turn(f, &end);
	assert_null(f->in->backlog.first);
	assert_int_equal(transport_hipersockets.receive(&f->in->meet.base, packets, 16), -EMSGSIZE);
}

/* SHT: the other side sends no more; earlier messages are read first, then the end. */
static void test_shutdown(void **state)
{
	struct hs_pair *f = *state;
	uint32_t got = 0;
	uint64_t end = 0;
	int rc;

	pair_connect(f, &f->where);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(pair_send(f->out, i), 1);
	assert_int_equal(hs_control(f->out, HS_SHT, 0), 0);
	transport_hipersockets.watch(&f->in->meet.base, TRANSPORT_READ);
	while ((rc = pair_take(f->in, &got)) != 0) {
		assert_true(rc > 0 || rc == -EAGAIN);
		pair_turn(f, &end);
	}
	assert_int_equal(got, 3);
}

/* A message after the end, more WIN than messages: a peer that does not keep to the rules. */
static void test_against_the_rules(void **state)
{
	struct hs_pair *f = *state;
	uint64_t end = 0;

	pair_connect(f, &f->where);
	if (f->round) {
		assert_int_equal(hs_control(f->out, HS_WIN, 1), 0);
	} else {
		assert_int_equal(hs_control(f->out, HS_SHT, 0), 0);
		assert_int_equal(pair_send(f->out, 0), 1);
	}
	while (!f->in->error)
		pair_turn(f, &end);
	assert_int_equal(f->in->error, -EPROTO);
}

/* The peer's process is gone, its half of the device as it was: its sent messages arrive, and then
 * the connection ends. */
static void test_peer_crash(void **state)
{
	struct hs_pair *f = *state;
	uint32_t got = 0;
	uint64_t end = 0;
	int rc;

	pair_connect(f, &f->where);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(pair_send(f->out, i), 1);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(pair_send(f->in, i), 1);
	shutdown(f->out->meet.fd, SHUT_RDWR); /* as the kernel does when it ends */
	while (!f->in->meet.gone)
		pair_turn(f, &end);
	while ((rc = pair_take(f->in, &got)) != 0) {
		assert_true(rc > 0 || rc == -EAGAIN);
		pair_turn(f, &end);
	}
	assert_int_equal(got, 10);
	assert_int_equal(pair_send(f->in, 5), -EPIPE);
}

/* A message that is not delivered is never lost in silence: the connection ends. */
static void test_not_delivered(void **state)
{
	struct hs_pair *f = *state;
	uint32_t sent = 0, got = 0;
	uint64_t end = 0;

	pair_connect(f, &f->where);
	transport_hipersockets.watch(&f->in->meet.base, TRANSPORT_READ);
	f->in->port.faults = (struct qdio_faults){.fail = 1, .aorc = 17};
	f->out->peer_limit = f->in->limit = 2 * QDIO_BUFFERS;
	while (!f->out->port.waiting)
		assert_int_equal(pair_send(f->out, sent++), 1);
	for (; !f->out->error; pair_turn(f, &end))
		pair_take(f->in, &got);
	assert_int_equal(f->out->error, -ECONNRESET);
	assert_int_equal(pair_send(f->out, sent), -ECONNRESET);
	/* Messages before the gap are delivered, none after it. */
	for (end = 0; got < QDIO_BUFFERS; pair_turn(f, &end))
		pair_take(f->in, &got);
	assert_int_equal(pair_take(f->in, &got), -EAGAIN);
}

static unsigned int rounds[] = {0, 1, 2, 3, 4, 5, 6, 7};

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_set_up, pair_tear_down)
#define ROUND(test, nr, text)                                                                      \
	{                                                                                          \
		text, test, pair_set_up, pair_tear_down, &rounds[nr]                               \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names_and_limit),
		TEST(test_loss_in_a_batch),
		TEST(test_too_long_to_keep),
		TEST(test_other_application),
		TEST(test_mtu),
		ROUND(test_sizes, 0, "frames of 16 KB"),
		ROUND(test_sizes, 1, "frames of 24 KB"),
		ROUND(test_sizes, 2, "frames of 40 KB"),
		ROUND(test_sizes, 3, "frames of 64 KB"),
		TEST(test_hsuid),
		ROUND(test_faults, HS_FAULTS_NONE, "no fault"),
		ROUND(test_faults, HS_FAULTS_HOLD, "buffers are kept back"),
		ROUND(test_faults, HS_FAULTS_LATE, "completions are late"),
		ROUND(test_faults, HS_FAULTS_DUPLICATE, "completions come twice"),
		ROUND(test_faults, HS_FAULTS_RACE, "completions come early"),
		ROUND(test_faults, HS_FAULTS_BUSY, "busy"),
		ROUND(test_faults, HS_FAULTS_ALL, "all of these"),
		ROUND(test_loss_ends_it, 0, "lost without completion queue"),
		ROUND(test_loss_ends_it, 1, "a return code"),
		TEST(test_shutdown),
		ROUND(test_against_the_rules, 0, "a message after the end"),
		ROUND(test_against_the_rules, 1, "more read than sent"),
		TEST(test_peer_crash),
		TEST(test_not_delivered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
