/* SPDX-License-Identifier: Apache-2.0 */
/* hs-pair.c - two ends of the transport hipersockets in one process */
#include "tests/transport/hs-pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_nothing(struct transport_conn *conn)
{
	((struct hs_pair *)conn->data)->readable++;
}

static void own(struct hs_pair *f, struct transport_conn *conn)
{
	conn->data = f;
	conn->on_readable = conn->on_writable = on_nothing;
}

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	struct hs_pair *f = listener->data;

	f->in = (struct hs_conn *)conn;
	own(f, conn);
}

static void on_refused(struct transport_listener *listener, const char *why)
{
	struct hs_pair *f = listener->data;

	snprintf(f->refused, sizeof(f->refused), "%s", why);
}

void pair_on_connected(void *data, int status, struct transport_conn *conn)
{
	struct hs_pair *f = data;

	f->answered = true;
	f->status = status;
	f->out = (struct hs_conn *)conn;
	if (conn)
		own(f, conn);
}

void pair_listen(struct hs_pair *f, const struct transport_where *where)
{
	if (f->listener)
		transport_hipersockets.stop(f->listener);
	assert_int_equal(transport_hipersockets.listen(&f->loop, where, &f->listener), 0);
	f->listener->data = f;
	f->listener->on_connection = on_connection;
	f->listener->on_refused = on_refused;
}

int pair_set_up(void **state)
{
	struct hs_pair *f = calloc(1, sizeof(*f));

	f->round = *state ? *(unsigned int *)*state : 0;

	snprintf(f->dir, sizeof(f->dir), "/tmp/test-hipersockets-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->name, sizeof(f->name), "%s/path", f->dir);
	f->where = (struct transport_where){.path = f->name, .name = "LINR02", .mtu = 8192};
	settings_init(&f->where.settings);
	uv_loop_init(&f->loop);
	pair_listen(f, &f->where);
	*state = f;
	return 0;
}

int pair_tear_down(void **state)
{
	struct hs_pair *f = *state;

	if (f->out)
		transport_hipersockets.close(&f->out->meet.base);
	if (f->in)
		transport_hipersockets.close(&f->in->meet.base);
	transport_hipersockets.stop(f->listener);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	rmdir(f->dir);
	free(f);
	return 0;
}

void pair_turn(struct hs_pair *f, uint64_t *end)
{
	uv_update_time(&f->loop);
	if (!*end)
		*end = uv_now(&f->loop) + 120000;
	assert_true(uv_now(&f->loop) < *end);
	uv_run(&f->loop, UV_RUN_NOWAIT);
}

void pair_connect(struct hs_pair *f, const struct transport_where *where)
{
	uint64_t end = 0;

	assert_int_equal(transport_hipersockets.connect(&f->loop, where, pair_on_connected, f), 0);
	while (!f->answered || (!f->status && !f->in))
		pair_turn(f, &end);
}

int pair_send(struct hs_conn *conn, uint32_t number)
{
	struct packet *packet = malloc(sizeof(*packet) + 100);
	int rc;

	*packet = (struct packet){.size = 100, .len = 100};
	packet->buf = packet->memory;
	memset(packet->memory, 0, 100);
	memcpy(packet->memory, &number, sizeof(number));
	rc = transport_hipersockets.send(&conn->meet.base, &packet, 1);
	free(packet);
	return rc;
}

int pair_take(struct hs_conn *conn, uint32_t *number)
{
	struct iovec packets[16];
	int n = transport_hipersockets.receive(&conn->meet.base, packets, 16);

	for (int i = 0; i < n; i++) {
		assert_int_equal(packets[i].iov_len, 100);
		assert_memory_equal(packets[i].iov_base, number, sizeof(*number));
		++*number;
	}
	if (n > 0)
		transport_hipersockets.release(&conn->meet.base);
	return n;
}
