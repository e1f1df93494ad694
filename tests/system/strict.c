/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c - small programs for the shim, all of which but the first z/VSE would not like
 *
 *	strict NAME	says the result and errno of the call that it is about
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

static int right(void)
{
	int local[2];

	/* What is none of LFP's is none of its rules'. */
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, local) || take(0) < 0)
		return -1;
	return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int use_accept4(void)
{
	return take(1);
}

static int use_sendmmsg(void)
{
	struct mmsghdr msg;

	memset(&msg, 0, sizeof(msg));
	return sendmmsg(socket(AF_INET, SOCK_STREAM, 0), &msg, 1, MSG_NOSIGNAL);
}

static int use_recvmmsg(void)
{
	struct mmsghdr msg;

	memset(&msg, 0, sizeof(msg));
	return recvmmsg(socket(AF_INET, SOCK_STREAM, 0), &msg, 1, MSG_DONTWAIT, NULL);
}

static int use_getifaddrs(void)
{
	struct ifaddrs *list;
	int rc = getifaddrs(&list);

	if (!rc)
		freeifaddrs(list);
	return rc;
}

static int raw(void)
{
	return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

static int local_address(void)
{
	return bind_to(socket(AF_INET, SOCK_STREAM, 0), INADDR_LOOPBACK);
}

static const struct {
	const char *name;
	int (*run)(void);
} programs[] = {
	{"right", right},
	{"accept4", use_accept4},
	{"sendmmsg", use_sendmmsg},
	{"recvmmsg", use_recvmmsg},
	{"getifaddrs", use_getifaddrs},
	{"raw", raw},
	{"local-address", local_address},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		int rc;

		if (argc != 2 || strcmp(argv[1], programs[i].name) != 0)
			continue;
		rc = programs[i].run();
		printf("%d %d\n", rc, rc < 0 ? errno : 0);
		return rc == -2;
	}
	return 64;
}
