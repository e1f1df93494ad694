/* SPDX-License-Identifier: Apache-2.0 */
/* test-shm.c - the transport shm against a peer that breaks its rules: memory, positions, words */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/places.h"
#include "transport/shm-inner.h"
#include "transport/shm-poll.h"
#include "transport/shm-ring.h"

/* --- The ring by itself --- */

#define RING 65536u

struct rings {
	struct shm_control *control;
	struct shm_ring writer, reader;
};

static int setup_rings(void **state)
{
	struct rings *r = calloc(1, sizeof(*r));
	uint8_t *data = aligned_alloc(4096, 2 * RING); /* not mapped twice: no record may wrap */

	r->control = aligned_alloc(SHM_LINE, sizeof(*r->control));
	memset(r->control, 0, sizeof(*r->control));
	r->writer = (struct shm_ring){.control = r->control, .data = data, .size = RING};
	r->reader = r->writer;
	*state = r;
	return 0;
}

static int teardown_rings(void **state)
{
	struct rings *r = *state;

	free(r->writer.data);
	free(r->control);
	free(r);
	return 0;
}

static void put(struct rings *r, size_t len, uint8_t byte)
{
	uint8_t *place = shm_ring_place(&r->writer, len);

	assert_non_null(place);
	memset(place, byte, len);
	shm_ring_publish(&r->writer, len);
}

static void test_order_and_room(void **state)
{
	struct rings *r = *state;
	const uint8_t *packet;

	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), -EAGAIN);
	put(r, 1000, 1);
	put(r, 1, 2);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 1000);
	assert_int_equal(packet[0], 1);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 1);
	assert_int_equal(packet[0], 2);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), -EAGAIN);
	/* Not released: still the reader's. */
	assert_null(shm_ring_place(&r->writer, RING - 1000));
	shm_ring_release(&r->reader);
	assert_non_null(shm_ring_place(&r->writer, RING - 1032));
}

static void test_words(void **state)
{
	struct rings *r = *state;
	const uint8_t *packet;

	put(r, 10, 1);
	assert_false(shm_ring_must_wake_reader(&r->writer));
	/* Something is there: no sleep. */
	assert_false(shm_ring_sleep(&r->reader));
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 10);
	shm_ring_release(&r->reader);
	assert_true(shm_ring_sleep(&r->reader));
	put(r, 10, 1);
	assert_true(shm_ring_must_wake_reader(&r->writer));
	assert_false(shm_ring_must_wake_reader(&r->writer)); /* one wake-up a sleep */
	shm_ring_awake(&r->reader);
	put(r, 32000, 1);
	put(r, 32000, 1);
	assert_true(shm_ring_wait_room(&r->writer, 32000));
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 10);
	assert_false(shm_ring_release(&r->reader)); /* less than half is free */
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 32000);
	assert_true(shm_ring_release(&r->reader));
	assert_false(shm_ring_wait_room(&r->writer, 32000));
}

static void expect_broken(struct rings *r, uint64_t head)
{
	const uint8_t *packet;

	atomic_store(&r->control->head, head);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), -EPROTO);
	assert_true(r->reader.broken);
	/* It stays so, whatever comes. */
	atomic_store(&r->control->head, 0);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), -EPROTO);
}

static void test_head_too_far(void **state)
{
	expect_broken(*state, RING + 8);
}

static void test_head_enormous(void **state)
{
	expect_broken(*state, UINT64_MAX - 7);
}

static void test_head_goes_back(void **state)
{
	struct rings *r = *state;
	const uint8_t *packet;

	put(r, 100, 1);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 100);
	expect_broken(r, 8);
}

static void test_head_between_records(void **state)
{
	struct rings *r = *state;

	put(r, 100, 1);
	expect_broken(r, 5);
}

static void test_length(void **state)
{
	static const uint32_t lengths[] = {101, RING, 0x7fffffff, UINT32_MAX, UINT32_MAX - 7};
	struct rings *r = *state;
	const uint8_t *packet;

	put(r, 100 - 4, 1);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		r->reader.broken = false;
		memcpy(r->writer.data, &lengths[i], 4);
		assert_int_equal(shm_ring_next(&r->reader, &packet, UINT32_MAX), -EPROTO);
	}
}

static void test_longer_than_mtu(void **state)
{
	struct rings *r = *state;
	const uint8_t *packet;

	put(r, 100, 1);
	assert_int_equal(shm_ring_next(&r->reader, &packet, 99), -EMSGSIZE);
}

static void test_tail(void **state)
{
	static const uint64_t tails[] = {9000, UINT64_MAX, UINT64_C(1) << 40};
	struct rings *r = *state;

	put(r, 8000, 1);
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		r->writer.broken = false;
		atomic_store(&r->control->tail, tails[i]);
		assert_null(shm_ring_place(&r->writer, 60000));
		assert_true(r->writer.broken);
	}
}

/* --- The poll before sleep --- */

static void test_poll(void **state)
{
	struct shm_poll poll = {.most = 200000};
	uint64_t now = 1000, hits = 0, misses = 0;

	(void)state;
	/* It begins without, and learns that packets come soon. */
	assert_false(shm_poll_goes_on(&poll, now, &misses));
	for (int i = 0; i < 10; i++) {
		shm_poll_hit(&poll, now += 5000, &hits);
		(void)shm_poll_goes_on(&poll, now, &misses);
	}
	assert_true(hits > 5);
	assert_int_equal(poll.budget, 200000);
	/* It ends at the latest after the most. */
	now += 200000;
	assert_false(shm_poll_goes_on(&poll, now, &misses));
	assert_int_equal(misses, 1);
	/* Packets that come late turn it off. */
	for (int i = 0; i < 10; i++) {
		shm_poll_hit(&poll, now += 10000000, &hits);
		while (shm_poll_goes_on(&poll, now, &misses))
			now += 10000;
	}
	assert_int_equal(poll.budget, 0);
	assert_false(shm_poll_goes_on(&poll, now, &misses));
	poll = (struct shm_poll){.most = 0};
	shm_poll_hit(&poll, now, &hits);
	assert_false(shm_poll_goes_on(&poll, now, &misses));
}

static void test_ring_size(void **state)
{
	(void)state;
	assert_int_equal(shm_ring_size(0, 1024), 65536);
	assert_int_equal(shm_ring_size(262144, 8192), 262144);
	assert_int_equal(shm_ring_size(65536, 65536), 262144);
	assert_int_equal(shm_ring_size(300000, 8192), 524288);
	assert_int_equal(shm_ring_size(UINT32_MAX, 8192), SHM_RING_MAX);
}

/* --- Who offers what is not right --- */

struct offer {
	uv_loop_t loop;
	char dir[64], path[96];
	struct transport_listener *listener;
	bool refused, connected;
	char why[256];
};

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	struct offer *o = listener->data;

	o->connected = true;
	conn->on_closed = NULL;
	conn->transport->close(conn);
}

static void on_refused(struct transport_listener *listener, const char *why)
{
	struct offer *o = listener->data;

	o->refused = true;
	snprintf(o->why, sizeof(o->why), "%s", why);
}

static int setup_offer(void **state)
{
	struct offer *o = calloc(1, sizeof(*o));
	struct transport_where where = {.mtu = 8192};

	snprintf(o->dir, sizeof(o->dir), "/tmp/test-shm-XXXXXX");
	assert_non_null(mkdtemp(o->dir));
	snprintf(o->path, sizeof(o->path), "%s/path", o->dir);
	where.path = o->path;
	uv_loop_init(&o->loop);
	assert_int_equal(transport_shm.listen(&o->loop, &where, &o->listener), 0);
	o->listener->data = o;
	o->listener->on_connection = on_connection;
	o->listener->on_refused = on_refused;
	*state = o;
	return 0;
}

static int teardown_offer(void **state)
{
	struct offer *o = *state;

	transport_shm.stop(o->listener);
	uv_run(&o->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&o->loop), 0);
	rmdir(o->dir);
	free(o);
	return 0;
}

static int memory(size_t size, int seals)
{
	int fd = memfd_create("test", MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

/* Connect and say this; @nr descriptors go with it, and are closed. */
static void offer(struct offer *o, const void *bytes, size_t len, int *fds, size_t nr)
{
	struct iovec part = {(void *)(uintptr_t)bytes, len};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(8 * sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};
	int fd = socket_connect(o->path);

	assert_true(fd >= 0);
	if (nr) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, nr * sizeof(int));
	}
	assert_int_equal(sendmsg(fd, &msg, 0), (ssize_t)len);
	for (size_t i = 0; i < nr; i++)
		close(fds[i]);
	while (!o->refused && !o->connected)
		uv_run(&o->loop, UV_RUN_ONCE);
	close(fd);
}

static void expect_refused(struct offer *o, const char *why)
{
	assert_true(o->refused);
	assert_false(o->connected);
	assert_non_null(strstr(o->why, why));
}

struct greeting {
	char magic[8];
	uint32_t version, ring_size;
};

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define WHOLE (65536 + 2 * 65536)

static void offer_memory(struct offer *o, int memfd, uint32_t ring_size)
{
	struct greeting greeting = {"LFPshm1", 1, ring_size};
	int fds[3] = {memfd, eventfd(0, EFD_NONBLOCK), eventfd(0, EFD_NONBLOCK)};

	offer(o, &greeting, sizeof(greeting), fds, 3);
}

static void test_good_offer(void **state)
{
	struct offer *o = *state;

	offer_memory(o, memory(WHOLE, SEALS), 65536);
	assert_true(o->connected);
}

static void test_unsealed(void **state)
{
	offer_memory(*state, memory(WHOLE, 0), 65536);
	expect_refused(*state, "no sealed memory");
}

static void test_shrinkable(void **state)
{
	offer_memory(*state, memory(WHOLE, F_SEAL_GROW | F_SEAL_SEAL), 65536);
	expect_refused(*state, "no sealed memory");
}

static void test_other_size(void **state)
{
	offer_memory(*state, memory(WHOLE - 4096, SEALS), 65536);
	expect_refused(*state, "not the size");
}

static void test_no_power_of_two(void **state)
{
	offer_memory(*state, memory(65536 + 2 * 69632, SEALS), 69632);
	expect_refused(*state, "no size that can be used");
}

static void test_ring_enormous(void **state)
{
	offer_memory(*state, memory(WHOLE, SEALS), 0x80000000);
	expect_refused(*state, "no size that can be used");
}

static void test_no_eventfd(void **state)
{
	struct greeting greeting = {"LFPshm1", 1, 65536};
	int ends[2], fds[3];

	assert_int_equal(pipe(ends), 0);
	fds[0] = memory(WHOLE, SEALS);
	fds[1] = ends[0];
	fds[2] = ends[1];
	offer(*state, &greeting, sizeof(greeting), fds, 3);
	expect_refused(*state, "descriptors");
}

static void test_too_few_descriptors(void **state)
{
	struct greeting greeting = {"LFPshm1", 1, 65536};
	int fds[1] = {memory(WHOLE, SEALS)};

	offer(*state, &greeting, sizeof(greeting), fds, 1);
	expect_refused(*state, "descriptors");
}

static void test_too_many_descriptors(void **state)
{
	struct greeting greeting = {"LFPshm1", 1, 65536};
	int fds[8];

	for (int i = 0; i < 8; i++)
		fds[i] = memory(4096, 0);
	offer(*state, &greeting, sizeof(greeting), fds, 8);
	expect_refused(*state, "descriptors");
}

static void test_unix_peer(void **state)
{
	offer(*state, "LF\1\0\0\0\0\20", 8, NULL, 0);
	expect_refused(*state, "does not use TRANSPORT = shm");
}

static void on_not_connected(void *data, int status, struct transport_conn *conn)
{
	assert_null(conn);
	*(int *)data = status;
}

static void on_unix_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	(void)listener;
	conn->on_closed = NULL;
	conn->transport->close(conn);
}

/* Who wants shm where somebody else listens learns it. */
static void test_unix_listener(void **state)
{
	struct transport_where where = {.mtu = 8192, .ring_size = 65536};
	struct transport_listener *listener;
	char path[128];
	struct offer *o = *state;
	int status = 0;

	snprintf(path, sizeof(path), "%s/unix", o->dir);
	where.path = path;
	assert_int_equal(transport_unix.listen(&o->loop, &where, &listener), 0);
	listener->on_connection = on_unix_connection;
	assert_int_equal(transport_shm.connect(&o->loop, &where, on_not_connected, &status), 0);
	while (!status)
		uv_run(&o->loop, UV_RUN_ONCE);
	assert_int_equal(status, -EPROTONOSUPPORT);
	transport_unix.stop(listener);
}

#define RINGS(name) cmocka_unit_test_setup_teardown(name, setup_rings, teardown_rings)
#define OFFER(name) cmocka_unit_test_setup_teardown(name, setup_offer, teardown_offer)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RINGS(test_order_and_room),
		RINGS(test_words),
		RINGS(test_head_too_far),
		RINGS(test_head_enormous),
		RINGS(test_head_goes_back),
		RINGS(test_head_between_records),
		RINGS(test_length),
		RINGS(test_longer_than_mtu),
		RINGS(test_tail),
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_ring_size),
		OFFER(test_good_offer),
		OFFER(test_unsealed),
		OFFER(test_shrinkable),
		OFFER(test_other_size),
		OFFER(test_no_power_of_two),
		OFFER(test_ring_enormous),
		OFFER(test_no_eventfd),
		OFFER(test_too_few_descriptors),
		OFFER(test_too_many_descriptors),
		OFFER(test_unix_peer),
		OFFER(test_unix_listener),
	};

	return cmocka_run_group_tests_name("shm", tests, NULL, NULL);
}
