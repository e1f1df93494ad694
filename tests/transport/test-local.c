/* SPDX-License-Identifier: Apache-2.0 */
/* test-local.c - data on its way within a process is bounded: bytes, and memory of small packets
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "transport/choice.h"

#define SIZE 65536u /* of a packet's memory */

struct fixture {
	uv_loop_t loop;
	struct transport_listener *listener;
	struct transport_conn *ends[2];
	unsigned int writable, sent;
};

static void on_writable(struct transport_conn *conn)
{
	((struct fixture *)conn->data)->writable++;
}

static void on_sent(struct transport_conn *conn, struct packet *packet)
{
	((struct fixture *)conn->data)->sent++;
	free(packet);
}

static void on_readable(struct transport_conn *conn)
{
	(void)conn;
}

static void own(struct fixture *f, struct transport_conn *conn)
{
	conn->data = f;
	conn->on_readable = on_readable;
	conn->on_writable = on_writable;
	conn->on_sent = on_sent;
}

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	struct fixture *f = listener->data;

	f->ends[1] = conn;
	own(f, conn);
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	struct fixture *f = data;

	assert_int_equal(status, 0);
	f->ends[0] = conn;
	own(f, conn);
}

static struct packet *make(size_t len, bool has_data)
{
	struct packet *packet = calloc(1, sizeof(*packet) + SIZE);

	assert_non_null(packet);
	packet->size = SIZE;
	packet->len = len;
	packet->has_data = has_data;
	packet->buf = packet->memory;
	return packet;
}

/* As many as are taken. */
static unsigned int fill(struct fixture *f, size_t len, bool has_data)
{
	unsigned int nr = 0;

	for (;;) {
		struct packet *packet = make(len, has_data);
		int rc = f->ends[0]->transport->send(f->ends[0], &packet, 1);

		assert_in_range(rc, 0, 1);
		if (!rc) {
			free(packet);
			return nr;
		}
		nr++;
		assert_in_range(nr, 1, 10000);
	}
}

static void drain(struct fixture *f)
{
	struct iovec packets[16];

	while (f->ends[1]->transport->receive(f->ends[1], packets, 16) > 0)
		f->ends[1]->transport->release(f->ends[1]);
}

static void test_bounds(void **state)
{
	const struct transport_where where = {.name = "LINR02", .mtu = SIZE, .msglimit = 10};
	struct fixture *f = *state;

	uv_loop_init(&f->loop);
	assert_int_equal(transport_local.listen(&f->loop, &where, &f->listener), 0);
	f->listener->data = f;
	f->listener->on_connection = on_connection;
	assert_int_equal(transport_local.connect(&f->loop, &where, on_connected, f), 0);
	while (!f->ends[0] || !f->ends[1])
		uv_run(&f->loop, UV_RUN_ONCE);
	/* 16 of them are 1 MB of memory, though there is room for thousands of their bytes. */
	assert_int_equal(fill(f, 20, false), 16);
	f->ends[0]->transport->watch(f->ends[0], TRANSPORT_WRITE);
	drain(f);
	assert_int_equal(f->sent, 16);
	while (!f->writable)
		uv_run(&f->loop, UV_RUN_ONCE);
	/* Those with data count by the message limit, and here by their bytes. */
	assert_int_equal(fill(f, SIZE, true), 2);
	drain(f);
	assert_true(fill(f, 20, true) > 16);
	drain(f);
	for (int i = 0; i < 2; i++)
		f->ends[i]->transport->close(f->ends[i]);
	transport_local.stop(f->listener);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
