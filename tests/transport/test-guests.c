/* SPDX-License-Identifier: Apache-2.0 */
/* test-guests.c - a silent client keeps no other client out */
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

#include "tests/transport/settings.h"
#include "transport/choice.h"
#include "transport/listen-socket.h"

#define SILENT 40

struct fixture {
	const struct transport *transport;
	uv_loop_t loop;
	char dir[64], name[96];
	struct transport_where where;
	struct transport_listener *listener;
	struct transport_conn *in, *out;
	int status;
	unsigned int refused; /* messages of those that are not taken */
};

static void on_event(struct transport_conn *conn)
{
	(void)conn;
}

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	((struct fixture *)listener->data)->in = conn;
	conn->on_readable = conn->on_writable = on_event;
}

static void on_refused(struct transport_listener *listener, const char *why)
{
	assert_string_not_equal(why, "");
	((struct fixture *)listener->data)->refused++;
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	struct fixture *f = data;

	f->status = status;
	f->out = conn;
	if (conn)
		conn->on_readable = conn->on_writable = on_event;
}

static void begin(struct fixture *f, const struct transport *transport)
{
	*f = (struct fixture){.transport = transport, .status = 1};
	snprintf(f->dir, sizeof(f->dir), "/tmp/test-guests-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->name, sizeof(f->name), "%s/path", f->dir);
	f->where = (struct transport_where){.path = f->name, .name = "LINR02", .mtu = 8192};
	settings_init(&f->where.settings);
	uv_loop_init(&f->loop);
	assert_int_equal(transport->listen(&f->loop, &f->where, &f->listener), 0);
	f->listener->data = f;
	f->listener->on_connection = on_connection;
	f->listener->on_refused = on_refused;
}

static void end(struct fixture *f)
{
	f->transport->stop(f->listener);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	rmdir(f->dir);
}

static bool is_closed(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

/* More than the backlog has room for: the listener has its turns. */
static int connect_silently(struct fixture *f)
{
	uint64_t until = uv_hrtime() + UINT64_C(30000000000);
	int fd;

	do {
		fd = socket_connect(f->name);
		uv_run(&f->loop, UV_RUN_NOWAIT);
	} while (fd == -EAGAIN && uv_hrtime() < until);
	assert_true(fd >= 0);
	return fd;
}

static void test_silent(void **state)
{
	const struct transport *transport = *state;
	uint64_t until = uv_hrtime() + UINT64_C(30000000000);
	int silent[SILENT];
	struct fixture f;

	begin(&f, transport);
	for (int i = 0; i < SILENT; i++)
		silent[i] = connect_silently(&f);
	assert_int_equal(transport->connect(&f.loop, &f.where, on_connected, &f), 0);
	while ((!f.in || f.status > 0) && uv_hrtime() < until)
		uv_run(&f.loop, UV_RUN_NOWAIT);
	assert_int_equal(f.status, 0);
	assert_non_null(f.in);
	/* The oldest clients have made room, and a message reports it. */
	for (int i = 0; i < SILENT - SOCKET_GUESTS; i++)
		assert_true(is_closed(silent[i]));
	assert_true(f.refused > 0);
	for (int i = 0; i < SILENT; i++)
		close(silent[i]);
	transport->close(f.out);
	transport->close(f.in);
	end(&f);
}

struct guest {
	struct socket_guest guest;
	struct socket_listener *listener;
	bool gone, told;
};

static void give_way(void *data, const char *why)
{
	struct guest *guest = data;

	guest->gone = true;
	guest->told = why;
	socket_guest_remove(guest->listener, &guest->guest);
	socket_listener_release(guest->listener);
}

static void add(struct fixture *f, struct guest *guest)
{
	guest->listener = (struct socket_listener *)f->listener;
	guest->guest.give_way = give_way;
	guest->guest.data = guest;
	socket_guest_add(guest->listener, &guest->guest);
}

static void test_order(void **state)
{
	static struct guest guests[SOCKET_GUESTS + 4];
	struct fixture f;

	(void)state;
	begin(&f, &transport_shm);
	memset(guests, 0, sizeof(guests));
	for (int i = 0; i < SOCKET_GUESTS; i++)
		add(&f, &guests[i]);
	/* A client that has sent something is dropped only if there is no silent one. */
	for (int i = 0; i < SOCKET_GUESTS; i++)
		guests[i].guest.heard = i != 2 && i != 5;
	for (int i = 0; i < 4; i++) {
		static const int leaves[] = {2, 5, 0, 1};

		add(&f, &guests[SOCKET_GUESTS + i]);
		guests[SOCKET_GUESTS + i].guest.heard = true;
		assert_true(guests[leaves[i]].gone);
		/* One message is enough while it is so. */
		assert_int_equal(guests[leaves[i]].told, i == 0);
	}
	for (int i = 0; i < SOCKET_GUESTS + 4; i++) {
		assert_int_equal(guests[i].gone, i < 3 || i == 5);
		if (!guests[i].gone)
			give_way(&guests[i], NULL);
	}
	/* After a better time in between, there is another message. */
	memset(guests, 0, sizeof(guests));
	for (int i = 0; i <= SOCKET_GUESTS; i++)
		add(&f, &guests[i]);
	assert_true(guests[0].gone && guests[0].told && !guests[1].gone);
	for (int i = 1; i <= SOCKET_GUESTS; i++)
		give_way(&guests[i], NULL);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_silent, (void *)(uintptr_t)&transport_shm),
		cmocka_unit_test_prestate(test_silent, (void *)(uintptr_t)&transport_hipersockets),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests_name("guests of a listener", tests, NULL, NULL);
}
