/* SPDX-License-Identifier: Apache-2.0 */
/* test-hs-strangers.c - the transport hipersockets: frames of other connections, and false names
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/transport/hs-pair.h"

static struct transport_device device_of(struct hs_conn *conn)
{
	struct transport_device device;

	transport_hipersockets.device(&conn->meet.base, &device);
	return device;
}

/* The next message is number 0, and it arrives at @to. */
static void goes_on(struct hs_pair *f, struct hs_conn *from, struct hs_conn *to)
{
	uint32_t got = 0;
	uint64_t end = 0;

	assert_int_equal(pair_send(from, 0), 1);
	while (!got) {
		int rc = pair_take(to, &got);

		assert_true(rc > 0 || rc == -EAGAIN);
		pair_turn(f, &end);
	}
	assert_int_equal(from->error, 0);
	assert_int_equal(to->error, 0);
}

/* AF_IUCV gets only its own frames; the device counts and drops all others. */
static void test_other_protocols(void **state)
{
	static const uint16_t types[] = {0x86dd, 0x0800, 0x0806, 0x0000};
	struct hs_pair *f = *state;
	uint8_t bytes[200] = {0};

	pair_connect(f, &f->where);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		bytes[12] = (uint8_t)(types[i] >> 8);
		bytes[13] = (uint8_t)types[i];
		assert_int_equal(qdio_send_copy(&f->out->port, bytes, sizeof(bytes)), 0);
		/* Shorter than a header of AF_IUCV. */
		assert_int_equal(qdio_send_copy(&f->out->port, bytes, HS_LINK), 0);
	}
	goes_on(f, f->out, f->in);
	assert_int_equal(device_of(f->in).no_protocol, 2 * 4);
	assert_int_equal(device_of(f->in).frames_in, 2 + 2 * 4);
	assert_int_equal(device_of(f->in).discarded_in, 0);
	assert_int_equal(device_of(f->out).no_protocol, 0);
}

/* One of AF_IUCV that is wrong is another matter. */
static void test_broken_frame(void **state)
{
	struct hs_pair *f = *state;
	uint8_t bytes[HS_HEAD] = {0};
	uint64_t end = 0;

	pair_connect(f, &f->where);
	bytes[12] = bytes[13] = 0xfb;
	assert_int_equal(qdio_send_copy(&f->out->port, bytes, sizeof(bytes)), 0);
	while (!f->in->error)
		pair_turn(f, &end);
	assert_int_equal(f->in->error, -EPROTO);
}

/* A frame of the pair with other flags and names, from the connecting end. */
static int send_as(struct hs_pair *f, uint8_t flags, const char *own, const char *dest)
{
	struct hs_frame frame = {
		.type = HS_ETHERTYPE,
		.flags = flags,
		.window = HS_MSGLIMIT,
		.src = f->out->me,
		.dest = f->out->peer,
	};
	uint8_t head[HS_HEAD];

	assert_int_equal(hs_name_put(own, frame.src.app), 0);
	assert_int_equal(hs_name_put(dest, frame.dest.app), 0);
	hs_frame_head(&frame, head);
	return qdio_send_copy(&f->out->port, head, sizeof(head));
}

/* Frames between other ends have no effect; a SYN is refused as at a port without a listener. */
static void test_other_ends(void **state)
{
	struct hs_pair *f = *state;
	uint64_t end = 0;

	f->where.own = "TESTV";
	pair_connect(f, &f->where);
	assert_int_equal(send_as(f, HS_FIN, "OTHER", "LINR02"), 0);
	assert_int_equal(send_as(f, HS_SYN, "OTHER", "LINR02"), 0);
	assert_int_equal(send_as(f, HS_SYN, "TESTV", "LINR03"), 0);
	goes_on(f, f->out, f->in);
	assert_int_equal(device_of(f->in).discarded_in, 3);
	/* SYN|ACK, two refusals, which are of other ends than the one that sees them. */
	while (device_of(f->out).discarded_in < 2)
		pair_turn(f, &end);
	assert_int_equal(device_of(f->out).frames_in, 3);
	goes_on(f, f->in, f->out);
}

/* A pair of names has one connection. A second SYN for it, by the same device, means that the peer
 * has lost the first. The SYN is refused and ends the first, so the next SYN succeeds. */
static void test_comes_anew(void **state)
{
	struct hs_pair *f = *state;
	uint32_t got = 0;
	uint64_t end = 0;
	int rc;

	f->where.own = "TESTV";
	pair_connect(f, &f->where);
	transport_hipersockets.watch(&f->in->meet.base, TRANSPORT_READ);
	assert_int_equal(pair_send(f->out, 0), 1);
	assert_int_equal(send_as(f, HS_SYN, "TESTV", "LINR02"), 0);
	/* Earlier messages are delivered, then the end. */
	while ((rc = pair_take(f->in, &got)) > 0 || rc == -EAGAIN)
		pair_turn(f, &end);
	assert_int_equal(got, 1);
	assert_int_equal(rc, -ECONNRESET);
	/* Here the one that asked was there all the time, and hears of its own refusal. */
	while (device_of(f->out).frames_in < 2)
		pair_turn(f, &end);
}

/* The listener has its device: remains of an earlier connection of these names come first. */
static void on_answer_late_frames(struct watch *watch, int status, int events)
{
	struct hs_conn *conn = watch->data;
	uint8_t answer[64], other[HS_LINK] = {[12] = 0x86, [13] = 0xdd};

	(void)events;
	assert_int_equal(status, 0);
	if (recv(conn->meet.fd, answer, sizeof(answer), MSG_DONTWAIT) < 0)
		return;
	assert_int_equal(meet_begin(&conn->meet), 0);
	assert_int_equal(hs_control(conn, HS_WIN, 3), 0);
	assert_int_equal(hs_control(conn, HS_FIN, 0), 0);
	assert_int_equal(qdio_send_copy(&conn->port, other, sizeof(other)), 0);
	assert_int_equal(hs_control(conn, HS_SYN, conn->limit), 0);
}

/* A connection that is begun by hand. */
static struct hs_conn *begin(struct hs_pair *f, const struct transport_where *where)
{
	struct meet_conn *meet;
	struct hs_conn *conn;
	int fd = socket_connect(f->name);

	assert_true(fd >= 0);
	assert_int_equal(meet_create(&f->loop, fd, where, &hs_kind, &meet), 0);
	conn = (struct hs_conn *)meet;
	conn->meet.cb = pair_on_connected;
	conn->meet.cb_data = f;
	assert_int_equal(meet_offer(&conn->meet), 0);
	return conn;
}

static void test_before_syn(void **state)
{
	struct hs_pair *f = *state;
	struct hs_conn *conn = begin(f, &f->where);
	uint64_t end = 0;

	watch_start(&conn->meet.socket, UV_READABLE, on_answer_late_frames);
	while (!f->answered || !f->in)
		pair_turn(f, &end);
	assert_int_equal(f->status, 0);
	assert_int_equal(device_of(f->in).discarded_in, 2);
	assert_int_equal(device_of(f->in).no_protocol, 1);
	goes_on(f, f->out, f->in);
}

/* A device with an hsuid is identified by it: a SYN with unreadable names is refused. */
static void test_no_name(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	struct hs_conn *conn;
	uint64_t end = 0;

	where.vmid = "LINHS";
	settings_set(&where.settings, "IUCV_HSUID", "LINHS");
	pair_listen(f, &where);
	settings_set(&where.settings, "IUCV_HSUID", "VSEHS");
	where.own = "TESTV";
	conn = begin(f, &where);
	if (f->round)
		memset(conn->me.app, 0, sizeof(conn->me.app));
	else
		memset(conn->me.user, 0, sizeof(conn->me.user));
	while (!f->answered || !*f->refused)
		pair_turn(f, &end);
	assert_int_equal(f->status, -ECONNREFUSED);
	assert_non_null(
		strstr(f->refused, f->round ? "it has no application name" : "it has no hsuid"));
	assert_null(f->in);
}

/* Two devices of a LAN cannot have the same hsuid: the connecting end detects it, or else the
 * listening end. */
static void test_same_id(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	char why[TRANSPORT_WHY] = "";
	struct hs_conn *conn;
	uint64_t end = 0;

	where.vmid = "LINHS";
	settings_set(&where.settings, "IUCV_HSUID", "LINHS");
	where.own = "TESTV";
	where.why = why;
	pair_listen(f, &where);
	assert_int_equal(transport_hipersockets.connect(&f->loop, &where, pair_on_connected, f),
			 -EADDRINUSE);
	assert_non_null(strstr(why, "LINHS"));
	settings_set(&where.settings, "IUCV_HSUID", "VSEHS");
	conn = begin(f, &where);
	memcpy(conn->me.user, conn->peer.user, sizeof(conn->me.user));
	while (!f->answered || !*f->refused)
		pair_turn(f, &end);
	assert_int_equal(f->status, -ECONNREFUSED);
	assert_non_null(strstr(f->refused, "hsuid LINHS"));
	assert_null(f->in);
}

/* Both names are told, where there are ids of both sides' own. */
static void test_described(void **state)
{
	struct hs_pair *f = *state;
	struct transport_where where = f->where;
	struct transport_peer peer;

	where.vmid = "LINHS";
	settings_set(&where.settings, "IUCV_HSUID", "LINHS");
	pair_listen(f, &where);
	settings_set(&where.settings, "IUCV_HSUID", "VSEHS");
	where.own = "TESTV";
	pair_connect(f, &where);
	transport_hipersockets.describe(&f->in->meet.base, &peer);
	assert_string_equal(peer.vmid, "VSEHS");
	assert_string_equal(peer.appname, "TESTV");
	transport_hipersockets.describe(&f->out->meet.base, &peer);
	assert_string_equal(peer.vmid, "LINHS");
	assert_string_equal(peer.appname, "LINR02");
}

static unsigned int rounds[] = {0, 1};

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_set_up, pair_tear_down)
#define ROUND(test, nr, text)                                                                      \
	{                                                                                          \
		text, test, pair_set_up, pair_tear_down, &rounds[nr]                               \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_other_protocols),
		TEST(test_broken_frame),
		TEST(test_other_ends),
		TEST(test_comes_anew),
		TEST(test_before_syn),
		ROUND(test_no_name, 0, "no hsuid"),
		ROUND(test_no_name, 1, "no application name"),
		TEST(test_same_id),
		TEST(test_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
