/* SPDX-License-Identifier: Apache-2.0 */
/* connection.c - TCP sockets of lfp-bench, or others instead: a relay's UNIX socket, AF_VSOCK */

/*
 * BBR paces with timers even on loopback and makes one and the same program differ by a factor of
 * three from run to run, so each socket asks for cubic (or reno), before it is connected.
 */
#include "bench/lfp-bench/connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#define SILENT_S 5

void die(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	fputs("lfp-bench: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(error));
	exit(1);
}

void set_int(int sock, int level, int name, int value)
{
	if (setsockopt(sock, level, name, &value, sizeof(value)) < 0)
		die("setsockopt %d %d", level, name);
}

void set_timeout(int sock, int name)
{
	const struct timeval limit = {.tv_sec = SILENT_S};

	if (setsockopt(sock, SOL_SOCKET, name, &limit, sizeof(limit)) < 0)
		die("setsockopt %d", name);
}

static void choose_congestion_control(int sock)
{
	static const char *const names[] = {"cubic", "reno"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!setsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, names[i],
				(socklen_t)strlen(names[i])))
			return;
	}
}

void name_congestion_control(int sock, char name[static 16])
{
	socklen_t len = 15;

	memset(name, 0, 16);
	if (getsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, name, &len) < 0)
		strcpy(name, "unknown");
}

struct addrinfo *unix_addr(const char *path)
{
	static struct sockaddr_un addr = {.sun_family = AF_UNIX};
	static struct addrinfo ai = {.ai_family = AF_UNIX,
				     .ai_addr = (struct sockaddr *)&addr,
				     .ai_addrlen = sizeof(addr)};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	return &ai;
}

struct addrinfo *vsock_addr(unsigned int cid, unsigned int port)
{
	static struct sockaddr_vm addr = {.svm_family = AF_VSOCK};
	static struct addrinfo ai = {.ai_family = AF_VSOCK,
				     .ai_addr = (struct sockaddr *)&addr,
				     .ai_addrlen = sizeof(addr)};

	addr.svm_cid = cid;
	addr.svm_port = port;
	return &ai;
}

struct addrinfo *find_addr(const char *host, const char *port)
{
	static struct sockaddr_storage addr;
	static struct addrinfo ai = {.ai_addr = (struct sockaddr *)&addr};
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	struct addrinfo *found;
	int rc = getaddrinfo(host, port, &hints, &found);

	if (rc) {
		fprintf(stderr, "lfp-bench: %s port %s: %s\n", host, port, gai_strerror(rc));
		exit(1);
	}
	ai.ai_family = found->ai_family;
	ai.ai_addrlen = found->ai_addrlen;
	memcpy(&addr, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return &ai;
}

static bool is_tcp(const struct addrinfo *ai)
{
	return ai->ai_family == AF_INET || ai->ai_family == AF_INET6;
}

int make_socket(const struct addrinfo *ai)
{
	int sock = socket(ai->ai_family, SOCK_STREAM, 0);

	if (sock < 0)
		die("socket");
	if (is_tcp(ai))
		choose_congestion_control(sock);
	return sock;
}

int make_connection(const struct addrinfo *ai, bool nodelay)
{
	int sock = make_socket(ai);

	if (connect(sock, ai->ai_addr, ai->ai_addrlen) < 0)
		die("connect");
	if (nodelay && is_tcp(ai))
		set_int(sock, IPPROTO_TCP, TCP_NODELAY, 1);
	return sock;
}

bool write_all(int sock, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = send(sock, p, len, MSG_NOSIGNAL);

		if (n < 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

bool read_all(int sock, void *data, size_t len)
{
	char *p = data;

	while (len) {
		ssize_t n = recv(sock, p, len, 0);

		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}
