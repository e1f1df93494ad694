/* SPDX-License-Identifier: Apache-2.0 */
/* one-socket.c - a program whose sockets make trouble, and a bystander that must not notice
 *
 *	one-socket bystander HOST PORT FILE	connects to an echo, waits for FILE, then echoes
 *	one-socket WHAT HOST PORT		one kind of trouble, again and again
 *
 * PORT is that of an echo. Both say what went wrong, and end with 1 then.
 */
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/ioctl.h>

#include "tests/system/tool.h"

enum { ROUNDS = 40, BLOCK = 50000 };

static struct sockaddr_in target;

static bool echoes(int fd, size_t len, uint64_t seed)
{
	static unsigned char out[BLOCK], in[BLOCK];

	pattern(out, len, seed);
	if (send_all(fd, out, len) < 0 || recv_all(fd, in, len) < 0) {
		printf("echo of %zu bytes: %s\n", len, error_name(errno));
		return false;
	}
	if (memcmp(in, out, len) == 0)
		return true;
	printf("echo of %zu bytes: other bytes\n", len);
	return false;
}

static int bystander(const char *file)
{
	int fd = tcp_connect(&target);

	if (fd < 0)
		die("the bystander's connect");
	if (!echoes(fd, 1000, 1))
		return 1;
	printf("ready\n");
	fflush(stdout);
	while (access(file, F_OK) < 0) {
		struct pollfd pfd = {.fd = fd, .events = POLLIN | POLLRDHUP};
		char c;

		if (poll(&pfd, 1, 20) <= 0)
			continue;
		printf("the bystander's connection ends: %s\n",
		       recv(fd, &c, 1, 0) < 0 ? error_name(errno) : "end of file");
		return 1;
	}
	return echoes(fd, BLOCK, 2) ? 0 : 1;
}

static int make(int flags)
{
	int fd = socket(AF_INET, SOCK_STREAM | flags, 0);

	if (fd < 0)
		die("socket");
	return fd;
}

static int try(int fd)
{
	return connect(fd, (const struct sockaddr *)&target, sizeof(target));
}

static int dissolve(int fd)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};

	return connect(fd, &unspec, sizeof(unspec));
}

/* The same socket still carries a connection, to the byte. */
static void go_on(int fd, uint64_t seed)
{
	fcntl(fd, F_SETFL, 0);
	if (try(fd) < 0)
		die("connect again");
	if (!echoes(fd, 2000, seed))
		exit(1);
	close(fd);
}

/* A question whose answer is preceded by what the host has taken of the connection before. */
static void ask_after_the_end(bool outq)
{
	for (uint64_t i = 0; i < ROUNDS / 4; i++) {
		struct tcp_info info;
		socklen_t len = sizeof(info);
		int fd = make(0), bytes;

		if (try(fd) < 0 || send_all(fd, "hello", 5) < 0)
			die("connect and send");
		if (dissolve(fd) < 0)
			die("dissolve");
		if (outq ? ioctl(fd, SIOCOUTQ, &bytes)
			 : getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
			die("the question");
		go_on(fd, i);
	}
}

/* Data on its way when the connection is dissolved. */
static void dissolve_with_data(void)
{
	static unsigned char block[BLOCK];

	for (uint64_t i = 0; i < ROUNDS; i++) {
		int fd = make(0);

		if (try(fd) < 0)
			die("connect");
		fcntl(fd, F_SETFL, O_NONBLOCK);
		for (int part = 0; part < 8; part++)
			(void)send(fd, block, sizeof(block), MSG_NOSIGNAL);
		if (dissolve(fd) < 0)
			die("dissolve");
		go_on(fd, i);
	}
}

/* shutdown() while the connection is being made: before, in the middle, or after. */
static void shut_while_connecting(void)
{
	for (uint64_t i = 0; i < 3 * ROUNDS; i++) {
		int fd = make(SOCK_NONBLOCK);
		char buf[64] = "";

		if (try(fd) < 0 && errno != EINPROGRESS)
			die("connect");
		if (i & 1)
			sched_yield();
		(void)send(fd, buf, sizeof(buf), MSG_NOSIGNAL);
		(void)shutdown(fd, (int)(i % 3));
		(void)send(fd, buf, sizeof(buf), MSG_NOSIGNAL);
		(void)recv(fd, buf, sizeof(buf), 0);
		if (i % 4 == 0) {
			close(fd);
			continue;
		}
		(void)dissolve(fd);
		go_on(fd, i);
	}
}

static void *connect_in_a_thread(void *arg)
{
	int fd = *(int *)arg;
	char buf[64] = "";

	/* Any result is right: another thread ends the call. */
	for (int i = 0; i < 3; i++)
		if (!try(fd)) {
			(void)send(fd, buf, sizeof(buf), MSG_NOSIGNAL);
			break;
		}
	return NULL;
}

/* The same with calls of two threads under way at once. */
static void shut_by_another_thread(bool unspec)
{
	for (uint64_t i = 0; i < 2 * ROUNDS; i++) {
		int fd = make(0);
		pthread_t thread;

		if (pthread_create(&thread, NULL, connect_in_a_thread, &fd))
			die("thread");
		for (uint64_t j = 0; j < i % 8; j++)
			sched_yield();
		if (unspec)
			(void)dissolve(fd);
		else
			(void)shutdown(fd, (int)(i % 3));
		pthread_join(thread, NULL);
		(void)dissolve(fd);
		go_on(fd, i);
	}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 64;
	target = host_addr(argv[2], number(argv[3]));
	if (!strcmp(argv[1], "bystander"))
		return argc == 5 ? bystander(argv[4]) : 64;
	if (!strcmp(argv[1], "tcp-info"))
		ask_after_the_end(false);
	else if (!strcmp(argv[1], "outq"))
		ask_after_the_end(true);
	else if (!strcmp(argv[1], "data"))
		dissolve_with_data();
	else if (!strcmp(argv[1], "shutdown"))
		shut_while_connecting();
	else if (!strcmp(argv[1], "threads-shutdown"))
		shut_by_another_thread(false);
	else if (!strcmp(argv[1], "threads-dissolve"))
		shut_by_another_thread(true);
	else
		return 64;
	printf("done\n");
	return 0;
}
