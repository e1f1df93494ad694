/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - a program that does everything at once until it is disturbed
 *
 *	load HOST SOURCE SINK ECHO LISTEN
 *
 * Each role is a process of its own and goes on until a call fails; then it says in one line
 *
 *	ROLE CALL ERROR
 *
 * and after it, in the same line, what socket() says then. Roles: readers of an endless source by
 * recv, read, readv and stdio; a writer to a sink; one that connects, echoes and closes; one that
 * does so without blocking; one that listens and accepts; one that opens and closes listeners; one
 * that sleeps in recv() on a connection that carries nothing. End of file is error "EOF".
 */
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/system/tool.h"

static struct sockaddr_in source, sink, echo, local;
static unsigned char buf[100000];

static _Noreturn void report(const char *role, const char *call, ssize_t rc)
{
	const char *error = rc == 0 ? "EOF" : error_name(errno);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char line[128];
	int len;

	len = snprintf(line, sizeof(line), "%s %s %s socket %s\n", role, call, error,
		       fd < 0 ? error_name(errno) : "made");
	if (write(STDOUT_FILENO, line, (size_t)len) != len)
		_exit(2);
	_exit(0);
}

static int opened(const char *role, const struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		report(role, "socket", -1);
	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0)
		report(role, "connect", -1);
	return fd;
}

static void by_recv(void)
{
	int fd = opened("recv", &source);
	ssize_t n;

	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		;
	report("recv", "recv", n);
}

static void by_read(void)
{
	int fd = opened("read", &source);
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		;
	report("read", "read", n);
}

static void by_readv(void)
{
	struct iovec iov[2] = {{buf, 1000}, {buf + 1000, sizeof(buf) - 1000}};
	int fd = opened("readv", &source);
	ssize_t n;

	while ((n = readv(fd, iov, 2)) > 0)
		;
	report("readv", "readv", n);
}

static void by_stdio(void)
{
	FILE *file = fdopen(opened("stdio", &source), "r");

	if (!file)
		report("stdio", "fdopen", -1);
	while (fread(buf, 1, sizeof(buf), file) == sizeof(buf))
		;
	report("stdio", "fread", ferror(file) ? -1 : 0);
}

static void writer(void)
{
	int fd = opened("writer", &sink);
	ssize_t n;

	while ((n = send(fd, buf, sizeof(buf), MSG_NOSIGNAL)) > 0)
		;
	report("writer", "send", n);
}

static void connector(void)
{
	for (;;) {
		int fd = opened("connector", &echo);

		if (send_all(fd, "hello", 5) < 0)
			report("connector", "send", -1);
		if (recv_all(fd, buf, 5) < 0)
			report("connector", "recv", errno ? -1 : 0);
		close(fd);
	}
}

static void nonblocking(void)
{
	for (;;) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error;
		struct pollfd pfd = {.fd = fd, .events = POLLOUT};
		socklen_t len = sizeof(error);

		if (fd < 0)
			report("nonblocking", "socket", -1);
		if (connect(fd, (struct sockaddr *)&echo, sizeof(echo)) < 0 && errno != EINPROGRESS)
			report("nonblocking", "connect", -1);
		if (poll(&pfd, 1, 60000) == 0)
			report("nonblocking", "poll", 0);
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
			report("nonblocking", "getsockopt", -1);
		if (error) {
			errno = error;
			report("nonblocking", "SO_ERROR", -1);
		}
		close(fd);
	}
}

static void acceptor(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
	char c;

	if (listener < 0)
		report("acceptor", "socket", -1);
	if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0)
		report("acceptor", "setsockopt", -1);
	if (bind(listener, (struct sockaddr *)&local, sizeof(local)) < 0)
		report("acceptor", "bind", -1);
	if (listen(listener, 100) < 0)
		report("acceptor", "listen", -1);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			report("acceptor", "accept", -1);
		/* Here a connection may be cut without the listener: the client goes away as it
		 * likes. */
		if (recv(fd, &c, 1, 0) == 1)
			send(fd, &c, 1, MSG_NOSIGNAL);
		close(fd);
	}
}

static void opener(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET};

	for (;;) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (fd < 0)
			report("opener", "socket", -1);
		if (bind(fd, (struct sockaddr *)&any, sizeof(any)) < 0)
			report("opener", "bind", -1);
		if (listen(fd, 10) < 0)
			report("opener", "listen", -1);
		close(fd);
	}
}

static void sleeper(void)
{
	int fd = opened("sleeper", &echo);

	report("sleeper", "recv", recv(fd, buf, 1, 0));
}

int main(int argc, char **argv)
{
	static void (*const roles[])(void) = {by_recv,   by_read,     by_readv, by_stdio, writer,
					      connector, nonblocking, acceptor, opener,   sleeper};
	int status, bad = 0;

	if (argc != 6)
		return 64;
	source = host_addr(argv[1], number(argv[2]));
	sink = host_addr(argv[1], number(argv[3]));
	echo = host_addr(argv[1], number(argv[4]));
	local = host_addr(argv[1], number(argv[5]));
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		switch (fork()) {
		case -1:
			die("fork");
		case 0:
			roles[i]();
			_exit(3);
		}
	}
	while (wait(&status) > 0)
		bad |= status;
	return bad != 0;
}
