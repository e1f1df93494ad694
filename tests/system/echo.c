/* SPDX-License-Identifier: Apache-2.0 */
/* echo.c - an echo server for thousands of connections
 *
 *	echo HOST PORT
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>

#include "tests/system/tool.h"

enum { ROOM = 65536, CONNS = 65536 };

/* Bytes read and not yet written back; the server reads no more while it has some. */
struct conn {
	size_t len, done;
	char *data;
};
static struct conn *conns[CONNS];
static char buf[ROOM];

static void drop(int fd)
{
	free(conns[fd]->data);
	free(conns[fd]);
	conns[fd] = NULL;
	close(fd);
}

static void watch(int epoll, int op, int fd, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.fd = fd};

	if (epoll_ctl(epoll, op, fd, &ev) < 0)
		die("epoll_ctl");
}

static void take(int epoll, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (fd >= CONNS) {
		close(fd);
		return;
	}
	conns[fd] = calloc(1, sizeof(struct conn));
	if (!conns[fd])
		die("calloc");
	watch(epoll, EPOLL_CTL_ADD, fd, EPOLLIN);
}

/* Writes back, and keeps bytes that the kernel does not take now. */
static void give(int epoll, int fd, const char *data, size_t len)
{
	struct conn *conn = conns[fd];
	ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN) {
		drop(fd);
		return;
	}
	if (n < 0)
		n = 0;
	if ((size_t)n == len)
		return;
	conn->len = len - (size_t)n;
	conn->done = 0;
	conn->data = malloc(conn->len);
	if (!conn->data)
		die("malloc");
	memcpy(conn->data, data + n, conn->len);
	watch(epoll, EPOLL_CTL_MOD, fd, EPOLLOUT);
}

static void serve(int epoll, int fd)
{
	struct conn *conn = conns[fd];
	ssize_t n;

	if (conn->data) {
		n = send(fd, conn->data + conn->done, conn->len - conn->done, MSG_NOSIGNAL);
		if (n < 0) {
			if (errno != EAGAIN)
				drop(fd);
			return;
		}
		conn->done += (size_t)n;
		if (conn->done == conn->len) {
			free(conn->data);
			conn->data = NULL;
			watch(epoll, EPOLL_CTL_MOD, fd, EPOLLIN);
		}
		return;
	}
	n = recv(fd, buf, sizeof(buf), 0);
	if (n > 0)
		give(epoll, fd, buf, (size_t)n);
	else if (n == 0 || errno != EAGAIN)
		drop(fd);
}

int main(int argc, char **argv)
{
	struct epoll_event events[64];
	struct sockaddr_in addr;
	int epoll, listener, nr;

	if (argc != 3)
		return 64;
	allow_descriptors();
	addr = host_addr(argv[1], number(argv[2]));
	listener = tcp_listen(&addr, SOCK_NONBLOCK);
	epoll = epoll_create1(0);
	watch(epoll, EPOLL_CTL_ADD, listener, EPOLLIN);
	for (;;) {
		nr = epoll_wait(epoll, events, 64, -1);
		for (int i = 0; i < nr; i++) {
			if (events[i].data.fd == listener)
				take(epoll, listener);
			else if (conns[events[i].data.fd])
				serve(epoll, events[i].data.fd);
		}
	}
}
