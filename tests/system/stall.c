/* SPDX-License-Identifier: Apache-2.0 */
/* stall.c - sockets that are written to until nothing more goes in, and not read
 *
 *	stall listen|connect HOST PORT SOCKETS write|wait [BUFFER]
 *
 * "write": writes on all until all are full for QUIET looks; then says "full SOCKETS MOST TOTAL",
 * the most that went into one socket, and all, in bytes. "wait": writes nothing. BUFFER: SO_SNDBUF
 * and SO_RCVBUF of a listener.
 * Then, when standard input ends: ends the sending direction, reads all to the end, compares it
 * with what the other side must have written, and says "read SOCKETS TOTAL".
 */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>

#include "tests/system/tool.h"

/* A socket counts as full after this many looks in a row. A look takes processor time, so a busy
 * machine does not end the wait early. */
enum { MOST = 10000, QUIET = 25, LOOK_MS = 20 };

static struct pollfd fds[MOST];
static uint64_t written[MOST], taken[MOST];
static unsigned char data[1 << 16];

/* The data repeats one 65,536-byte pattern, so that any piece can be checked. */
static bool same(const unsigned char *piece, size_t len, uint64_t position)
{
	for (size_t i = 0; i < len; i++)
		if (piece[i] != data[(position + i) % sizeof(data)])
			return false;
	return true;
}

static void fill(nfds_t nr)
{
	uint64_t most = 0, total = 0;

	for (nfds_t i = 0; i < nr; i++)
		fds[i].events = POLLOUT;
	/* The more there are, the longer it takes until each has had its turn. */
	for (int quiet = 0; quiet < QUIET; quiet++) {
		if (poll(fds, nr, LOOK_MS + (int)nr / 4 / QUIET) <= 0)
			continue;
		quiet = 0;
		for (nfds_t i = 0; i < nr; i++) {
			size_t at = written[i] % sizeof(data);
			ssize_t n;

			if (!fds[i].revents)
				continue;
			n = send(fds[i].fd, data + at, sizeof(data) - at, MSG_NOSIGNAL);
			if (n < 0 && errno != EAGAIN)
				die("send");
			if (n > 0)
				written[i] += (uint64_t)n;
		}
	}
	for (nfds_t i = 0; i < nr; i++) {
		total += written[i];
		if (written[i] > most)
			most = written[i];
	}
	printf("full %lu %lu %lu\n", (unsigned long)nr, (unsigned long)most, (unsigned long)total);
}

static void drain(nfds_t nr)
{
	static unsigned char buf[1 << 16];
	uint64_t total = 0;
	nfds_t open = nr;

	for (nfds_t i = 0; i < nr; i++) {
		fds[i].events = POLLIN;
		if (shutdown(fds[i].fd, SHUT_WR) < 0)
			die("shutdown");
	}
	while (open) {
		if (poll(fds, nr, 60000) <= 0)
			die("nothing more to read");
		for (nfds_t i = 0; i < nr; i++) {
			ssize_t n;

			if (fds[i].fd < 0 || !fds[i].revents)
				continue;
			n = recv(fds[i].fd, buf, sizeof(buf), 0);
			if (n < 0 && errno != EAGAIN)
				die("recv");
			if (n < 0)
				continue;
			if (!same(buf, (size_t)n, taken[i])) {
				printf("socket %lu: other data\n", (unsigned long)i);
				exit(1);
			}
			taken[i] += (uint64_t)n;
			total += (uint64_t)n;
			if (!n) {
				close(fds[i].fd);
				fds[i].fd = -1;
				open--;
			}
		}
	}
	printf("read %lu %lu\n", (unsigned long)nr, (unsigned long)total);
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr;
	int listener = -1;
	nfds_t nr;
	char c;

	if (argc < 6)
		return 64;
	setvbuf(stdout, NULL, _IOLBF, 0);
	allow_descriptors();
	addr = host_addr(argv[2], number(argv[3]));
	nr = number(argv[4]);
	if (!nr || nr > MOST)
		return 64;
	pattern(data, sizeof(data), 1);
	if (!strcmp(argv[1], "listen")) {
		listener = tcp_listen(&addr, 0);
		if (argc > 6) {
			int size = (int)number(argv[6]);

			setsockopt(listener, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
			setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
		}
	}
	for (nfds_t i = 0; i < nr; i++) {
		fds[i].fd = listener < 0 ? tcp_connect(&addr) : accept(listener, NULL, NULL);
		if (fds[i].fd < 0)
			die("connection");
		if (fcntl(fds[i].fd, F_SETFL, O_NONBLOCK) < 0)
			die("fcntl");
	}
	printf("connected %lu\n", (unsigned long)nr);
	if (!strcmp(argv[5], "write"))
		fill(nr);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	drain(nr);
	return 0;
}
