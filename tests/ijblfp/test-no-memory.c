/* SPDX-License-Identifier: Apache-2.0 */
/* test-no-memory.c - a lack of memory costs a connection or a call, of descriptors a start */
#include "bystander.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/wiring.h"
#include "lfp/places.h"

static size_t lacking; /* allocations of this size fail */
static bool no_eventfd;
static unsigned int good_bufs; /* the buffer sizes that are set before one fails; 0: none fails */
static unsigned int nr_lacks;  /* of memory, in send() of "data" */
static unsigned int nr_tries;  /* of send() of "data" */
static int lack;
static int watch_error; /* that the next EPOLL_CTL_ADD of the instance ends with */
static int send_error;  /* that the next descriptor's way to a program ends with */

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	if (lacking && size == lacking) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_calloc(nr, size);
}

int __real_eventfd(unsigned int count, int flags);
int __wrap_eventfd(unsigned int count, int flags);

int __wrap_eventfd(unsigned int count, int flags)
{
	if (no_eventfd) {
		errno = EMFILE;
		return -1;
	}
	return __real_eventfd(count, flags);
}

int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len);

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	if (level == SOL_SOCKET && name == SO_SNDBUF && good_bufs && --good_bufs == 0) {
		errno = ENOMEM;
		return -1;
	}
	return __real_setsockopt(fd, level, name, value, len);
}

int __real_epoll_ctl(int epfd, int op, int fd, struct epoll_event *event);
int __wrap_epoll_ctl(int epfd, int op, int fd, struct epoll_event *event);

int __wrap_epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	if (watch_error && op == EPOLL_CTL_ADD) {
		errno = watch_error;
		watch_error = 0;
		return -1;
	}
	return __real_epoll_ctl(epfd, op, fd, event);
}

ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (send_error && msg->msg_controllen) {
		errno = send_error;
		send_error = 0;
		return -1;
	}
	return __real_sendmsg(fd, msg, flags);
}

ssize_t __real_send(int fd, const void *data, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *data, size_t len, int flags);

ssize_t __wrap_send(int fd, const void *data, size_t len, int flags)
{
	bool counts = len >= 4 && !memcmp(data, "data", 4);

	nr_tries += counts;
	if (counts && nr_lacks) {
		nr_lacks--;
		errno = lack;
		return -1;
	}
	return __real_send(fd, data, len, flags);
}

/* That connection is reset, and its credit goes to the next one. */
static void no_memory_for_a_connection(void **state)
{
	struct host *host = *state;
	struct lfp_frame frame = {
		.code = LFP_ACCEPTED,
		.accepted = {.id = LFP_ID_LFPD | 1, .peer = some_addr(1), .local = some_addr(2)}};
	int fd = listening_socket(host, &frame.sock, 2);
	struct got got;

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	begin_bystander(host);
	lacking = sizeof(struct vsock);
	put(host, frame);
	got = host_expect(host, LFP_CLOSE);
	lacking = 0;
	assert_true(got.sock == (LFP_ID_LFPD | 1));
	assert_int_equal(got.how, 1);
	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	frame.accepted.id++;
	put(host, frame);
	host_until(host, poll_now(fd) & POLLIN);
	bystander_lives(host);
	assert_int_equal(host->inst->disagreements, 0);
	close(fd);
	close(other);
}

/* The connection waits, and comes when there is memory again. */
static void no_memory_for_a_near_end(void **state)
{
	static const int errors[] = {EINTR, ENOMEM, ENOBUFS, ETOOMANYREFS};
	static const int watch_errors[] = {ENOMEM, ENOSPC};
	struct host *host = *state;
	struct lfp_frame frame = {
		.code = LFP_ACCEPTED,
		.accepted = {.id = LFP_ID_LFPD, .peer = some_addr(1), .local = some_addr(2)}};
	int fd = listening_socket(host, &frame.sock, 2);

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	for (unsigned int i = 0; i < 4 + sizeof(errors) / sizeof(*errors); i++) {
		int near;

		if (i < 2)
			good_bufs = i + 1; /* of the far end, of the near end */
		else if (i < 4)
			watch_error = watch_errors[i - 2];
		else
			send_error = errors[i - 4];
		frame.accepted.id++;
		put(host, frame);
		host_until(host, !good_bufs && !watch_error && !send_error);
		host_until(host, poll_now(fd) & POLLIN);
		near = take_record(fd);
		assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
		/* Its far end is watched. */
		assert_int_equal(send(near, "x", 1, 0), 1);
		assert_int_equal(host_expect(host, LFP_DATA).count, 1);
		close(near);
	}
	close(fd);
}

/* The data waits, and the connection goes on. */
static void no_memory_for_data(void **state)
{
	static const int errors[] = {ENOBUFS, ENOMEM};
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);
	char buf[8];

	for (unsigned int i = 0; i < 2; i++) {
		lack = errors[i];
		nr_lacks = 3;
		host_data(host, id, 8 * i, "data");
		host_data(host, id, 8 * i + 4, "more");
		host_until(host, poll_now(fd) & POLLIN);
		assert_int_equal(nr_lacks, 0);
		host_until(host, recv(fd, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT) == 8);
		assert_int_equal(recv(fd, buf, sizeof(buf), 0), 8);
		assert_memory_equal(buf, "datamore", 8);
	}
	close(fd);
}

/* While it waits, the instance tries seldom. The socket may end meanwhile. */
static void data_waits_for_memory(void **state)
{
	struct host *host = *state;
	uint64_t id, begin;
	int fd, taken;

	for (unsigned int i = 0; i < 2; i++) {
		fd = connected_socket(host, &id);
		lack = ENOBUFS;
		nr_lacks = UINT_MAX;
		nr_tries = 0;
		host_data(host, id, 0, "data");
		host_data(host, id, 4, "more");
		host_until(host, nr_tries);
		begin = uv_hrtime();
		while (uv_hrtime() - begin < 50 * 1000000u)
			host_turn(host);
		/* A try in 100 ms. */
		assert_in_range(nr_tries, 1, 3 + (uv_hrtime() - begin) / 100000000u);
		if (i == 0) {
			close(fd);
			assert_int_equal(host_expect(host, LFP_CLOSE).how, 1);
			taken = (int)nr_tries;
			begin = uv_hrtime();
			while (uv_hrtime() - begin < 250 * 1000000u)
				host_turn(host);
			assert_int_equal(nr_tries, taken);
		}
		nr_lacks = 0;
	}
	host_until(host, poll_now(fd) & POLLIN);
	close(fd);
}

/* The call fails with ENOMEM, and the next one succeeds. */
static void no_memory_for_a_call(void **state)
{
	struct host *host = *state;
	int conn = call_send(host, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);

	lacking = sizeof(struct ctl_conn);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOMEM);
	lacking = 0;
	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), 0);
}

/* Another instance cannot start, reports why, and leaves nothing on the loop. */
static void no_descriptor_at_a_start(void **state)
{
	struct host *host = *state;
	struct instance_config config = host->inst->config;
	char path[LFP_PLACE_MAX];
	int error = 0;

	strcpy(config.st.id, "08");
	assert_int_equal(lfp_place_vse(path, "08", "ctl"), 0);
	assert_int_equal(lfp_place_make_parent(path), 0);
	begin_bystander(host);
	no_eventfd = true;
	assert_null(instance_create(&host->loop, &config, &error));
	no_eventfd = false;
	assert_int_equal(error, -EMFILE);
	bystander_lives(host);
	close(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

/* Another error than those of a program that has closed: data is missing, so the program gets
 * ECONNRESET and no end of file. @waits: the data waits in the queue before. */
static void data_that_fails(struct host *host, bool waits)
{
	struct lfp_frame frame = {.code = LFP_SHUTDOWN, .shutdown = {.how = 1, .position = 4}};
	struct got got;
	char byte;
	int fd = connected_socket(host, &frame.sock);

	lack = waits ? ENOBUFS : EPERM;
	nr_lacks = 1;
	nr_tries = 0;
	host_data(host, frame.sock, 0, "data");
	host_until(host, nr_tries == 1);
	if (waits) {
		lack = EPERM;
		nr_lacks = 1;
	}
	host_send(host, frame);
	got = host_expect(host, LFP_CLOSE);
	assert_true(got.sock == frame.sock);
	assert_int_equal(got.how, 1);
	assert_int_equal(nr_tries, waits ? 2 : 1);
	assert_true(poll_now(fd) & POLLHUP);
	assert_int_equal(recv(fd, &byte, 1, 0), 0);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), ECONNRESET);
	close(fd);
}

static void no_right_to_write(void **state)
{
	data_that_fails(*state, false);
	data_that_fails(*state, true);
}

static int ask_connect(struct host *host, int fd)
{
	const struct lfp_addr peer = some_addr(80);

	return call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);
}

static int expect_connect(struct host *host, int conn, uint16_t status, int *value)
{
	struct lfp_ctl_reply reply;
	int error;

	host_answer(host, host_expect(host, LFP_CONNECT), status);
	error = call_wait(host, conn, &reply, NULL);
	*value = reply.value;
	return error;
}

/* connect() on a lost connection fails here, or at lfpd. The program gets the error of the
 * connection from a later call, once. */
static void no_memory_to_dissolve(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int value;

	for (int asked = 0; asked < 2; asked++) {
		struct lfp_frame reset = {.code = LFP_RESET, .status = ECONNRESET};
		int fd = connected_socket(host, &id);

		reset.sock = id;
		host_send(host, reset);
		host_until(host, poll_now(fd) & POLLHUP);
		if (asked) {
			assert_int_equal(call(host, LFP_CTL_WHY_EPIPE, 0, 0, fd), ECONNRESET);
			assert_int_equal(call(host, LFP_CTL_WHY_EPIPE, 0, 0, fd), 0);
		}
		lacking = sizeof(struct request);
		assert_int_equal(call_wait(host, ask_connect(host, fd), NULL, NULL), ENOMEM);
		lacking = 0;
		assert_int_equal(expect_connect(host, ask_connect(host, fd), ENOBUFS, &value),
				 ENOBUFS);
		if (asked)
			assert_int_equal(call(host, LFP_CTL_WHY_EPIPE, 0, 0, fd), 0);
		assert_int_equal(expect_connect(host, ask_connect(host, fd), 0, &value), EBADFD);
		assert_int_equal(value, asked ? ECONNABORTED : ECONNRESET);
		assert_int_equal(call(host, LFP_CTL_WHY_EPIPE, 0, 0, fd), 0);
		close(fd);
		host_expect(host, LFP_CLOSE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_memory_for_a_connection), TEST(no_memory_for_a_near_end),
		TEST(no_memory_for_data),         TEST(data_waits_for_memory),
		TEST(no_right_to_write),          TEST(no_memory_for_a_call),
		TEST(no_descriptor_at_a_start),   TEST(no_memory_to_dissolve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
