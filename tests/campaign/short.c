/* SPDX-License-Identifier: Apache-2.0 */
/* short.c - a short program with sockets of each kind, for tests in which one system call fails
 *
 * Ends with 0; with 1 if a call fails; with 2 if something does not come for 5 s; with 3 if other
 * bytes come than were sent. All its descriptors are its own: it needs no host.
 */
#include <netdb.h>
#include <poll.h>
#include <string.h>

#include "tests/system/tool.h"

enum { PATIENCE_MS = 5000 };

static _Noreturn void end(int code, const char *what)
{
	printf("%s: %s\n", what, error_name(errno));
	fflush(stdout);
	_exit(code);
}

static void good(long rc, const char *what)
{
	if (rc < 0)
		end(1, what);
}

static void readable(int fd, const char *what)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int rc = poll(&pfd, 1, PATIENCE_MS);

	good(rc, what);
	if (rc == 0)
		end(2, what);
}

/* Waits for a connection from @near, and ends if that was reset. */
static void wait_for_connection(int listener, int near)
{
	struct pollfd pfds[] = {{.fd = listener, .events = POLLIN}, {.fd = near}};
	int rc = poll(pfds, 2, PATIENCE_MS);

	good(rc, "accept");
	if (rc == 0)
		end(2, "accept");
	if (!pfds[0].revents)
		end(1, "the connection is lost");
}

static void expect(int fd, const char *text, const char *what)
{
	char buf[32];
	size_t got = 0, len = strlen(text);
	ssize_t n;

	do {
		readable(fd, what);
		n = recv(fd, buf + got, sizeof(buf) - got, 0);
		good(n, what);
		got += (size_t)n;
	} while (n > 0 && got < len);
	if (memcmp(buf, text, got < len ? got : len) != 0)
		end(3, what);
	if (got != len)
		end(1, what);
}

static struct sockaddr_in name_of(int fd)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t len = sizeof(addr);

	good(getsockname(fd, (struct sockaddr *)&addr, &len), "getsockname");
	return addr;
}

static int bound(int type)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, type, 0);

	good(fd, "socket");
	good(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), "bind");
	return fd;
}

static void streams(void)
{
	int listener = bound(SOCK_STREAM), near, far, on = 1;
	struct sockaddr_in addr;
	socklen_t len = sizeof(on);
	char byte;

	good(listen(listener, 4), "listen");
	addr = name_of(listener);
	near = socket(AF_INET, SOCK_STREAM, 0);
	good(near, "socket");
	good(setsockopt(near, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)), "setsockopt");
	good(connect(near, (struct sockaddr *)&addr, sizeof(addr)), "connect");
	wait_for_connection(listener, near);
	far = accept(listener, NULL, NULL);
	good(far, "accept");
	good(getsockopt(near, SOL_SOCKET, SO_ERROR, &on, &len), "getsockopt");
	good(send(near, "question", 8, MSG_NOSIGNAL), "send");
	expect(far, "question", "the question");
	good(send(far, "answer", 6, MSG_NOSIGNAL), "send");
	expect(near, "answer", "the answer");
	good(shutdown(near, SHUT_WR), "shutdown");
	readable(far, "the end");
	good(recv(far, &byte, 1, 0), "recv");
	close(far);
	readable(near, "the other end");
	good(recv(near, &byte, 1, 0), "recv");
	close(near);
	close(listener);
}

static void datagrams(void)
{
	int one = bound(SOCK_DGRAM), other = bound(SOCK_DGRAM);
	struct sockaddr_in addr = name_of(other);

	/* A datagram may get lost, but not each of them. */
	for (int i = 0; i < 10; i++) {
		struct pollfd pfd = {.fd = other, .events = POLLIN};

		good(sendto(one, "datagram", 8, 0, (struct sockaddr *)&addr, sizeof(addr)),
		     "sendto");
		if (poll(&pfd, 1, PATIENCE_MS / 10) > 0)
			break;
	}
	expect(other, "datagram", "the datagram");
	close(one);
	close(other);
}

int main(void)
{
	struct addrinfo *list = NULL;

	streams();
	datagrams();
	if (getaddrinfo("localhost", "80", &(struct addrinfo){.ai_family = AF_INET}, &list) == 0)
		freeaddrinfo(list);
	return 0;
}
