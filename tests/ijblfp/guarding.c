/* SPDX-License-Identifier: Apache-2.0 */
/* guarding.c - a supervisor that guards the connections which it makes for a program */
#include "guarding.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t guarding_program;

int guarding_set_up(void **state)
{
	guarding_program = fork();
	if (guarding_program == 0) {
		pause();
		_exit(0);
	}
	return guarding_program < 0 ? -1 : host_set_up(state);
}

int guarding_tear_down(void **state)
{
	kill(guarding_program, SIGKILL);
	waitpid(guarding_program, NULL, 0);
	return host_tear_down(state);
}

int guarding_open(struct host *host)
{
	int conn = call_send(host, LFP_CTL_GUARD, 0, 0, 0, 0, "", 0, -1);
	struct lfp_ctl_reply_head head;

	host_until(host, recv(conn, &head, sizeof(head), MSG_DONTWAIT) == sizeof(head));
	assert_int_equal(head.error, 0);
	return conn;
}

int guarding_next(int conn, struct lfp_ctl_guard *message)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = {message, sizeof(*message)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	int fd = -1;

	message->what = 0;
	if (recvmsg(conn, &msg, MSG_DONTWAIT) != sizeof(*message))
		return -1;
	assert_int_equal(message->magic, LFP_CTL_GUARD_MAGIC);
	if (msg.msg_controllen)
		memcpy(&fd, CMSG_DATA(&control.align), sizeof(int));
	return fd;
}

int guarding_expect(struct host *host, int conn, uint32_t what, uint64_t id)
{
	struct lfp_ctl_guard message = {0};
	int fd = -1;

	host_until(host, (fd = guarding_next(conn, &message), message.what));
	assert_int_equal(message.what, what);
	assert_int_equal(message.id, id);
	assert_int_equal(fd >= 0, what == LFP_CTL_GUARD_ADD);
	return fd;
}

void guarding_silence(struct host *host, int conn)
{
	struct lfp_ctl_guard message;

	for (int i = 0; i < 10; i++)
		host_turn(host);
	assert_int_equal(guarding_next(conn, &message), -1);
	assert_int_equal(message.what, 0);
}

int guarding_connection(struct host *host, uint64_t *id)
{
	int fd;

	host_task = guarding_program;
	fd = connected_socket(host, id);
	host_task = 0;
	return fd;
}
