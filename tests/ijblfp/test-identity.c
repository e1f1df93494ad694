/* SPDX-License-Identifier: Apache-2.0 */
/* test-identity.c - lfpd is told of each change of a process: exec, user, groups, a number that is
 * used again */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ijblfp/link/link.h"
#include "lfp/log.h"
#include "tests/qemu-user.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define OTHER_ID 4711u

/* What the program does next. The same connection serves all its calls, and outlives execve(). */
enum act { CONNECT, SOCKET, USER, GROUP, EXECUTE, EXECUTE_IN_THREAD, LEAVE_TO_CHILD };

struct order {
	enum act act;
	uint32_t id;
	char path[PATH_MAX];
};

static void make_socket(int conn)
{
	struct pollfd pfd = {.fd = conn, .events = POLLIN};
	char reply[sizeof(struct lfp_ctl_reply)];

	request_put(conn, LFP_CTL_SOCKET, LFP_CTL_DIRECT, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	if (poll(&pfd, 1, -1) != 1 || recv(conn, reply, sizeof(reply), 0) <= 0)
		_exit(1);
}

static char *execute_words[5];

static void *execute(void *path)
{
	execv(path, execute_words);
	_exit(1);
}

static void execute_with(struct order *order, int orders, int conn)
{
	char numbers[2][16];
	pthread_t thread;

	snprintf(numbers[0], sizeof(numbers[0]), "%d", orders);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", conn);
	execute_words[0] = order->path;
	execute_words[1] = (char[]){"program"};
	execute_words[2] = numbers[0];
	execute_words[3] = numbers[1];
	if (order->act == EXECUTE)
		execute(order->path);
	if (!pthread_create(&thread, NULL, execute, order->path))
		pause();
	_exit(1);
}

static void obey(struct order *order, int orders, int *conn)
{
	gid_t group = order->id;

	switch (order->act) {
	case CONNECT:
		*conn = call_connect();
		request_put(*conn, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1);
		break;
	case SOCKET:
		make_socket(*conn);
		break;
	case USER:
		if (setresuid(order->id, order->id, order->id))
			_exit(1);
		break;
	case GROUP:
		if (setgroups(1, &group))
			_exit(1);
		break;
	case EXECUTE:
	case EXECUTE_IN_THREAD:
		execute_with(order, orders, *conn);
		break;
	case LEAVE_TO_CHILD:
		if (fork())
			_exit(0);
		break;
	}
}

/* Obeys until the test closes its end. After execve() the answer to EXECUTE is still to come. */
static void be_program(int orders, int conn)
{
	struct order order;

	if (conn >= 0 && send(orders, "", 1, 0) != 1)
		_exit(1);
	while (recv(orders, &order, sizeof(order), 0) == sizeof(order)) {
		obey(&order, orders, &conn);
		if (send(orders, "", 1, 0) != 1)
			_exit(1);
	}
	_exit(0);
}

struct program {
	struct host *host;
	int orders;
	pid_t pid;
	char own[PATH_MAX]; /* the program that it executes at first */
	char other[128];    /* a copy of it */
};

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	struct stat st;

	assert_true(in >= 0 && out >= 0 && !fstat(in, &st));
	while (st.st_size > 0) {
		ssize_t n = sendfile(out, in, NULL, (size_t)st.st_size);

		assert_true(n > 0);
		st.st_size -= n;
	}
	close(in);
	close(out);
}

static void ask_who(struct host *host, unsigned int parts)
{
	unsigned int before = host->inst->link->asks_serial;
	struct lfp_frame frame = {.code = LFP_ASK_WHO, .ask_who.parts = (uint16_t)parts};

	host_send(host, frame);
	host_until(host, host->inst->link->asks_serial == before + 1);
}

/* The instance may also refuse a socket without lfpd. */
static void answer(struct host *host)
{
	while (host->seen < host->nr_got)
		if (host->got[host->seen++].code == LFP_SOCKET)
			host_answer(host, host->got[host->seen - 1], ENOBUFS);
}

static void order(struct program *program, enum act act, uint32_t id, const char *path)
{
	struct order order = {.id = id};
	struct pollfd pfd = {.fd = program->orders, .events = POLLIN};
	char byte;

	order.act = act;
	snprintf(order.path, sizeof(order.path), "%s", path);
	assert_int_equal(send(program->orders, &order, sizeof(order), 0), sizeof(order));
	while (poll(&pfd, 1, 0) != 1) {
		host_turn(program->host);
		answer(program->host);
	}
	assert_int_equal(recv(program->orders, &byte, 1, 0), 1);
}

/* Lets the program make a socket. Returns what lfpd was told before it, NULL if nothing. */
static const struct got_who *next_who(struct program *program)
{
	struct host *host = program->host;
	unsigned int at = host->seen;
	const struct got_who *who = NULL;

	order(program, SOCKET, 0, "");
	for (; at < host->seen; at++)
		if (host->got[at].code == LFP_TASK_WHO)
			who = &host->got[at].who;
	return who;
}

static int set_up(void **state)
{
	struct program *program = calloc(1, sizeof(*program));
	struct host *host = host_create();
	int ends[2];

	assert_non_null(program);
	host->features = LFP_FEATURE_WHO;
	host_start(host);
	program->host = host;
	assert_true(readlink("/proc/self/exe", program->own, sizeof(program->own) - 1) > 0);
	snprintf(program->other, sizeof(program->other), "%s/other", host->root);
	copy_file(program->own, program->other);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	program->pid = fork();
	if (!program->pid) {
		close(ends[0]);
		be_program(ends[1], -1);
	}
	close(ends[1]);
	program->orders = ends[0];
	order(program, CONNECT, 0, "");
	*state = program;
	return 0;
}

static int tear_down(void **state)
{
	struct program *program = *state;

	close(program->orders);
	waitpid(program->pid, NULL, 0);
	host_destroy(program->host);
	free(program);
	return 0;
}

static void user_alone(void **state)
{
	const struct got_who *who;

	ask_who(((struct program *)*state)->host, 0);
	who = next_who(*state);
	assert_non_null(who);
	assert_int_equal(who->uid, geteuid());
	assert_string_equal(who->program, "");
	for (int i = 0; i < 3; i++)
		assert_null(next_who(*state));
}

/* Before Linux 6.5 the program of a process is unknown. */
static void needs_peer_pidfd(void)
{
	socklen_t len = sizeof(int);
	int ends[2], pidfd, rc;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	rc = getsockopt(ends[0], SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len);
	close(ends[0]);
	close(ends[1]);
	if (!rc)
		close(pidfd);
	if (rc) {
		print_message("skipped: no SO_PEERPIDFD\n");
		skip();
	}
}

/* The same process goes on with another program, on the same connection. */
static void executes(void **state)
{
	struct program *program = *state;
	const struct got_who *who;

	needs_peer_pidfd();
	for (unsigned int more = 0; more <= LFP_WHO_GROUPS; more += LFP_WHO_GROUPS) {
		ask_who(program->host, LFP_WHO_PROGRAM | more);
		who = next_who(program);
		assert_non_null(who);
		assert_int_equal(who->known, LFP_WHO_PROGRAM | more);
		assert_string_equal(who->program, program->own);
		assert_null(next_who(program));
		for (enum act act = EXECUTE; act <= EXECUTE_IN_THREAD; act++) {
			order(program, act, 0, program->other);
			who = next_who(program);
			assert_non_null(who);
			assert_int_equal(who->known, LFP_WHO_PROGRAM | more);
			assert_string_equal(who->program, program->other);
			assert_null(next_who(program));
			order(program, act, 0, program->own);
			who = next_who(program);
			assert_non_null(who);
			assert_string_equal(who->program, program->own);
		}
	}
}

/* Another file is at the path now. */
static void is_replaced(void **state)
{
	struct program *program = *state;
	const struct got_who *who;
	char away[160];

	needs_peer_pidfd();
	ask_who(program->host, LFP_WHO_PROGRAM);
	order(program, EXECUTE, 0, program->other);
	who = next_who(program);
	assert_non_null(who);
	assert_string_equal(who->program, program->other);
	snprintf(away, sizeof(away), "%s.away", program->other);
	assert_int_equal(rename(program->other, away), 0);
	copy_file(program->own, program->other);
	who = next_who(program);
	assert_non_null(who);
	assert_int_equal(who->known, LFP_WHO_PROGRAM);
	assert_string_equal(who->program, away);
	assert_int_equal(unlink(away), 0);
	who = next_who(program);
	assert_non_null(who);
	assert_int_equal(who->known, 0);
}

static void needs_root(void)
{
	if (!geteuid())
		return;
	print_message("skipped: only root changes its user and its groups\n");
	skip();
}

static void changes_user(void **state)
{
	const unsigned int parts[] = {0, LFP_WHO_PROGRAM, LFP_WHO_GROUPS,
				      LFP_WHO_PROGRAM | LFP_WHO_GROUPS};
	struct program *program = *state;
	const struct got_who *who;

	needs_root();
	for (unsigned int i = 0; i < 4; i++) {
		ask_who(program->host, parts[i]);
		who = next_who(program);
		assert_non_null(who);
		assert_int_equal(who->uid, i ? OTHER_ID : 0);
		assert_null(next_who(program));
		if (i)
			continue;
		order(program, USER, OTHER_ID, "");
		who = next_who(program);
		assert_non_null(who);
		assert_int_equal(who->uid, OTHER_ID);
		assert_null(next_who(program));
	}
}

static void changes_groups(void **state)
{
	struct program *program = *state;
	const struct got_who *who;

	needs_root();
	ask_who(program->host, LFP_WHO_GROUPS);
	assert_non_null(next_who(program));
	for (uint32_t group = OTHER_ID; group < OTHER_ID + 3; group++) {
		order(program, GROUP, group, "");
		who = next_who(program);
		assert_non_null(who);
		assert_int_equal(who->known, LFP_WHO_GROUPS);
		assert_int_equal(who->nr_groups, 2);
		assert_int_equal(who->group, group);
		assert_null(next_who(program));
	}
	order(program, USER, OTHER_ID, "");
	who = next_who(program);
	assert_non_null(who);
	assert_int_equal(who->uid, OTHER_ID);
}

/* Starts a process that has a certain number. Returns false if the kernel does not let it. */
static bool start_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&pid, .set_tid_size = 1};
	long rc = syscall(SYS_clone3, &args, sizeof(args));

	if (!rc)
		for (;;)
			pause();
	if (rc < 0)
		print_message("skipped: no process with a number of choice: %s\n", strerror(errno));
	return rc > 0;
}

/* A child asks on the connection of a process that is gone. Another process, root's, has the number
 * now. */
static void number_again(void **state)
{
	struct program *program = *state;
	const struct got_who *who;
	unsigned int seen;
	bool started;

	needs_peer_pidfd();
	needs_root();
	ask_who(program->host, LFP_WHO_PROGRAM | LFP_WHO_GROUPS);
	order(program, USER, OTHER_ID, "");
	assert_non_null(next_who(program));
	ask_who(program->host, program->pid % 2 ? LFP_WHO_PROGRAM : 0);
	assert_non_null(next_who(program));
	order(program, LEAVE_TO_CHILD, 0, "");
	assert_int_equal(waitpid(program->pid, NULL, 0), program->pid);
	started = start_as(program->pid);
	if (!started)
		skip();
	ask_who(program->host, LFP_WHO_PROGRAM | LFP_WHO_GROUPS);
	seen = program->host->seen;
	who = next_who(program);
	assert_int_equal(kill(program->pid, SIGKILL), 0);
	if (who) {
		assert_int_equal(who->uid, OTHER_ID);
		assert_int_equal(who->known, 0);
	}
	/* It was told, or the call was refused. */
	for (; seen < program->host->seen; seen++)
		assert_true(who || program->host->got[seen].code != LFP_SOCKET);
}

/* Makes the kernel refuse a call if one of its arguments has a certain value. */
static int refuse(int call, unsigned int argument, unsigned int value, int error)
{
	const unsigned int low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 (unsigned int)offsetof(struct seccomp_data, args) + 8 * argument + low),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* Before Linux 6.13: PIDFD_GET_INFO */
static int grow_old(void **state)
{
	(void)state;
	return refuse(SYS_ioctl, 1, 0xc040ff0b, ENOTTY);
}

/* Before Linux 6.5: SO_PEERPIDFD */
static int grow_older(void **state)
{
	(void)state;
	return refuse(SYS_getsockopt, 2, 77, ENOPROTOOPT);
}

/* Without SO_PEERPIDFD nobody can be sure of a program. */
static void program_is_unknown(void **state)
{
	struct program *program = *state;
	const struct got_who *who;

	ask_who(program->host, LFP_WHO_PROGRAM);
	who = next_who(program);
	assert_non_null(who);
	assert_int_equal(who->uid, geteuid());
	assert_int_equal(who->known & LFP_WHO_PROGRAM, 0);
	assert_null(next_who(program));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(user_alone),   TEST(executes),       TEST(is_replaced),
		TEST(changes_user), TEST(changes_groups), TEST(number_again),
	};
	const struct CMUnitTest old[] = {
		TEST(user_alone),
		TEST(executes),
		TEST(changes_user),
		TEST(number_again),
	};
	const struct CMUnitTest older[] = {
		TEST(program_is_unknown),
		TEST(changes_user),
		TEST(changes_groups),
	};

	QEMU_USER_CANNOT("a /proc/PID/exe that is the program's");
	if (argc == 4 && !strcmp(argv[1], "program"))
		be_program(atoi(argv[2]), atoi(argv[3]));
	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL) +
	       cmocka_run_group_tests(old, grow_old, NULL) +
	       cmocka_run_group_tests(older, grow_older, NULL);
}
