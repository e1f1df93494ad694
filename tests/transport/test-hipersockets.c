/* SPDX-License-Identifier: Apache-2.0 */
/* test-hipersockets.c - what the transport hipersockets does with its device, right and wrong */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/hs-inner.h"

struct fixture {
	uv_loop_t loop;
	char dir[64], name[96];
	struct transport_where where;
	struct transport_listener *listener;
	struct hs_conn *out, *in; /* who connects, who was connected to */
	int status;
	bool answered;
	char refused[256];
	unsigned int readable;
	unsigned int round; /* of a test that is run with several */
};

static void on_nothing(struct transport_conn *conn)
{
	((struct fixture *)conn->data)->readable++;
}

static void own(struct fixture *f, struct transport_conn *conn)
{
	conn->data = f;
	conn->on_readable = conn->on_writable = on_nothing;
}

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	struct fixture *f = listener->data;

	f->in = (struct hs_conn *)conn;
	own(f, conn);
}

static void on_refused(struct transport_listener *listener, const char *why)
{
	struct fixture *f = listener->data;

	snprintf(f->refused, sizeof(f->refused), "%s", why);
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	struct fixture *f = data;

	f->answered = true;
	f->status = status;
	f->out = (struct hs_conn *)conn;
	if (conn)
		own(f, conn);
}

/* Listen as @where says, and no longer as before. */
static void listen_at(struct fixture *f, const struct transport_where *where)
{
	if (f->listener)
		transport_hipersockets.stop(f->listener);
	assert_int_equal(transport_hipersockets.listen(&f->loop, where, &f->listener), 0);
	f->listener->data = f;
	f->listener->on_connection = on_connection;
	f->listener->on_refused = on_refused;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->round = *state ? *(unsigned int *)*state : 0;

	snprintf(f->dir, sizeof(f->dir), "/tmp/test-hipersockets-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->name, sizeof(f->name), "%s/path", f->dir);
	f->where = (struct transport_where){.path = f->name, .name = "LINR02", .mtu = 8192};
	uv_loop_init(&f->loop);
	listen_at(f, &f->where);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->out)
		transport_hipersockets.close(&f->out->base);
	if (f->in)
		transport_hipersockets.close(&f->in->base);
	transport_hipersockets.stop(f->listener);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void turn(struct fixture *f, uint64_t *end)
{
	uv_update_time(&f->loop);
	if (!*end)
		*end = uv_now(&f->loop) + 30000;
	assert_true(uv_now(&f->loop) < *end);
	uv_run(&f->loop, UV_RUN_NOWAIT);
}

static void connect_to(struct fixture *f, const struct transport_where *where)
{
	uint64_t end = 0;

	assert_int_equal(transport_hipersockets.connect(&f->loop, where, on_connected, f), 0);
	while (!f->answered || (!f->status && !f->in))
		turn(f, &end);
}

static int send_one(struct hs_conn *conn, uint32_t number)
{
	struct packet *packet = malloc(sizeof(*packet) + 100);
	int rc;

	*packet = (struct packet){.size = 100, .len = 100};
	packet->buf = packet->memory;
	memset(packet->memory, 0, 100);
	memcpy(packet->memory, &number, sizeof(number));
	rc = transport_hipersockets.send(&conn->base, &packet, 1);
	free(packet);
	return rc;
}

/* The next messages, whose numbers go on from @*number. An error, or how many. */
static int take(struct hs_conn *conn, uint32_t *number)
{
	struct iovec packets[16];
	int n = transport_hipersockets.receive(&conn->base, packets, 16);

	for (int i = 0; i < n; i++) {
		assert_int_equal(packets[i].iov_len, 100);
		assert_memory_equal(packets[i].iov_base, number, sizeof(*number));
		++*number;
	}
	if (n > 0)
		transport_hipersockets.release(&conn->base);
	return n;
}

static void test_names_and_limit(void **state)
{
	struct fixture *f = *state;
	char name[9];
	uint32_t sent = 0, got = 0;

	connect_to(f, &f->where);
	assert_int_equal(f->status, 0);
	assert_int_equal(hs_name_get(f->in->me.app, name), 0);
	assert_string_equal(name, "LINR02");
	assert_int_equal(f->out->peer_limit, HS_MSGLIMIT);
	/* Nobody reads: so many messages, and no more. */
	for (uint64_t end = 0; sent < HS_MSGLIMIT; turn(f, &end))
		while (send_one(f->out, sent) == 1)
			sent++;
	assert_int_equal(send_one(f->out, sent), 0);
	assert_int_equal(f->out->sent, HS_MSGLIMIT);
	/* Half of them are read: the sender hears of it. */
	for (uint64_t end = 0; got < HS_MSGLIMIT / 2; turn(f, &end))
		take(f->in, &got);
	for (uint64_t end = 0; f->out->sent > HS_MSGLIMIT / 2; turn(f, &end))
		;
	assert_int_equal(send_one(f->out, sent), 1);
}

static void test_other_application(void **state)
{
	struct fixture *f = *state;
	struct transport_where where = f->where;

	where.name = "LINR03";
	connect_to(f, &where);
	assert_int_equal(f->status, -ECONNREFUSED);
	assert_non_null(strstr(f->refused, "it asks for another application"));
}

static void test_mtu(void **state)
{
	struct fixture *f = *state;
	struct transport_where where = f->where;

	assert_int_equal(hs_packet_max(8192), 8074);
	assert_int_equal(hs_packet_max(57344), 57226);
	assert_int_equal(hs_packet_max(9000), 0);
	where.device_mtu = 8192;
	assert_int_equal(transport_hipersockets.connect(&f->loop, &where, on_connected, f),
			 -EMSGSIZE);
	where.mtu = 8074;
	connect_to(f, &where);
	assert_true(f->status < 0);
	assert_non_null(strstr(f->refused, "the frames of its device have another size"));
}

/* The longest message of each size of frames arrives as it is; one byte more is refused. */
static void test_sizes(void **state)
{
	static const uint32_t mtus[] = {8192, 16384, 32768, 57344};
	struct fixture *f = *state;
	struct transport_where where = f->where;
	uint32_t most = hs_packet_max(mtus[f->round]);
	struct packet *packet = malloc(sizeof(*packet) + most + 1);
	struct iovec got;
	uint64_t end = 0;

	assert_non_null(packet);
	*packet = (struct packet){.size = most + 1, .len = most + 1};
	packet->buf = packet->memory;
	for (uint32_t i = 0; i <= most; i++)
		packet->memory[i] = (uint8_t)(i * 7 + i / 4096);
	where.device_mtu = mtus[f->round];
	where.mtu = most;
	listen_at(f, &where);
	connect_to(f, &where);
	assert_int_equal(f->status, 0);
	assert_int_equal(transport_hipersockets.send(&f->out->base, &packet, 1), -EMSGSIZE);
	packet->len = most;
	assert_int_equal(transport_hipersockets.send(&f->out->base, &packet, 1), 1);
	while (transport_hipersockets.receive(&f->in->base, &got, 1) != 1)
		turn(f, &end);
	assert_int_equal(got.iov_len, most);
	assert_memory_equal(got.iov_base, packet->memory, most);
	transport_hipersockets.release(&f->in->base);
	free(packet);
}

/* With ids of their own both sides know whom they talk to, from the frames. */
static void test_hsuid(void **state)
{
	struct fixture *f = *state;
	struct transport_where where = f->where;
	struct transport_peer peer;

	where.hsuid = "LINHS";
	listen_at(f, &where);
	assert_string_equal(f->listener->vmid, "LINHS");
	where.hsuid = "VSEHS";
	where.own = "TESTV";
	where.vmid = "LINHX";
	connect_to(f, &where);
	assert_int_equal(f->status, -ECONNREFUSED);
	assert_non_null(strstr(f->refused, "it asks for another hsuid"));
	f->answered = false;
	where.vmid = "LINHS";
	connect_to(f, &where);
	assert_int_equal(f->status, 0);
	assert_string_equal(f->out->base.vmid, "VSEHS");
	transport_hipersockets.describe(&f->in->base, &peer);
	assert_string_equal(peer.vmid, "VSEHS");
	transport_hipersockets.describe(&f->out->base, &peer);
	assert_string_equal(peer.vmid, "LINHS");
}

/* Messages in both directions, each once and in order, whatever the machine does wrong: each fault
 * alone and all together, as the configuration has them. The trace of both devices is lawful. */
static void test_faults(void **state)
{
	struct fixture *f = *state;
	struct transport_where where = f->where;
	uint32_t sent[2] = {0, 0}, got[2] = {0, 0};
	static struct qdio_trace trace;
	struct hs_conn *side[2];
	uint64_t planted = 0;

	where.faults = f->round;
	where.msglimit = 4 * QDIO_BUFFERS; /* so that transfers have to wait */
	listen_at(f, &where);
	connect_to(f, &where);
	side[0] = f->out;
	side[1] = f->in;
	trace = (struct qdio_trace){.both = true};
	for (int i = 0; i < 2; i++) {
		struct qdio_port *port = &side[i]->port;

		port->trace = &trace;
		trace.accepted[i] = trace.ended[i] = port->sequence;
		transport_hipersockets.watch(&side[i]->base, TRANSPORT_READ);
	}
	for (uint64_t end = 0; got[0] < 4000 || got[1] < 4000; turn(f, &end))
		for (int i = 0; i < 2; i++) {
			while (sent[i] < 4000 && send_one(side[i], sent[i]) == 1)
				sent[i]++;
			if (f->readable % 5 == 0)
				take(side[i], &got[!i]);
			assert_int_equal(side[i]->error, 0);
		}
	/* The last completions. */
	for (uint64_t end = 0; side[0]->port.waiting || side[1]->port.waiting; turn(f, &end))
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
	struct fixture *f = *state;
	struct transport_where where = f->where;
	uint32_t sent = 0, got = 0;
	uint64_t end = 0;

	where.faults = f->round ? HS_FAULTS_CODE : HS_FAULTS_NONE;
	where.no_cq = !f->round;
	where.msglimit = 4 * QDIO_BUFFERS;
	listen_at(f, &where);
	connect_to(f, &where);
	for (int rc = 1; rc >= 0 && !f->out->error; turn(f, &end)) {
		while ((rc = send_one(f->out, sent)) == 1)
			sent++;
		while (take(f->in, &got) > 0)
			;
	}
	assert_true(f->round ? f->out->port.counts.done_unreachable > 0
			     : f->out->port.counts.target_full > 0);
	assert_true(f->round || !f->out->port.counts.pending_ever);
}

/* SHT: the other side sends no more; what came before it is read first, and then the end. */
static void test_shutdown(void **state)
{
	struct fixture *f = *state;
	uint32_t got = 0;
	uint64_t end = 0;
	int rc;

	connect_to(f, &f->where);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(send_one(f->out, i), 1);
	assert_int_equal(hs_control(f->out, HS_SHT, 0), 0);
	transport_hipersockets.watch(&f->in->base, TRANSPORT_READ);
	while ((rc = take(f->in, &got)) != 0) {
		assert_true(rc > 0 || rc == -EAGAIN);
		turn(f, &end);
	}
	assert_int_equal(got, 3);
}

/* A message after the end, more WIN than messages: a peer that does not keep to the rules. */
static void test_against_the_rules(void **state)
{
	struct fixture *f = *state;
	uint64_t end = 0;

	connect_to(f, &f->where);
	if (f->round) {
		assert_int_equal(hs_control(f->out, HS_WIN, 1), 0);
	} else {
		assert_int_equal(hs_control(f->out, HS_SHT, 0), 0);
		assert_int_equal(send_one(f->out, 0), 1);
	}
	while (!f->in->error)
		turn(f, &end);
	assert_int_equal(f->in->error, -EPROTO);
}

/* The peer's process is gone, its half of the device as it was: what it has sent is there, the rest
 * ends. */
static void test_peer_crash(void **state)
{
	struct fixture *f = *state;
	uint32_t got = 0;
	uint64_t end = 0;
	int rc;

	connect_to(f, &f->where);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(send_one(f->out, i), 1);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(send_one(f->in, i), 1);
	shutdown(f->out->fd, SHUT_RDWR); /* as the kernel does when it ends */
	while (!f->in->gone)
		turn(f, &end);
	while ((rc = take(f->in, &got)) != 0) {
		assert_true(rc > 0 || rc == -EAGAIN);
		turn(f, &end);
	}
	assert_int_equal(got, 10);
	assert_int_equal(send_one(f->in, 5), -EPIPE);
}

/* A message that is not delivered is never lost in silence: the connection ends. */
static void test_not_delivered(void **state)
{
	struct fixture *f = *state;
	uint32_t sent = 0, got = 0;
	uint64_t end = 0;

	connect_to(f, &f->where);
	transport_hipersockets.watch(&f->in->base, TRANSPORT_READ);
	f->in->port.faults = (struct qdio_faults){.fail = 1, .aorc = 17};
	f->out->peer_limit = f->in->limit = 2 * QDIO_BUFFERS;
	while (!f->out->port.waiting)
		assert_int_equal(send_one(f->out, sent++), 1);
	for (; !f->out->error; turn(f, &end))
		take(f->in, &got);
	assert_int_equal(f->out->error, -ECONNRESET);
	assert_int_equal(send_one(f->out, sent), -ECONNRESET);
	/* What was delivered before is there, and nothing after the gap. */
	for (end = 0; got < QDIO_BUFFERS; turn(f, &end))
		take(f->in, &got);
	assert_int_equal(take(f->in, &got), -EAGAIN);
}

static unsigned int rounds[] = {0, 1, 2, 3, 4, 5, 6, 7};

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define ROUND(test, nr, text)                                                                      \
	{                                                                                          \
		text, test, setup, teardown, &rounds[nr]                                           \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names_and_limit),
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
