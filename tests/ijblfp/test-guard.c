/* SPDX-License-Identifier: Apache-2.0 */
/* test-guard.c - supervisors that guard connections: their far ends and messages */
#include "guarding.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/guard.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/window.h"

/* On a reset, like the supervisor: the kernel reports ECONNRESET, after the data. */
static void test_reset(void **state)
{
	struct host *host = *state;
	int conn = guarding_open(host), fd, far;
	uint64_t id;
	char buf[8];

	fd = guarding_connection(host, &id);
	far = guarding_expect(host, conn, LFP_CTL_GUARD_ADD, id);
	host_data(host, id, 0, "before");
	host_until(host, poll_now(fd) & POLLIN);
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	assert_int_equal(guarding_expect(host, conn, LFP_CTL_GUARD_RESET, id), -1);
	/* Only the supervisor's copy keeps the end away. */
	assert_int_equal(poll_now(fd) & POLLHUP, 0);
	assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), 1);
	close(far);
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 6);
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 0);
	close(fd);
	close(conn);
}

static void test_orderly(void **state)
{
	struct host *host = *state;
	int conn = guarding_open(host), fd, far;
	uint64_t id;
	char c;

	fd = guarding_connection(host, &id);
	far = guarding_expect(host, conn, LFP_CTL_GUARD_ADD, id);
	host_send(host, (struct lfp_frame){.code = LFP_SHUTDOWN, .sock = id, .shutdown.how = 1});
	host_until(host, poll_now(fd) & POLLIN);
	assert_int_equal(recv(fd, &c, 1, 0), 0);
	/* The supervisor sees by its copy that the end was passed on. */
	assert_int_equal(send(far, "", 0, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	close(fd);
	guarding_expect(host, conn, LFP_CTL_GUARD_END, id);
	close(far);
	close(conn);
}

/* Undelivered data comes before the reset. */
static void test_prime(void **state)
{
	struct host *host = *state;
	int conn = guarding_open(host), fd, far;
	static char block[60000];
	uint64_t id, position = 0;
	struct vsock *vs;

	fd = guarding_connection(host, &id);
	far = guarding_expect(host, conn, LFP_CTL_GUARD_ADD, id);
	memset(block, 'a', sizeof(block));
	vs = vsock_find(host->inst->socks, id);
	/* More than the near end takes. */
	host_until(host, ({
			   if (lfp_list_empty(&vs->stream.queue) && vs->recv.received == position &&
			       position - vs->recv.consumed < 1000) {
				   char text[1001];

				   memset(text, 'a', 1000);
				   text[1000] = '\0';
				   host_data(host, id, position, text);
				   position += 1000;
			   }
			   !lfp_list_empty(&vs->stream.queue);
		   }));
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	guarding_expect(host, conn, LFP_CTL_GUARD_PRIME, id);
	/* The instance has left it to the supervisor to shut the far end. */
	assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), 1);
	shutdown(far, SHUT_RD);
	assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), -1);
	while (position) {
		ssize_t n = recv(fd, block, sizeof(block), MSG_DONTWAIT);

		if (n > 0)
			position -= (uint64_t)n;
		host_turn(host);
	}
	guarding_expect(host, conn, LFP_CTL_GUARD_RESET, id);
	close(far);
	assert_int_equal(recv(fd, block, 1, 0), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	close(conn);
}

/* The right to speak for a program gives no right to connections that the program makes itself. */
static void test_not_spoken(void **state)
{
	struct host *host = *state;
	int conn = guarding_open(host), fd;
	uint64_t id;

	host_task = guarding_program;
	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), 0);
	host_task = 0;
	fd = connected_socket(host, &id);
	guarding_silence(host, conn);
	assert_int_not_equal(vsock_find(host->inst->socks, id)->guarding, GUARD_HAS);
	close(fd);
	host_expect(host, LFP_CLOSE);
	guarding_silence(host, conn);
	close(conn);
}

/* All of them end, even those whose end cannot be reported any more. */
static void test_no_path(void **state)
{
	struct host *host = *state;
	int conn = guarding_open(host), fd[3], far[3];
	uint64_t id[3];
	struct lfp_ctl_guard message;

	for (int i = 0; i < 3; i++) {
		fd[i] = guarding_connection(host, &id[i]);
		far[i] = guarding_expect(host, conn, LFP_CTL_GUARD_ADD, id[i]);
	}
	host_deafen(host);
	path_close(host->path, "test");
	host->path = NULL;
	for (int i = 0; i < 3; i++) {
		host_until(host, (guarding_next(conn, &message), message.what));
		assert_int_equal(message.what, LFP_CTL_GUARD_RESET);
	}
	for (int i = 0; i < 3; i++) {
		close(far[i]);
		close(fd[i]);
	}
	close(conn);
}

/* A guard that does not read gets a bounded number of far ends, and each of them ends. */
static void test_slow(void **state)
{
	enum { MANY = 150 };
	struct host *host = *state;
	int conn = guarding_open(host), fd[MANY], nr_added = 0, nr_ended = 0;
	struct lfp_ctl_guard message;
	unsigned int guarded = 0;
	uint64_t id;

	for (int i = 0; i < MANY; i++) {
		fd[i] = guarding_connection(host, &id);
		guarded += vsock_find(host->inst->socks, id)->guarding == GUARD_HAS;
	}
	assert_true(guarded > 0 && guarded < MANY);
	assert_int_equal(host->inst->ctl->guards.missed, MANY - guarded);
	for (int i = 0; i < MANY; i++)
		close(fd[i]);
	for (int i = 0; i < MANY; i++)
		host_expect(host, LFP_CLOSE);
	while (nr_ended < (int)guarded) {
		int far = guarding_next(conn, &message);

		if (far >= 0)
			close(far);
		nr_added += message.what == LFP_CTL_GUARD_ADD;
		nr_ended += message.what == LFP_CTL_GUARD_END;
		host_turn(host);
	}
	assert_int_equal(nr_added, guarded);
	fd[0] = guarding_connection(host, &id);
	close(guarding_expect(host, conn, LFP_CTL_GUARD_ADD, id));
	close(fd[0]);
	close(conn);
}

static void accepted(struct host *host, uint64_t listener, uint64_t id)
{
	host_send(host, (struct lfp_frame){.code = LFP_ACCEPTED,
					   .sock = listener,
					   .accepted = {.id = LFP_ID_LFPD | id,
							.peer = some_addr(9),
							.local = some_addr(80)}});
}

/* Another process has got the listener: its connections no longer go to the supervisor. */
static void test_listener_passed(void **state)
{
	struct host *host = *state;
	int conn = guarding_open(host), fd;
	struct vsock *vs;
	pid_t other;
	uint64_t id;

	host_task = guarding_program;
	fd = listening_socket(host, &id, 8);
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), 0);
	host_task = 0;
	host_expect(host, LFP_ACCEPT);
	vs = vsock_find(host->inst->socks, id);
	accepted(host, id, 1);
	close(guarding_expect(host, conn, LFP_CTL_GUARD_ADD, LFP_ID_LFPD | 1));
	other = fork();
	assert_true(other >= 0);
	if (other == 0) {
		(void)call_send(host, LFP_CTL_IDENTIFY, 0, 0, 0, 0, "", 0, fd);
		pause();
		_exit(0);
	}
	host_until(host, !vs->guard);
	accepted(host, id, 2);
	host_until(host, vsock_find(host->inst->socks, LFP_ID_LFPD | 2) &&
				 vsock_find(host->inst->socks, LFP_ID_LFPD | 2)->state ==
					 VSOCK_ESTABLISHED);
	guarding_silence(host, conn);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	close(fd);
	guarding_expect(host, conn, LFP_CTL_GUARD_END, LFP_ID_LFPD | 1);
	close(conn);
}

/* A guard goes away, or sends a wrong message. */
static void test_end(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_guard message = {
		.magic = LFP_CTL_GUARD_MAGIC, .what = LFP_CTL_GUARD_MISSED, .id = UINT64_MAX};
	int conn = guarding_open(host), fd;
	uint64_t id;

	fd = guarding_connection(host, &id);
	close(guarding_expect(host, conn, LFP_CTL_GUARD_ADD, id));
	assert_int_equal(send(conn, &message, sizeof(message), 0), sizeof(message));
	host_until(host, host->inst->ctl->guards.missed);
	assert_true(host->inst->ctl->guards.missed <= 16384);
	assert_int_equal(host->inst->ctl->guards.nr, 1);
	request_put(conn, LFP_CTL_PING, 0, 0, 0, 0, "", 0, fd);
	host_until(host, !host->inst->ctl->guards.nr);
	close(conn);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_reset, guarding_set_up, guarding_tear_down),
		cmocka_unit_test_setup_teardown(test_orderly, guarding_set_up, guarding_tear_down),
		cmocka_unit_test_setup_teardown(test_prime, guarding_set_up, guarding_tear_down),
		cmocka_unit_test_setup_teardown(test_not_spoken, guarding_set_up,
						guarding_tear_down),
		cmocka_unit_test_setup_teardown(test_no_path, guarding_set_up, guarding_tear_down),
		cmocka_unit_test_setup_teardown(test_slow, guarding_set_up, guarding_tear_down),
		cmocka_unit_test_setup_teardown(test_listener_passed, guarding_set_up,
						guarding_tear_down),
		cmocka_unit_test_setup_teardown(test_end, guarding_set_up, guarding_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
