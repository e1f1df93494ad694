/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c - small programs of LE/C, all of which but the first z/VSE would not like */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <vsesock.h>

#include "../strict.h"
#include "check.h"

static int result;

static struct sockaddr_in address(in_addr_t host, in_port_t port)
{
	struct sockaddr_in addr;

	memset(&addr, 0, sizeof(addr));
	addr.sin_family = AF_INET;
	addr.sin_port = port;
	addr.sin_addr.s_addr = htonl(host);
	return addr;
}

static int bind_to(int s, in_addr_t host)
{
	struct sockaddr_in addr = address(host, 0);

	return bind(s, (struct sockaddr *)&addr, sizeof(addr));
}

/* A server that listens where z/VSE's would, and its client. */
static void right(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in addr;
	int len = sizeof(addr), server;
	char buf[8];

	CHECK(bind_to(listener, INADDR_ANY) == 0);
	CHECK(listen(listener, 5) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&addr, &len) == 0);
	addr = address(INADDR_LOOPBACK, addr.sin_port);
	CHECK(connect(client, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	server = accept(listener, NULL, NULL);
	CHECK(send(client, "hello", 5, 0) == 5);
	CHECK(recv(server, buf, sizeof(buf), 0) == 5);
	CHECK(close(server) == 0);
	result = close(client);
}

static void use_poll(void)
{
	struct pollfd at = {.fd = -1};

	result = poll(&at, 1, 0);
}

static void use_readv(void)
{
	struct iovec iov = {NULL, 0};
	int s = socket(AF_INET, SOCK_STREAM, 0);

	result = (int)readv(s, &iov, 1);
}

static void use_writev(void)
{
	struct iovec iov = {NULL, 0};
	int s = socket(AF_INET, SOCK_STREAM, 0);

	result = (int)writev(s, &iov, 1);
}

static void raw(void)
{
	result = socket(AF_INET, SOCK_RAW, 0);
}

static void mask(void)
{
	struct timeval none = {0, 0};
	fd_set set;

	FD_ZERO(&set);
	socket(AF_INET, SOCK_STREAM, 0);
	FD_SET(socket(AF_INET, SOCK_STREAM, 0), &set);
	result = select(1, &set, NULL, NULL, &none);
}

/* Under LFP$CIC=SHARE it works. */
static void other_task(void)
{
	int s;

	vse_task_begin("FIRST");
	s = socket(AF_INET, SOCK_STREAM, 0);
	vse_task_begin("SECOND");
	result = listen(s, 5);
}

static void local_address(void)
{
	result = bind_to(socket(AF_INET, SOCK_STREAM, 0), INADDR_LOOPBACK);
}

static const struct strict_program programs[] = {
	{"right", right},
	{"poll", use_poll},
	{"readv", use_readv},
	{"writev", use_writev},
	{"raw", raw},
	{"mask", mask},
	{"other-task", other_task},
	{"local-address", local_address},
};

static int end(void)
{
	printf("%d %d\n", result, result < 0 ? errno : 0);
	return failures != 0;
}

int main(int argc, char **argv)
{
	return STRICT_MAIN(argc, argv, programs, end);
}
