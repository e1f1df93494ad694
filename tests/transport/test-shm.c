/* SPDX-License-Identifier: Apache-2.0 */
/* test-shm.c - the transport shm, and peers that offer wrong memory */
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/frame.h"
#include "transport/passed.h"
#include "transport/shm-inner.h"
#include "tests/qemu-user.h"
#include "tests/transport/lingering.h"

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
	assert_int_equal(posix_fallocate(fd, 0, (off_t)size), 0);
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

/* The listener has accepted the connection, and then no number is free for what comes with the
 * offer.
 */
static void test_no_numbers(void **state)
{
	struct offer *o = *state;
	const struct socket_listener *listener = (struct socket_listener *)o->listener;
	struct greeting greeting = {"LFPshm1", 1, 65536};
	int fds[3] = {memory(WHOLE, SEALS), eventfd(0, EFD_NONBLOCK), eventfd(0, EFD_NONBLOCK)};
	struct iovec part = {&greeting, sizeof(greeting)};
	int fd = socket_connect(o->path), lowest;
	struct rlimit limit, few;

	QEMU_USER_LACKS("MSG_CTRUNC");
	assert_true(fd >= 0);
	while (!listener->nr_guests)
		uv_run(&o->loop, UV_RUN_ONCE);
	assert_int_equal(lfp_rights_send(fd, &part, 1, fds, 3), 0);
	lowest = dup(0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = (rlim_t)lowest;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	numbers_start();
	while (!o->refused && !o->connected)
		uv_run(&o->loop, UV_RUN_ONCE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	numbers_start();
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	close(fd);
	expect_refused(o, "no free numbers for the descriptors");
}

/* Its memory could lack later, and be a signal to who looks for it. */
static void test_memory_not_there(void **state)
{
	int fd = memfd_create("test", MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, WHOLE), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, SEALS), 0);
	offer_memory(*state, fd, 65536);
	expect_refused(*state, "its memory is not allocated");
}

static void offer_bells(struct offer *o, const int bells[2])
{
	struct greeting greeting = {"LFPshm1", 1, 65536};
	int fds[3] = {memory(WHOLE, SEALS), dup(bells[0]), dup(bells[1])};

	offer(o, &greeting, sizeof(greeting), fds, 3);
	close(bells[0]);
	close(bells[1]);
}

/* A bell that is full when rung, or empty when read, blocks no side. */
static void test_blocking_bells(void **state)
{
	const int bells[2] = {eventfd(0, 0), eventfd(0, 0)},
		  keep[2] = {dup(bells[0]), dup(bells[1])};
	const uint64_t full = UINT64_MAX - 1;
	struct offer *o = *state;

	assert_int_equal(write(bells[0], &full, sizeof(full)), sizeof(full));
	assert_int_equal(write(bells[1], &full, sizeof(full)), sizeof(full));
	offer_bells(o, bells);
	assert_true(o->connected);
	for (int i = 0; i < 2; i++) {
		assert_true(fcntl(keep[i], F_GETFL) & O_NONBLOCK);
		close(keep[i]);
	}
}

/* Otherwise the reader would have to read the bell once for each ring. */
static void test_semaphore(void **state)
{
	const int bells[2] = {eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK), eventfd(0, EFD_NONBLOCK)};

	QEMU_USER_LACKS("the byte order of an eventfd that was passed");
	offer_bells(*state, bells);
	expect_refused(*state, "descriptors");
}

/* The peer's MTU is smaller, and so its rings may be; HELLO settles it. */
static void test_smaller_mtu(void **state)
{
	struct offer *o = *state;
	struct transport_where where = {.mtu = LFP_MTU_MAX};

	transport_shm.stop(o->listener);
	where.path = o->path;
	assert_int_equal(transport_shm.listen(&o->loop, &where, &o->listener), 0);
	o->listener->data = o;
	o->listener->on_connection = on_connection;
	o->listener->on_refused = on_refused;
	offer_memory(o, memory(WHOLE, SEALS), 65536);
	assert_true(o->connected);
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
	expect_refused(*state, "not sealed");
}

static void test_shrinkable(void **state)
{
	offer_memory(*state, memory(WHOLE, F_SEAL_GROW | F_SEAL_SEAL), 65536);
	expect_refused(*state, "not sealed");
}

static void test_other_size(void **state)
{
	offer_memory(*state, memory(WHOLE - 4096, SEALS), 65536);
	expect_refused(*state, "not have the size");
}

static void test_no_power_of_two(void **state)
{
	offer_memory(*state, memory(65536 + 2 * 69632, SEALS), 69632);
	expect_refused(*state, "an invalid size");
}

static void test_ring_enormous(void **state)
{
	offer_memory(*state, memory(WHOLE, SEALS), 0x80000000);
	expect_refused(*state, "an invalid size");
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

/* Closing passed descriptors takes no time. */
static void test_lingering_descriptors(void **state)
{
	struct greeting greeting = {"LFPshm1", 1, 65536};
	int keep[8][2], fds[8];
	uint64_t begin;

	for (int i = 0; i < 8; i++)
		fds[i] = lingering_make(keep[i]);
	begin = uv_hrtime();
	offer(*state, &greeting, sizeof(greeting), fds, 8);
	expect_refused(*state, "descriptors");
	assert_true(uv_hrtime() - begin < UINT64_C(40000000000));
	for (int i = 0; i < 8; i++) {
		close(keep[i][0]);
		close(keep[i][1]);
	}
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

/* Not a packet of a path. */
static void on_unix_readable(struct transport_conn *conn)
{
	struct iovec packet;

	assert_int_equal(conn->transport->receive(conn, &packet, 1), 1);
	conn->transport->release(conn);
	conn->on_closed = NULL;
	conn->transport->close(conn);
}

static void on_unix_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	(void)listener;
	conn->on_readable = on_unix_readable;
	conn->transport->watch(conn, TRANSPORT_READ);
}

/* A client of shm learns that the listener speaks another transport. */
static void test_unix_listener(void **state)
{
	struct transport_where where = {.mtu = 8192};
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

#define OFFER(name) cmocka_unit_test_setup_teardown(name, setup_offer, teardown_offer)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OFFER(test_good_offer),
		OFFER(test_no_numbers),
		OFFER(test_memory_not_there),
		OFFER(test_blocking_bells),
		OFFER(test_semaphore),
		OFFER(test_smaller_mtu),
		OFFER(test_unsealed),
		OFFER(test_shrinkable),
		OFFER(test_other_size),
		OFFER(test_no_power_of_two),
		OFFER(test_ring_enormous),
		OFFER(test_no_eventfd),
		OFFER(test_too_few_descriptors),
		OFFER(test_too_many_descriptors),
		OFFER(test_lingering_descriptors),
		OFFER(test_unix_peer),
		OFFER(test_unix_listener),
	};

	return cmocka_run_group_tests_name("shm", tests, NULL, NULL);
}
