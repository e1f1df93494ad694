/* SPDX-License-Identifier: Apache-2.0 */
/* obeying.c - a program that makes its calls when the test orders it, also after execve() */
#include "obeying.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

void obeying_main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "program"))
		be_program(atoi(argv[2]), atoi(argv[3]));
}

void obeying_copy(const char *from, const char *to)
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

/* The instance may also refuse a socket without lfpd. */
static void answer(struct host *host)
{
	while (host->seen < host->nr_got)
		if (host->got[host->seen++].code == LFP_SOCKET)
			host_answer(host, host->got[host->seen - 1], ENOBUFS);
}

void obeying_order(struct obeying *program, enum act act, uint32_t id, const char *path)
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

const struct got_who *obeying_who(struct obeying *program)
{
	struct host *host = program->host;
	unsigned int at = host->seen;
	const struct got_who *who = NULL;

	obeying_order(program, SOCKET, 0, "");
	for (; at < host->seen; at++)
		if (host->got[at].code == LFP_TASK_WHO)
			who = &host->got[at].who;
	return who;
}

int obeying_set_up(void **state)
{
	struct obeying *program = calloc(1, sizeof(*program));
	struct host *host = host_create();
	int ends[2];

	assert_non_null(program);
	host->features = LFP_FEATURE_WHO;
	host_start(host);
	program->host = host;
	assert_true(readlink("/proc/self/exe", program->own, sizeof(program->own) - 1) > 0);
	snprintf(program->other, sizeof(program->other), "%s/other", host->root);
	obeying_copy(program->own, program->other);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	program->pid = fork();
	if (!program->pid) {
		close(ends[0]);
		be_program(ends[1], -1);
	}
	close(ends[1]);
	program->orders = ends[0];
	obeying_order(program, CONNECT, 0, "");
	*state = program;
	return 0;
}

int obeying_tear_down(void **state)
{
	struct obeying *program = *state;

	close(program->orders);
	waitpid(program->pid, NULL, 0);
	host_destroy(program->host);
	free(program);
	return 0;
}
