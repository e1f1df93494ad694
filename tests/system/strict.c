/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c - small programs for the shim, all of which but the first z/VSE would not like */
#define _GNU_SOURCE
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/strict.h"

static int result;

static int bind_to(int fd, in_addr_t host)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(host)};

	return bind(fd, (struct sockaddr *)&addr, sizeof(addr));
}

/* A listener on any address, with a connection; accepted by accept() or with flags. */
static int take(int with_flags)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	if (bind_to(listener, INADDR_ANY) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&addr, &len))
		return -2;
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(client, (struct sockaddr *)&addr, len))
		return -2;
	return with_flags ? accept4(listener, NULL, NULL, 0) : accept(listener, NULL, NULL);
}

static void right(void)
{
	int local[2];

	/* The rules are about LFP's sockets only. */
	result = -1;
	if (!socketpair(AF_UNIX, SOCK_DGRAM, 0, local) && take(0) >= 0)
		result = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static void use_accept4(void)
{
	result = take(1);
}

static void use_sendmmsg(void)
{
	struct mmsghdr msg;

	memset(&msg, 0, sizeof(msg));
	result = sendmmsg(socket(AF_INET, SOCK_STREAM, 0), &msg, 1, MSG_NOSIGNAL);
}

static void use_recvmmsg(void)
{
	struct mmsghdr msg;

	memset(&msg, 0, sizeof(msg));
	result = recvmmsg(socket(AF_INET, SOCK_STREAM, 0), &msg, 1, MSG_DONTWAIT, NULL);
}

static void use_getifaddrs(void)
{
	struct ifaddrs *list;
	int rc = getifaddrs(&list);

	if (!rc)
		freeifaddrs(list);
	result = rc;
}

static void raw(void)
{
	result = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

static void local_address(void)
{
	result = bind_to(socket(AF_INET, SOCK_STREAM, 0), INADDR_LOOPBACK);
}

static const struct strict_program programs[] = {
	{"right", right},
	{"accept4", use_accept4},
	{"sendmmsg", use_sendmmsg},
	{"recvmmsg", use_recvmmsg},
	{"getifaddrs", use_getifaddrs},
	{"raw", raw},
	{"local-address", local_address},
};

static int end(void)
{
	printf("%d %d\n", result, result < 0 ? errno : 0);
	return result == -2;
}

int main(int argc, char **argv)
{
	return STRICT_MAIN(argc, argv, programs, end);
}
