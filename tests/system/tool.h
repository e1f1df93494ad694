/* SPDX-License-Identifier: Apache-2.0 */
/* tool.h - helpers of the programs of the system tests */
#ifndef TESTS_SYSTEM_TOOL_H
#define TESTS_SYSTEM_TOOL_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Name of an errno number, for tests that compare them. */
static inline const char *error_name(int error)
{
	return error ? strerrorname_np(error) : "0";
}

/* Say what failed and why, and end. */
static inline _Noreturn void die(const char *what)
{
	printf("%s: %s\n", what, error_name(errno));
	fflush(stdout);
	_exit(1);
}

static inline unsigned long number(const char *text)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end) {
		printf("%s is not a number\n", text);
		exit(64);
	}
	return value;
}

static inline struct sockaddr_in host_addr(const char *host, unsigned long port)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons((in_port_t)port)};

	if (inet_pton(AF_INET, host, &addr.sin_addr) != 1) {
		printf("%s is no address\n", host);
		exit(64);
	}
	return addr;
}

static inline int tcp_connect(const struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static inline int tcp_listen(const struct sockaddr_in *addr, int flags)
{
	int fd = socket(AF_INET, SOCK_STREAM | flags, 0), yes = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 || listen(fd, 1024) < 0)
		die("listen");
	return fd;
}

/* All of it; 0, or -1 with errno (0 at end of file). */
static inline int send_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0)
			return -1;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static inline int recv_all(int fd, void *data, size_t len)
{
	char *at = data;

	while (len) {
		ssize_t n = recv(fd, at, len, 0);

		if (n <= 0) {
			if (n == 0)
				errno = 0;
			return -1;
		}
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static inline void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("setrlimit");
}

static inline int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Bytes that say where they belong. */
static inline void pattern(unsigned char *buf, size_t len, uint64_t seed)
{
	uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;

	for (size_t i = 0; i < len; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		buf[i] = (unsigned char)(x >> 32);
	}
}

#endif
