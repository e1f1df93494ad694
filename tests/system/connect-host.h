/* SPDX-License-Identifier: Apache-2.0 */
/* connect-host.h - the other side of connect.c: a listener with a full queue, which takes orders */
#ifndef TESTS_SYSTEM_CONNECT_HOST_H
#define TESTS_SYSTEM_CONNECT_HOST_H

#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>

#include "tests/system/tool.h"

enum { LATER_MS = 300 };

#define ADDR(a) (struct sockaddr *)(a), sizeof(*(a))

static struct sockaddr_in target, control;

/* The order that the other side gives; it is obeyed, or will be, when this returns. */
static void tell(char order)
{
	int fd = tcp_connect(&control);
	char answer;

	if (fd < 0 || send_all(fd, &order, 1) < 0 || recv_all(fd, &answer, 1) < 0)
		die("the host does not obey");
	close(fd);
}

static int listener = -1, filler = -1;

static void close_listener(void)
{
	if (listener >= 0)
		close(listener);
	if (filler >= 0)
		close(filler);
	listener = filler = -1;
}

/* A child that was just forked may still have it. */
static void stop_listening(void)
{
	if (listener >= 0)
		shutdown(listener, SHUT_RDWR);
	close_listener();
}

/* Returns true if the listener's queue is full, by the kernel's count of unaccepted connections. */
static bool is_full(void)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	if (getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		die("TCP_INFO");
	return info.tcpi_unacked > info.tcpi_sacked;
}

static void fill(void)
{
	stop_listening();
	listener = tcp_listen(&target, SOCK_NONBLOCK);
	if (listen(listener, 0) < 0)
		die("listen");
	/* An earlier client may get in first. */
	filler = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (filler < 0 || (connect(filler, ADDR(&target)) < 0 && errno != EINPROGRESS))
		die("the one that gets in");
	while (!is_full())
		poll(NULL, 0, 1);
}

static void obey(char order)
{
	if (order == 'f')
		fill();
	else if (order == 'r')
		stop_listening();
	else if (listen(listener, 100) < 0)
		die("listen");
}

static void echo(int fd)
{
	char buf[4096];
	ssize_t n;

	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		send_all(fd, buf, (size_t)n);
	_exit(0);
}

static void let_in(void)
{
	int fd = accept(listener, NULL, NULL);
	pid_t pid = fd < 0 ? -1 : fork();

	if (!pid) {
		close_listener();
		echo(fd);
	}
	if (fd >= 0)
		close(fd);
}

static _Noreturn void host(void)
{
	int orders = tcp_listen(&control, 0);
	int64_t at = 0;
	bool open = false;
	char order = 0;

	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		struct pollfd pfd[2] = {
			{.fd = orders, .events = POLLIN},
			{.fd = open ? listener : -1, .events = POLLIN},
		};
		int wait = at ? (int)(at - now_ms()) : -1;

		if (poll(pfd, 2, at && wait < 0 ? 0 : wait) < 0)
			die("poll");
		if (at && now_ms() >= at) {
			obey(order);
			open = order == 'g';
			at = 0;
		}
		if (open && (pfd[1].revents & POLLIN))
			let_in();
		if (pfd[0].revents & POLLIN) {
			int fd = accept(orders, NULL, NULL);
			bool later = recv_all(fd, &order, 1) == 0 && order < 'a';

			order |= 0x20;
			at = now_ms() + (later ? LATER_MS : 0);
			if (!later) {
				obey(order);
				open = order == 'g';
				at = 0;
			}
			send_all(fd, "", 1);
			close(fd);
		}
	}
}

#endif
