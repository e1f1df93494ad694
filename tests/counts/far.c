/* SPDX-License-Identifier: Apache-2.0 */
/* far.c - the native far end of work.c */

/*
 *	far listen PORT     serves one connection after the other: its first byte says how, and is
 *echoed far connect PORT    connects, sends a byte, receives one and closes, again and again, with
 *a mark before each
 */
#include <stdbool.h>

#include "tests/counts/mark.h"
#include "tests/counts/sizes.h"
#include "tests/system/tool.h"

static char buf[BLOCK];

static bool write_all(int fd, size_t len)
{
	return !send_all(fd, buf, len);
}

static bool read_all(int fd, size_t len)
{
	return !recv_all(fd, buf, len);
}

/* A window of blocks for each byte. */
static void pour(int fd)
{
	while (read_all(fd, 1))
		for (int i = 0; i < OPERATIONS; i++)
			if (!write_all(fd, BLOCK))
				return;
}

static void serve(int fd)
{
	if (!read_all(fd, 1) || !write_all(fd, 1))
		return;
	switch (*buf) {
	case 's':
		while (recv(fd, buf, sizeof(buf), 0) > 0)
			;
		break;
	case 'p':
		pour(fd);
		break;
	default:
		while (read_all(fd, MESSAGE) && write_all(fd, MESSAGE))
			;
	}
}

static void __attribute__((noreturn)) run_server(const struct sockaddr_in *addr)
{
	int listener = tcp_listen(addr, 0);

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			die("accept");
		serve(fd);
		close(fd);
	}
}

static void __attribute__((noreturn)) run_caller(const struct sockaddr_in *addr)
{
	for (;;) {
		int fd;

		mark(MARK_SETTLE);
		fd = tcp_connect(addr);
		if (fd < 0 || !write_all(fd, 1) || !read_all(fd, 1))
			die("connect");
		close(fd);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr;

	if (argc != 3)
		return 64;
	addr = host_addr("127.0.0.1", number(argv[2]));
	if (!strcmp(argv[1], "listen"))
		run_server(&addr);
	if (!strcmp(argv[1], "connect"))
		run_caller(&addr);
	return 64;
}
