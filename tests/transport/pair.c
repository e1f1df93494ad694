/* SPDX-License-Identifier: Apache-2.0 */
/* pair.c - both ends of a path on one loop, over each transport in turn */
#include "tests/transport/pair.h"
#include "tests/transport/settings.h"
#include "tests/transport/vsock-layer.h"
#include "transport/choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATIENCE_MS 120000

void pair_pump(struct side *side)
{
	while (side->sent < side->to_send) {
		uint8_t *at;
		size_t want =
			side->to_send - side->sent < 100000 ? side->to_send - side->sent : 100000;
		size_t n = path_data_reserve(side->path, want, &at);

		if (!n)
			return;
		for (size_t i = 0; i < n; i++)
			at[i] = (uint8_t)((side->sent + i) * 7);
		path_data_commit(side->path, 1, side->sent, n, false);
		side->sent += n;
	}
}

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct side *side = path_data(path);

	side->frames++;
	if (side->refuse_after && side->frames >= (uint64_t)side->refuse_after) {
		*why = "refused by the test";
		return -EPROTO;
	}
	if (frame->code == LFP_DATA) {
		if (frame->data.position != side->position)
			side->out_of_order = true;
		for (uint32_t i = 0; i < frame->data.payload.len; i++)
			if (frame->data.payload.ptr[i] != (uint8_t)((side->position + i) * 7))
				side->out_of_order = true;
		side->position += frame->data.payload.len;
		side->bytes += frame->data.payload.len;
	}
	return 0;
}

static void on_ready(struct path *path)
{
	struct side *side = path_data(path);

	side->ready++;
	if (side->resumes)
		path_pause(path, false);
	pair_pump(side);
}

static void on_down(struct path *path, int error, const char *why)
{
	struct side *side = path_data(path);

	side->down = true;
	side->error = error;
	snprintf(side->why, sizeof(side->why), "%s", why);
}

static const struct path_ops ops = {.on_frame = on_frame, .on_ready = on_ready, .on_down = on_down};

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	struct pair *f = listener->data;

	f->accepted = conn;
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	struct pair *f = data;

	assert_int_equal(status, 0);
	f->connected = conn;
}
static bool both_there(struct pair *f)
{
	return f->accepted && f->connected;
}

void pair_run_until(struct pair *f, bool (*done)(struct pair *f))
{
	uint64_t end;

	uv_update_time(&f->loop);
	end = uv_now(&f->loop) + PATIENCE_MS;
	while (!done(f)) {
		uv_run(&f->loop, UV_RUN_NOWAIT);
		if (uv_now(&f->loop) > end)
			fail_msg("condition not met within two minutes");
	}
}

/* A transport with some of its keys. */
struct way {
	const char *name;
	const struct transport *transport;
	bool stream;
	bool lfpd_dials; /* and the z/VSE side listens */
};

static struct way under_test; /* of the group that runs */

/* Sets the keys of one side. */
static void set_keys(struct pair *f, struct transport_settings *settings, bool dials)
{
	char place[sizeof(f->dir) + 16];

	if (under_test.transport == &transport_vsock) {
		vsock_layer_use(f->dir);
		settings_set(settings, "PEER_CID", "2");
		settings_set(settings, "VSOCK_DIAL", dials ? "yes" : "no");
	}
	if (under_test.transport != &transport_unix || !under_test.stream)
		return;
	snprintf(place, sizeof(place), "%s/stream", f->dir);
	settings_set(settings, "UNIX_STREAM", place);
	settings_set(settings, "UNIX_DIAL", dials ? "yes" : "no");
}

static char iucv_lfpd[9], iucv_vse[9];
static bool with_iucv(void)
{
	const char *users = getenv("VSELFPD_IUCV");

	return users && sscanf(users, "%8s %8s", iucv_lfpd, iucv_vse) >= 1;
}

/* A thread closes sockets of AF_IUCV, so the one of the test before may still have the name. */
static void listen_when_free(struct pair *f, const struct transport_where *where)
{
	int rc = f->transport->listen(&f->loop, where, &f->listener);

	for (int i = 0; i < 2000 && rc == -EADDRINUSE && with_iucv(); i++) {
		usleep(10000);
		rc = f->transport->listen(&f->loop, where, &f->listener);
	}
	assert_int_equal(rc, 0);
}

int pair_setup(void **state)
{
	struct pair *f = calloc(1, sizeof(*f));
	struct transport_where where = {.name = "TEST", .mtu = 8192};

	snprintf(f->dir, sizeof(f->dir), "/tmp/test-path-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->name, sizeof(f->name), "%s/path", f->dir);
	where.path = f->name;
	where.own = "TESTV";
	where.vmid = *iucv_lfpd ? iucv_lfpd : NULL;
	f->transport = under_test.transport;
	f->stream = under_test.stream;
	uv_loop_init(&f->loop);
	settings_init(&where.settings);
	settings_set(&where.settings, "ShmRingSize", "65536");
	settings_set(&where.settings, "IUCV_HSUID", *iucv_vse ? iucv_lfpd : "");
	set_keys(f, &where.settings, under_test.lfpd_dials);
	listen_when_free(f, &where);
	f->listener->data = f;
	f->listener->on_connection = on_connection;
	set_keys(f, &where.settings, !under_test.lfpd_dials);
	settings_set(&where.settings, "IUCV_HSUID", iucv_vse);
	assert_int_equal(f->transport->connect(&f->loop, &where, on_connected, f), 0);
	pair_run_until(f, both_there);
	f->transport = f->connected->transport;
	f->lfpd.path = path_create(&f->loop, f->accepted, LFP_FROM_VSE, 8192, &ops, &f->lfpd);
	f->vse.path = path_create(&f->loop, f->connected, LFP_FROM_LFPD, 8192, &ops, &f->vse);
	*state = f;
	return 0;
}

int pair_teardown(void **state)
{
	struct pair *f = *state;

	if (f->lfpd.path)
		path_close(f->lfpd.path, NULL);
	if (f->vse.path)
		path_close(f->vse.path, NULL);
	f->listener->transport->stop(f->listener);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	vsock_layer_use(NULL);
	snprintf(f->name, sizeof(f->name), "%s/5023", f->dir);
	unlink(f->name);
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

void pair_open(struct pair *f, uint32_t mtu, uint32_t limit)
{
	assert_int_equal(path_open(f->lfpd.path, mtu, limit), 0);
	assert_int_equal(path_open(f->vse.path, mtu, limit), 0);
}

bool pair_all_arrived(struct pair *f)
{
	return f->lfpd.bytes == f->vse.to_send && f->vse.bytes == f->lfpd.to_send;
}
bool pair_lfpd_down(struct pair *f)
{
	return f->lfpd.down;
}

static void test_no_iucv(void **state)
{
	(void)state;
	print_message("skipped: VSELFPD_IUCV names no users of AF_IUCV\n");
	skip();
}

int pair_run_tests(const struct CMUnitTest *tests, size_t nr)
{
	const struct way stream = {"unix, a stream", &transport_unix, true, false};
	const struct CMUnitTest none[] = {cmocka_unit_test(test_no_iucv)};
	const struct transport *transport;
	int failed = 0;

	for (unsigned int i = 0; (transport = transport_at(i)); i++) {
		const bool vsock = transport == &transport_vsock;

		under_test = (struct way){transport->name, transport, vsock, vsock};
		if (transport == &transport_iucv && !with_iucv())
			failed += cmocka_run_group_tests_name(under_test.name, none, NULL, NULL);
		else
			failed += _cmocka_run_group_tests(under_test.name, tests, nr, NULL, NULL);
	}
	under_test = stream;
	return failed + _cmocka_run_group_tests(under_test.name, tests, nr, NULL, NULL);
}
