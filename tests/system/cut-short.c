/* SPDX-License-Identifier: Apache-2.0 */
/* cut-short.c - streams that end in order, are reset, or whose daemon dies; also built statically
 *
 *	cut-short send listen|connect PORT WHAT	send BYTES bytes and then: "end" the direction in
 *						order, "reset" the connection, "answer" the other
 *						side's end by a reset, or "hold" the connection
 *						until the other side is gone
 *	cut-short read listen|connect PORT [late FILE | shut]
 *						read to the end: how many bytes, and the error.
 *						late: not before the file is there; shut: shut down
 *						writing before
 *	cut-short many PORT NR FILE FILE	a connection; after the first file NR more, each read
 *						to its end; end after the second file
 */
#include <linux/sockios.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/ioctl.h>

#include "tests/system/tool.h"

enum { BYTES = 20000, LOOK_MS = 10 };

static void wait_for_file(const char *path)
{
	while (access(path, F_OK) < 0)
		poll(NULL, 0, LOOK_MS);
}

/* The connection, made or accepted. */
static int meet(const char *how, unsigned long port)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", port);
	int listener, fd;

	if (strcmp(how, "connect") == 0) {
		fd = tcp_connect(&addr);
	} else {
		listener = tcp_listen(&addr, 0);
		fd = accept(listener, NULL, NULL);
		close(listener);
	}
	if (fd < 0)
		die(how);
	return fd;
}

static void send_bytes(int fd)
{
	static const char data[BYTES];
	size_t done = 0;

	while (done < BYTES) {
		ssize_t n = write(fd, data + done, BYTES - done);

		if (n < 0)
			die("write");
		done += (size_t)n;
	}
}

static int run_send(int fd, const char *what)
{
	struct linger now = {.l_onoff = 1};
	int left = 1;
	char c;

	send_bytes(fd);
	if (strcmp(what, "answer") == 0)
		while (read(fd, &c, 1) > 0)
			;
	if (strcmp(what, "reset") == 0 || strcmp(what, "answer") == 0) {
		while (!ioctl(fd, SIOCOUTQ, &left) && left)
			poll(NULL, 0, LOOK_MS);
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(fd);
		return 0;
	}
	if (strcmp(what, "end") == 0 && shutdown(fd, SHUT_WR) < 0)
		die("shutdown");
	while (read(fd, &c, 1) > 0)
		;
	return 0;
}

/* Wait until all is there, and the end if it comes; then for the file. */
static void read_late(int fd, const char *path)
{
	static char buf[2 * BYTES];
	struct pollfd pfd = {.fd = fd, .events = POLLRDHUP};

	while (recv(fd, buf, sizeof(buf), MSG_PEEK) < BYTES)
		poll(NULL, 0, LOOK_MS);
	printf("there\n");
	fflush(stdout);
	while (access(path, F_OK) < 0)
		if (poll(&pfd, 1, LOOK_MS) > 0 && pfd.events) {
			printf("ended\n");
			fflush(stdout);
			pfd.events = 0;
			pfd.fd = -1;
		}
}

static size_t read_all(int fd, int *error)
{
	static char buf[4096];
	size_t sum = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		sum += (size_t)n;
		if (sum == BYTES) {
			printf("read\n");
			fflush(stdout);
		}
	}
	*error = n < 0 ? errno : 0;
	return sum;
}

static int run_read(int fd, const char *how, const char *path)
{
	int error;
	size_t sum;

	if (strcmp(how, "late") == 0)
		read_late(fd, path);
	if (strcmp(how, "shut") == 0 && shutdown(fd, SHUT_WR) < 0)
		die("shutdown");
	sum = read_all(fd, &error);
	printf("%zu bytes, then %s\n", sum, error_name(error));
	printf("again: %s\n", read_all(fd, &error) ? "bytes" : error_name(error));
	return 0;
}

static int run_many(unsigned long port, unsigned long nr, const char *begin, const char *stop)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", port);
	int fd = tcp_connect(&addr);
	char c;

	if (fd < 0 || read(fd, &c, 1) < 0)
		die("connect");
	close(fd);
	printf("ready\n");
	fflush(stdout);
	wait_for_file(begin);
	for (unsigned long i = 0; i < nr; i++) {
		fd = tcp_connect(&addr);
		if (fd < 0)
			die("connect");
		if (shutdown(fd, SHUT_WR) < 0)
			die("shutdown");
		while (read(fd, &c, 1) > 0)
			;
		close(fd);
	}
	printf("done\n");
	fflush(stdout);
	wait_for_file(stop);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "send") == 0)
		return run_send(meet(argv[2], number(argv[3])), argv[4]);
	if (argc == 4 && strcmp(argv[1], "read") == 0)
		return run_read(meet(argv[2], number(argv[3])), "", "");
	if ((argc == 5 || argc == 6) && strcmp(argv[1], "read") == 0)
		return run_read(meet(argv[2], number(argv[3])), argv[4], argc == 6 ? argv[5] : "");
	if (argc == 6 && strcmp(argv[1], "many") == 0)
		return run_many(number(argv[2]), number(argv[3]), argv[4], argv[5]);
	return 64;
}
