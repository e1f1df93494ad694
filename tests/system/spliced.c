/* SPDX-License-Identifier: Apache-2.0 */
/* spliced.c - streams of large and small pieces, both ways at once, each byte compared
 *
 *	spliced listen|connect HOST PORT SOCKETS KB SEED finish|reset|hit
 *
 * Each side writes KB * 1024 bytes to each socket, in pieces of random sizes with pauses and urgent
 * bytes between them, and ends its direction. It reads in random sizes, pauses once for longer, and
 * compares every byte.
 *   finish: both sides reach the end
 *   reset:  this side closes with SO_LINGER 0 in the middle
 *   hit:    the other side does, and must not look finished
 * Says "OUT in IN marks MARKS": bytes that were written and read, and urgent marks that were seen.
 */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>

#include "tests/system/tool.h"

enum { MOST = 64, PERIOD = 1048573, PIECE = 1 << 20, LONG_MS = 60000 };
enum how { FINISH, RESET, HIT };

struct stream {
	int fd;
	uint64_t out, in;
	int64_t write_at, read_at; /* not before, ms */
	bool out_done, in_done, paused;
};

static unsigned char data[2 * PERIOD + PIECE], buf[PIECE];
static struct stream streams[MOST];
static uint64_t total, marks;
static enum how how;

static unsigned long below(unsigned long end)
{
	return (unsigned long)random() % end;
}

/* From 1 byte to 1 MB, each order of magnitude as often. */
static size_t some_size(void)
{
	return 1 + below(1ul << below(21));
}

static bool is_reset(int error)
{
	return error == ECONNRESET || error == EPIPE;
}

/* It was reset: the other side did that, or the test fails. */
static void was_reset(struct stream *s, const char *what)
{
	if (how != HIT || !is_reset(errno))
		die(what);
	s->out_done = s->in_done = true;
}

static void reset(struct stream *s)
{
	const struct linger now = {1, 0};

	if (setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)) < 0)
		die("SO_LINGER");
	close(s->fd);
	s->fd = -1;
	s->out_done = s->in_done = true;
}

static void write_some(struct stream *s)
{
	size_t len = some_size();
	bool urgent = !below(200);
	ssize_t n;

	if (len > total - s->out)
		len = total - s->out;
	if (urgent && len)
		len = 1;
	n = send(s->fd, data + s->out % PERIOD, len, MSG_NOSIGNAL | (urgent ? MSG_OOB : 0));
	if (n < 0 && errno != EAGAIN) {
		was_reset(s, "send");
		return;
	}
	s->out += n > 0 ? (uint64_t)n : 0;
	if (s->out == total) {
		if (shutdown(s->fd, SHUT_WR) < 0 && how != HIT)
			die("shutdown");
		s->out_done = true;
	}
	if (!below(64))
		s->write_at = now_ms() + (int64_t)below(4);
}

static void read_some(struct stream *s)
{
	ssize_t n;

	marks += sockatmark(s->fd) == 1;
	n = recv(s->fd, buf, some_size(), 0);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0) {
		was_reset(s, "recv");
		return;
	}
	/* A side that has sent all before it resets may look finished. */
	if (!n && s->in != total) {
		printf("end after %llu bytes\n", (unsigned long long)s->in);
		exit(1);
	}
	if (memcmp(buf, data + s->in % PERIOD, (size_t)n) != 0) {
		printf("other bytes within %zd from %llu\n", n, (unsigned long long)s->in);
		exit(1);
	}
	s->in += (uint64_t)n;
	s->in_done = !n;
	if (!below(64))
		s->read_at = now_ms() + (int64_t)below(4);
	if (!s->paused && s->in > total / 4) {
		s->paused = true;
		s->read_at = now_ms() + 200;
	}
	if (how == RESET && s->in > total / 2)
		reset(s);
}

static _Noreturn void stuck(nfds_t nr)
{
	for (nfds_t i = 0; i < nr; i++)
		printf("nothing moves: %llu%s in %llu%s\n", (unsigned long long)streams[i].out,
		       streams[i].out_done ? " all" : "", (unsigned long long)streams[i].in,
		       streams[i].in_done ? " all" : "");
	exit(1);
}

/* Returns false when all is done. */
static bool turn(nfds_t nr)
{
	struct pollfd fds[MOST];
	int64_t now = now_ms();
	int timeout = LONG_MS, open = 0;

	for (nfds_t i = 0; i < nr; i++) {
		struct stream *s = &streams[i];
		bool waits =
			(!s->out_done && now < s->write_at) || (!s->in_done && now < s->read_at);

		fds[i] = (struct pollfd){.fd = s->out_done && s->in_done ? -1 : s->fd};
		fds[i].events = (short)((!s->out_done && now >= s->write_at ? POLLOUT : 0) |
					(!s->in_done && now >= s->read_at ? POLLIN : 0));
		if (waits && !fds[i].events)
			fds[i].fd = -1; /* or errors would end each poll() at once */
		open += !s->out_done || !s->in_done;
		if (waits)
			timeout = 1;
	}
	if (!open)
		return false;
	if (poll(fds, nr, timeout) == 0 && timeout == LONG_MS)
		stuck(nr);
	for (nfds_t i = 0; i < nr; i++) {
		const short failed = POLLERR | POLLHUP;

		if ((fds[i].events & POLLIN) && (fds[i].revents & (POLLIN | failed)))
			read_some(&streams[i]);
		if ((fds[i].events & POLLOUT) && (fds[i].revents & (POLLOUT | failed)) &&
		    !streams[i].out_done)
			write_some(&streams[i]);
	}
	return true;
}

static int make(bool listens, const struct sockaddr_in *addr, int listener)
{
	const int yes = 1;
	int fd = listens ? accept(listener, NULL, NULL) : socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &yes, sizeof(yes)) < 0 ||
	    (!listens && connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0) ||
	    fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		die(listens ? "accept" : "connect");
	return fd;
}

int main(int argc, char **argv)
{
	uint64_t out = 0, in = 0;
	struct sockaddr_in addr;
	int listener = -1;
	bool listens;
	nfds_t nr;

	if (argc != 8)
		return 64;
	listens = strcmp(argv[1], "listen") == 0;
	addr = host_addr(argv[2], number(argv[3]));
	nr = number(argv[4]);
	total = number(argv[5]) * 1024;
	srandom((unsigned int)number(argv[6]) * 2 + listens);
	how = strcmp(argv[7], "reset") == 0 ? RESET : strcmp(argv[7], "hit") == 0 ? HIT : FINISH;
	if (!nr || nr > MOST)
		return 64;
	pattern(data, PERIOD, 1);
	memcpy(data + PERIOD, data, PERIOD);
	memcpy(data + 2 * PERIOD, data, PIECE);
	if (listens) {
		const int yes = 1;

		listener = tcp_listen(&addr, 0);
		/* Connections have it from their listener, so that no urgent byte comes before. */
		if (setsockopt(listener, SOL_SOCKET, SO_OOBINLINE, &yes, sizeof(yes)) < 0)
			die("SO_OOBINLINE");
	}
	for (nfds_t i = 0; i < nr; i++)
		streams[i].fd = make(listens, &addr, listener);
	while (turn(nr))
		;
	for (nfds_t i = 0; i < nr; i++) {
		out += streams[i].out;
		in += streams[i].in;
	}
	printf("%llu in %llu marks %llu\n", (unsigned long long)out, (unsigned long long)in,
	       (unsigned long long)marks);
	return 0;
}
