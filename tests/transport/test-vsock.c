/* SPDX-License-Identifier: Apache-2.0 */
/* test-vsock.c - the transport over AF_VSOCK: the peer's CID, either side dials, faults */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/transport/settings.h"
#include "tests/transport/vsock-layer.h"
#include "transport/choice.h"
#include "transport/stream-socket.h"

#define MTU 4096u

struct fixture {
	uv_loop_t loop;
	char dir[64], why[TRANSPORT_WHY], refused[256];
	int result; /* of connect(); 1: not yet */
	struct transport_conn *connected, *accepted;
	int paused; /* the error */
	unsigned int pauses;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	uv_loop_init(&f->loop);
	f->result = 1;
	snprintf(f->dir, sizeof(f->dir), "/tmp/test-vsock-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	vsock_layer_use(NULL);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	((struct fixture *)listener->data)->accepted = conn;
}

static void on_refused(struct transport_listener *listener, const char *why)
{
	struct fixture *f = listener->data;

	snprintf(f->refused, sizeof(f->refused), "%s", why);
}

static void on_pause(struct transport_listener *listener, int error)
{
	struct fixture *f = listener->data;

	f->paused = error;
	f->pauses++;
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	struct fixture *f = data;

	f->result = status;
	f->connected = conn;
}

static struct transport_where where_of(struct fixture *f, const char *peer, const char *dial)
{
	struct transport_where where = {.name = "TEST", .own = "TESTV", .mtu = MTU, .why = f->why};

	settings_init(&where.settings);
	settings_set(&where.settings, "PEER_CID", peer);
	settings_set(&where.settings, "VSOCK_DIAL", dial);
	return where;
}

static struct transport_listener *listen_at(struct fixture *f, const struct transport_where *where)
{
	struct transport_listener *listener;

	assert_int_equal(transport_vsock.listen(&f->loop, where, &listener), 0);
	listener->data = f;
	listener->on_connection = on_connection;
	listener->on_refused = on_refused;
	listener->on_pause = on_pause;
	return listener;
}

static void close_conn(struct transport_conn **conn)
{
	if (*conn)
		streamsock_close(*conn);
	*conn = NULL;
}

static void end_all(struct fixture *f, struct transport_listener *listener)
{
	char path[96];

	close_conn(&f->accepted);
	close_conn(&f->connected);
	if (listener)
		transport_vsock.stop(listener);
	snprintf(path, sizeof(path), "%s/5023", f->dir);
	unlink(path);
}

static void test_cid(void **state)
{
	struct fixture *f = *state;
	struct transport_where lfpd = where_of(f, "3", "no"), vse = where_of(f, "2", "yes");
	struct transport_listener *listener;
	struct transport_peer peer;

	vsock_layer_use(f->dir);
	listener = listen_at(f, &lfpd);
	/* Both sides see CID 2. */
	vsock_layer_peer(2);
	assert_int_equal(transport_vsock.connect(&f->loop, &vse, on_connected, f), 0);
	/* The kernel must not end the attempt before dial.c does, after 10 seconds. */
	assert_true(vsock_layer_patience() > 10);
	while (f->result == 1)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->result, 0);
	while (!*f->refused && !f->accepted)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_null(f->accepted);
	assert_string_equal(f->refused, "CID 2, port 1024: its CID is not the configured one, 3");
	close_conn(&f->connected);
	/* Now lfpd's peer is CID 3, and ours, too. */
	vsock_layer_peer(3);
	vse = where_of(f, "3", "yes");
	f->result = 1;
	assert_int_equal(transport_vsock.connect(&f->loop, &vse, on_connected, f), 0);
	while (f->result == 1 || !f->accepted)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->result, 0);
	transport_vsock.describe(f->accepted, &peer);
	assert_string_equal(peer.text, "vsock CID 3 port 1024");
	assert_string_equal(peer.vmid, "");
	assert_false(peer.has_ucred);
	end_all(f, listener);
}

/* lfpd dials: a peer that is not there, one of another CID, one that ends, in turn. */
static void test_lfpd_dials(void **state)
{
	struct fixture *f = *state;
	struct transport_where lfpd = where_of(f, "3", "yes"), vse = where_of(f, "3", "no");
	struct transport_listener *listener;

	vsock_layer_use(f->dir);
	vsock_layer_peer(3);
	listener = listen_at(f, &lfpd);
	while (!f->pauses)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->paused, -ENOENT);
	assert_int_equal(transport_vsock.connect(&f->loop, &vse, on_connected, f), 0);
	while (!f->accepted || !f->connected)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->pauses, 2);
	assert_int_equal(f->paused, 0);
	/* The next one, and only after the end of the present one. */
	for (int i = 0; i < 5; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	end_all(f, NULL);
	assert_int_equal(transport_vsock.connect(&f->loop, &vse, on_connected, f), 0);
	while (!f->accepted || !f->connected)
		uv_run(&f->loop, UV_RUN_ONCE);
	end_all(f, NULL);
	vsock_layer_peer(4);
	assert_int_equal(transport_vsock.connect(&f->loop, &vse, on_connected, f), 0);
	while (!*f->refused)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_string_equal(f->refused, "CID 4, port 1024: its CID is not the configured one, 3");
	/* The side that waits has refused it as well, and waits for another one. */
	vsock_layer_peer(3);
	while (!f->accepted || !f->connected)
		uv_run(&f->loop, UV_RUN_ONCE);
	end_all(f, listener);
}

static void test_faults(void **state)
{
	struct fixture *f = *state;
	struct transport_where lfpd = where_of(f, "3", "no"), vse = where_of(f, "2", "yes");
	struct transport_listener *listener;

	vsock_layer_use(NULL);
	assert_int_equal(transport_vsock.listen(&f->loop, &lfpd, &listener), -EAFNOSUPPORT);
	assert_non_null(strstr(f->why, "module vsock"));
	*f->why = '\0';
	assert_int_equal(transport_vsock.connect(&f->loop, &vse, on_connected, f), -EAFNOSUPPORT);
	assert_non_null(strstr(f->why, "module vsock"));
	vsock_layer_use(f->dir);
	vsock_layer_fail(ENODEV);
	assert_int_equal(transport_vsock.connect(&f->loop, &vse, on_connected, f), -ENODEV);
	assert_string_equal(f->why, "no vsock driver of this system reaches CID 2");
	listener = listen_at(f, &lfpd);
	assert_int_equal(
		transport_vsock.listen(&f->loop, &lfpd, &(struct transport_listener *){NULL}),
		-EADDRINUSE);
	assert_string_equal(f->why, "another process listens at port 5023");
	end_all(f, listener);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cid),
		TEST(test_lfpd_dials),
		TEST(test_faults),
	};

	return cmocka_run_group_tests_name("vsock", tests, NULL, NULL);
}
