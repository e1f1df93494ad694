/* SPDX-License-Identifier: Apache-2.0 */
/* test-listener.c - sockets of a hosted instance that listen, against a scripted lfpd */
#include "bystander.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/log.h"

static void accepted(struct host *host, uint64_t listener, uint64_t id)
{
	host_send(host, (struct lfp_frame){.code = LFP_ACCEPTED,
					   .sock = listener,
					   .accepted = {.id = LFP_ID_LFPD | id,
							.peer = some_addr(9),
							.local = some_addr(80)}});
}

static int unsent(struct host *host, int fd)
{
	int conn = call_send(host, LFP_CTL_OUTQ, 0, 0, 0, 0, "", 0, fd);
	struct got got = host_expect(host, LFP_OUTQ);
	struct lfp_ctl_reply reply;

	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	return reply.value;
}

static void accepts(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = listening_socket(host, &id, 2), conn;
	char buf[8];

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	accepted(host, id, 1);
	host_data(host, LFP_ID_LFPD | 1, 0, "early");
	host_until(host, poll_now(fd) == POLLIN);
	for (int i = 0; i < 5; i++)
		host_turn(host);
	assert_int_equal(host->seen, host->nr_got);
	/* The instance asks for another connection when the program has taken this one. */
	conn = take_record(fd);
	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	host_until(host, poll_now(conn) == (POLLIN | POLLOUT));
	assert_int_equal(recv(conn, buf, sizeof(buf), 0), 5);
	assert_int_equal(call(host, LFP_CTL_GETPEERNAME, 0, 0, conn), 0);
	close(conn);
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 0);

	/* A connection that was taken, and closed unused together with its listener: its peer sees
	 * an orderly end. */
	accepted(host, id, 3);
	host_until(host, poll_now(fd) == POLLIN);
	conn = take_record(fd);
	assert_int_equal(send(conn, "", 1, MSG_OOB), 1);
	for (int i = 0; i < 5; i++)
		host_turn(host);
	/* The byte that accept() leaves is not on its way to any peer. */
	assert_int_equal(unsent(host, conn), 0);
	close(conn);
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 0);

	/* Connections that the program has not taken are reset when the listener closes. */
	accepted(host, id, 2);
	host_until(host, poll_now(fd) == POLLIN);
	close(fd);
	for (int i = 0; i < 2; i++) {
		struct got got = host_expect(host, LFP_CLOSE);

		if (got.sock == (LFP_ID_LFPD | 2))
			assert_int_equal(got.how, 1);
		else
			assert_true(got.sock == id);
	}
}

/* How many descriptors of this process are of the same socket as @fd. */
static int copies_of(int fd)
{
	char path[32], mine[64] = "", its[64];
	int nr = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_true(readlink(path, mine, sizeof(mine) - 1) > 0);
	for (int i = 0; i < 1024; i++) {
		memset(its, 0, sizeof(its));
		snprintf(path, sizeof(path), "/proc/self/fd/%d", i);
		if (readlink(path, its, sizeof(its) - 1) > 0)
			nr += !strcmp(its, mine);
	}
	return nr;
}

/* close() of a listener ends it at once: no thread has a copy that a call has passed. */
static void ends_at_once(void **state)
{
	struct host *host = *state;

	for (int i = 0; i < 100; i++) {
		uint64_t id;
		int fd = listening_socket(host, &id, 2);

		assert_int_equal(copies_of(fd), 1);
		assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
		close(fd);
		assert_true(host_expect(host, LFP_CLOSE).sock == id);
	}
}

/* The instance asks for no more than half of the backlog, and at most 16, before the program takes
 * any. */
static void accepts_many(void **state)
{
	struct host *host = *state;
	uint64_t id, next = 0;
	unsigned int credits = 0, taken = 0;
	int fd = listening_socket(host, &id, 100);

	for (int quiet = 0; quiet < 20; quiet++) {
		host_turn(host);
		while (host->seen < host->nr_got) {
			if (host->got[host->seen].code == LFP_ACCEPT) {
				credits += host->got[host->seen].count;
				quiet = 0;
			}
			host->seen++;
		}
		for (; credits; credits--)
			accepted(host, id, ++next);
	}
	assert_int_equal(next, 16);
	host_until(host, poll_now(fd) & POLLIN);
	while (taken < next) {
		if (poll_now(fd) & POLLIN) {
			close(take_record(fd));
			taken++;
		} else {
			host_turn(host);
		}
	}
	close(fd);
}

static void listener_shut_down(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = listening_socket(host, &id, 5), fresh, conn;

	assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_WR, 0, fd), 0);
	assert_int_equal(poll_now(fd), 0);
	assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_RD, 0, fd), EBADFD);
	/* A program that waits in accept() wakes up. */
	assert_true(poll_now(fd) & POLLIN);
	/* This connection was on its way. */
	accepted(host, id, 1);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, LFP_ID_LFPD | 1);
	conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);
	assert_int_equal(call_wait(host, conn, NULL, &fresh), 0);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), ENOTCONN);
	close(fd);
	/* The socket may listen again. */
	conn = call_send(host, LFP_CTL_LISTEN, 0, 5, 0, 0, "", 0, fresh);
	host_answer(host, host_expect(host, LFP_LISTEN), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 2);
	close(fresh);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

/* A connection that waits for a descriptor and is reset leaves its place to the next one. */
static void reset_before_it_came(void **state)
{
	struct host *host = *state;
	unsigned int descriptors = host->inst->descriptors->limit;
	uint64_t id;
	int fd = listening_socket(host, &id, 2);

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	host->inst->descriptors->limit = 0;
	accepted(host, id, 1);
	host_until(host, !lfp_list_empty(&host->inst->late));
	host_send(host, (struct lfp_frame){
				.code = LFP_RESET, .sock = LFP_ID_LFPD | 1, .status = ECONNRESET});
	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	assert_true(lfp_list_empty(&host->inst->late));
	host->inst->descriptors->limit = descriptors;
	accepted(host, id, 3);
	host_until(host, poll_now(fd) == POLLIN);
	close(take_record(fd));
	close(fd);
}

/* A connect() follows a listen() before lfpd has answered that: lfpd listens, and so does this
 * side. */
static void connect_at_once(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(81);
	struct got got_listen, got_connect;

	for (unsigned int flags = 0; flags <= LFP_CTL_BLOCKING; flags++) {
		uint64_t id;
		int fd = new_socket(host, &id), listens, connects;

		listens = call_send(host, LFP_CTL_LISTEN, 0, 2, 0, 0, "", 0, fd);
		got_listen = host_expect(host, LFP_LISTEN);
		connects =
			call_send(host, LFP_CTL_CONNECT, flags, 0, 0, 0, &peer, sizeof(peer), fd);
		got_connect = host_expect(host, LFP_CONNECT);
		host_answer(host, got_listen, 0);
		host_answer(host, got_connect, EISCONN);
		assert_int_equal(call_wait(host, listens, NULL, NULL), 0);
		assert_int_equal(call_wait(host, connects, NULL, NULL), EISCONN);
		assert_int_equal(vsock_find(host->inst->socks, id)->state, VSOCK_LISTENING);
		assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
		accepted(host, id, 10 + flags);
		host_until(host, poll_now(fd) == POLLIN);
		close(take_record(fd));
		close(fd);
		host_until(host, !vsock_find(host->inst->socks, id));
	}
}

/* The same with a connect() whose caller has left: the near end already shows a connecting socket.
 */
static void connect_alone(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(81);
	struct got got_listen, got_connect;
	uint64_t id;
	int fd = new_socket(host, &id), listens, connects;

	listens = call_send(host, LFP_CTL_LISTEN, 0, 2, 0, 0, "", 0, fd);
	got_listen = host_expect(host, LFP_LISTEN);
	connects = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer),
			     fd);
	got_connect = host_expect(host, LFP_CONNECT);
	close(connects);
	host_until(host, vsock_find(host->inst->socks, id)->far >= 0);
	host_answer(host, got_listen, 0);
	host_answer(host, got_connect, EISCONN);
	assert_int_equal(call_wait(host, listens, NULL, NULL), 0);
	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	accepted(host, id, 1);
	host_until(host, poll_now(fd) == POLLIN);
	close(take_record(fd));
	close(fd);
	host_until(host, !vsock_find(host->inst->socks, id));
}

/* shutdown() comes between LISTEN and its answer: the instance makes lfpd stop listening. */
static void shut_at_once(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), listens, fresh, conn;
	struct got got;

	listens = call_send(host, LFP_CTL_LISTEN, 0, 2, 0, 0, "", 0, fd);
	got = host_expect(host, LFP_LISTEN);
	assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_RD, 0, fd), ENOTCONN);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, listens, NULL, NULL), EBADFD);
	got = host_expect(host, LFP_SHUTDOWN);
	assert_int_equal(got.how, SHUT_RDWR);
	assert_int_equal(got.epoch, 0);
	assert_int_equal(vsock_find(host->inst->socks, id)->listened, LISTENER_WAS);
	conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);
	assert_int_equal(call_wait(host, conn, NULL, &fresh), 0);
	close(fd);
	conn = call_send(host, LFP_CTL_LISTEN, 0, 5, 0, 0, "", 0, fresh);
	got = host_expect(host, LFP_LISTEN);
	assert_int_equal(got.epoch, 1);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(vsock_find(host->inst->socks, id)->listened, LISTENER_NOW);
	close(fresh);
}

/* The answer to a second listen() comes when the listener was shut down: lfpd has stopped listening
 * already. */
static void ended_at_once(void **state)
{
	struct host *host = *state;

	for (int renewed = 0; renewed < 2; renewed++) {
		uint64_t id;
		int fd = listening_socket(host, &id, 2), listens, conn, fresh = -1;
		struct got got;

		listens = call_send(host, LFP_CTL_LISTEN, 0, 5, 0, 0, "", 0, fd);
		got = host_expect(host, LFP_LISTEN);
		assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_RD, 0, fd), EBADFD);
		host_expect(host, LFP_SHUTDOWN);
		if (renewed) {
			conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);
			assert_int_equal(call_wait(host, conn, NULL, &fresh), 0);
		}
		host_answer(host, got, 0);
		assert_int_equal(call_wait(host, listens, NULL, NULL), renewed ? 0 : EBADFD);
		assert_int_equal(vsock_find(host->inst->socks, id)->epoch, 1);
		assert_int_equal(vsock_find(host->inst->socks, id)->state,
				 renewed ? VSOCK_NEW : VSOCK_OVER);
		assert_int_equal(host->seen, host->nr_got);
		close(fd);
		close(fresh);
		host_expect(host, LFP_CLOSE);
	}
}

/* Gives the socket another near end, which is returned, while LISTEN for @fd is under way. */
static int renew_meanwhile(struct host *host, int fd, int *listens, struct got *got)
{
	int conn, fresh = -1;

	*listens = call_send(host, LFP_CTL_LISTEN, 0, 2, 0, 0, "", 0, fd);
	*got = host_expect(host, LFP_LISTEN);
	assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_RD, 0, fd), ENOTCONN);
	assert_int_equal(call(host, LFP_CTL_LISTEN, 2, 0, fd), EBADFD);
	conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);
	assert_int_equal(call_wait(host, conn, NULL, &fresh), 0);
	return fresh;
}

/* lfpd stops listening, and the program listens again with its new near end. Closing that ends the
 * socket. */
static void renewed_at_once(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), fresh, listens, conn, third;
	struct got got;

	fresh = renew_meanwhile(host, fd, &listens, &got);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, listens, NULL, NULL), EBADFD);
	got = host_expect(host, LFP_SHUTDOWN);
	assert_int_equal(got.how, SHUT_RDWR);
	close(fd);
	conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fresh);
	assert_int_equal(call_wait(host, conn, NULL, &third), 0);
	close(fresh);
	conn = call_send(host, LFP_CTL_LISTEN, 0, 2, 0, 0, "", 0, third);
	host_answer(host, host_expect(host, LFP_LISTEN), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	close(third);
	assert_true(host_expect(host, LFP_CLOSE).sock == id);
}

/* A connect() with the new near end is under way to lfpd: then the new near end listens. */
static void renewed_and_connects(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(81);
	struct got got_listen, got_connect;

	for (unsigned int flags = 0; flags <= LFP_CTL_BLOCKING; flags++) {
		uint64_t id;
		int fd = new_socket(host, &id), fresh, listens, connects;

		fresh = renew_meanwhile(host, fd, &listens, &got_listen);
		connects = call_send(host, LFP_CTL_CONNECT, flags, 0, 0, 0, &peer, sizeof(peer),
				     fresh);
		got_connect = host_expect(host, LFP_CONNECT);
		host_answer(host, got_listen, 0);
		host_answer(host, got_connect, EISCONN);
		assert_int_equal(call_wait(host, listens, NULL, NULL), 0);
		assert_int_equal(call_wait(host, connects, NULL, NULL), EISCONN);
		assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
		close(fd);
		accepted(host, id, 10 + flags);
		host_until(host, poll_now(fresh) == POLLIN);
		close(take_record(fresh));
		close(fresh);
		host_until(host, !vsock_find(host->inst->socks, id));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(accepts),
		TEST(ends_at_once),
		TEST(accepts_many),
		TEST(listener_shut_down),
		TEST(connect_at_once),
		TEST(connect_alone),
		cmocka_unit_test_setup_teardown(ended_at_once, set_up_epochs, host_tear_down),
		cmocka_unit_test_setup_teardown(shut_at_once, set_up_epochs, host_tear_down),
		TEST(renewed_at_once),
		TEST(renewed_and_connects),
		TEST(reset_before_it_came),
	};

	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
