/* SPDX-License-Identifier: Apache-2.0 */
/* test-peer.c - programs that the instance's pid namespace does not have are tasks of their own */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/peer.h"
#include "ijblfp/ctl/task.h"
#include "lfp/log.h"
#include "tests/qemu-user.h"

/*
 * The first process of a new pid namespace runs the tests. Two processes outside of it have made
 * the connections. The kernel reports the maker of a connection, whichever process has it.
 */
#define CONNS 12

static struct program {
	int conns[CONNS][2]; /* the program's end and the instance's */
	unsigned int used;
	int life; /* the process ends when this is closed everywhere */
} programs[2];

static void send_fd(int sock, int fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};

	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.align), &fd, sizeof(int));
	if (sendmsg(sock, &msg, 0) != 1)
		_exit(1);
}

static bool take_fd(int sock, int *fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&msg))
		return false;
	memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return true;
}

static void be_program(int sock)
{
	char byte;

	for (int i = 0; i < CONNS; i++) {
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends))
			_exit(1);
		send_fd(sock, ends[0]);
		send_fd(sock, ends[1]);
		close(ends[0]);
		close(ends[1]);
	}
	_exit(recv(sock, &byte, 1, 0) != 0);
}

static bool start_program(struct program *program)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return false;
	pid = fork();
	if (!pid) {
		close(ends[0]);
		for (struct program *other = programs; other < program; other++)
			close(other->life);
		be_program(ends[1]);
	}
	close(ends[1]);
	program->life = ends[0];
	for (int i = 0; pid > 0 && i < 2 * CONNS; i++)
		if (!take_fd(ends[0], &program->conns[i / 2][i % 2]))
			return false;
	return pid > 0;
}

static int ask(struct host *host, struct program *program, int op, int a, const void *data,
	       size_t len, struct lfp_ctl_reply *reply)
{
	const int *conn = program->conns[program->used++];

	assert_in_range(program->used, 1, CONNS);
	request_put(conn[0], op, 0, a, 0, 0, data, len, -1);
	ctl_take(host->inst, conn[1], false);
	return call_wait(host, conn[0], reply, NULL);
}

static int set_true(struct host *host, struct program *program, int what, int *value)
{
	struct lfp_ctl_reply reply = {0};
	int error = ask(host, program, LFP_CTL_TASK, what, "", 0, &reply);

	*value = reply.value;
	return error;
}

static bool can_tell(void)
{
	struct peer peer;

	assert_int_equal(peer_read(programs[0].conns[CONNS - 1][1], &peer), 0);
	return peer.pid != 0;
}

static void tasks_apart(void **state)
{
	struct program *a = &programs[0], *b = &programs[1];
	struct host *host = *state;
	struct lfp_ctl_reply reply;
	uint64_t key;
	int value;

	if (!can_tell()) {
		print_message("skipped: needs pidfds with inodes (Linux 6.9)\n");
		skip();
	}
	/* EZATRUE belongs to a process. */
	assert_int_equal(set_true(host, a, LFP_CTL_TRUE_START, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(tasks_living(host->inst->tasks), 1);
	assert_int_equal(set_true(host, b, LFP_CTL_TRUE_STOP, &value), 0);
	assert_int_equal(value, 4);
	assert_int_equal(tasks_living(host->inst->tasks), 2);
	assert_int_equal(set_true(host, a, LFP_CTL_TRUE_START, &value), 0);
	assert_int_equal(value, 4);
	assert_int_equal(tasks_living(host->inst->tasks), 2);

	/* Nor does another process end a CICS-style task whose key it knows, or call as that task.
	 */
	assert_int_equal(ask(host, a, LFP_CTL_TASK, LFP_CTL_TASK_BEGIN, "INQUIRY ", 8, &reply), 0);
	memcpy(&key, reply.data, sizeof(key));
	host_as = key;
	assert_int_equal(ask(host, b, LFP_CTL_TASK, LFP_CTL_TASK_END, "", 0, NULL), ESRCH);
	assert_int_equal(ask(host, b, LFP_CTL_GETHOSTID, 0, "", 0, NULL), ESRCH);
	assert_int_equal(tasks_living(host->inst->tasks), 3);
	assert_int_equal(ask(host, a, LFP_CTL_TASK, LFP_CTL_TASK_END, "", 0, NULL), 0);
	host_as = 0;

	/* The instance notices its end. */
	close(b->life);
	host_until(host, tasks_living(host->inst->tasks) == 1);
	assert_int_equal(set_true(host, a, LFP_CTL_TRUE_STOP, &value), 0);
	assert_int_equal(value, 0);
}

static void refused_if_unknown(void **state)
{
	struct host *host = *state;

	if (can_tell()) {
		print_message("skipped: needs a kernel before Linux 6.9\n");
		skip();
	}
	assert_int_equal(ask(host, &programs[0], LFP_CTL_GETHOSTID, 0, "", 0, NULL), EPERM);
	assert_int_equal(tasks_living(host->inst->tasks), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

static int run_inside(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tasks_apart),
		TEST(refused_if_unknown),
	};

	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	int status = 0;
	pid_t pid;

	QEMU_USER_CANNOT("pid namespaces");
	if (!start_program(&programs[0]) || !start_program(&programs[1])) {
		perror("cannot start the programs");
		return 1;
	}
	if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWPID : CLONE_NEWPID)) {
		printf("skipped: cannot make a pid namespace: %s\n", strerror(errno));
		return 77;
	}
	pid = fork();
	/* exit() would look for leaks under a sanitizer, which needs one pid namespace. */
	if (!pid) {
		status = run_inside();
		fflush(NULL);
		_exit(status);
	}
	/* Only the tests keep the programs alive from here on. */
	close(programs[0].life);
	close(programs[1].life);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		_exit(1);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
