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

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->dir, sizeof(f->dir), "/tmp/test-hipersockets-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->name, sizeof(f->name), "%s/path", f->dir);
	f->where = (struct transport_where){.path = f->name, .name = "LINR02", .mtu = 8192};
	uv_loop_init(&f->loop);
	assert_int_equal(transport_hipersockets.listen(&f->loop, &f->where, &f->listener), 0);
	f->listener->data = f;
	f->listener->on_connection = on_connection;
	f->listener->on_refused = on_refused;
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

/* Whatever the machine does late, twice, or not at once: all comes, once and in order. */
static void test_faults(void **state)
{
	struct fixture *f = *state;
	uint32_t sent = 0, got = 0;

	connect_to(f, &f->where);
	transport_hipersockets.watch(&f->in->base, TRANSPORT_READ);
	for (uint64_t end = 0; got < 5000; turn(f, &end)) {
		struct qdio_faults faults = {
			.busy = 2, .hold = 3, .late = 3, .duplicate = 1, .race = 1};

		if (sent % 7 == 0)
			f->out->port.faults = f->in->port.faults = faults;
		while (sent < 5000 && send_one(f->out, sent) == 1)
			sent++;
		take(f->in, &got);
	}
	assert_int_equal(f->out->error, 0);
	assert_true(f->out->port.counts.busy > 0);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names_and_limit), TEST(test_other_application), TEST(test_mtu),
		TEST(test_faults),          TEST(test_not_delivered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
