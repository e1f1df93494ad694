/* SPDX-License-Identifier: Apache-2.0 */
/* restart.c - both ends of many connections, which look at each byte that comes
 *
 *	restart far HOST PORT NR	the end that is not on LFP
 *	restart near HOST PORT NR	the one that is; NR connections are made, half of them by
 *					either end
 *	restart connects HOST PORT	connect, send, receive and close, again and again
 *	restart datagrams HOST PORT	questions and answers, one after the other
 *
 * far listens at PORT, near at PORT + 1 and, without accepting, at PORT + 2; far answers
 * datagrams at PORT, and what connects to PORT + 3. All go on until SIGTERM, then come to an end in
 * order: each sender reports its total, each receiver counts. They end with 0 and a line, or report
 * the error and end with 1.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>

#include "tests/system/tool.h"

#define ADDR(a) (struct sockaddr *)(a), sizeof(*(a))

enum {
	CHUNK = 512,
	TURN_MS = 20, /* between two chunks */
	NR_MAX = 1000,
	WAITING = 8, /* in the backlog */
	PATIENCE_MS = 150000
};

/* The work of a connection, by its number. */
enum kind { PLAIN, NEAR_ENDS, FAR_ENDS, NEAR_SLEEPS, FAR_SLEEPS, FULL_SPEED, NR_KINDS };

struct end {
	int fd;
	uint32_t index;
	enum kind kind;
	bool named; /* its number has come, or was sent */
	bool sleeps, full_speed;
	bool no_more; /* this end sends nothing any more */
	bool ended;   /* the other end has said that it sends nothing any more */
	uint64_t sent, received;
	uint64_t total; /* as the other end has said it */
	int64_t last;   /* something came, ms; 0 before the first byte */
};

static struct end ends[NR_MAX];
static size_t nr_ends, nr_wanted;
static bool near;
static volatile sig_atomic_t stopped;
static int64_t longest_pause;
static unsigned char stream[1 << 16]; /* what all send, each from another place */

static void on_term(int sig)
{
	(void)sig;
	stopped = 1;
}

static _Noreturn void wrong(const struct end *end, const char *what)
{
	printf("%s end of connection %u, kind %d, after %llu sent and %llu received: %s: %s\n",
	       near ? "near" : "far", end->index, end->kind, (unsigned long long)end->sent,
	       (unsigned long long)end->received, what, error_name(errno));
	fflush(stdout);
	_exit(1);
}

/* The byte at a position of what this end, or the other one, sends. */
static const unsigned char *bytes_at(const struct end *end, bool of_near, uint64_t position,
				     size_t *len)
{
	size_t from = (size_t)((position + end->index * 97u + of_near * 31013u) % sizeof(stream));

	if (*len > sizeof(stream) - from)
		*len = sizeof(stream) - from;
	return stream + from;
}

static void set_up(struct end *end, int fd)
{
	*end = (struct end){.fd = fd};
	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		wrong(end, "O_NONBLOCK");
}

static void set_kind(struct end *end, uint32_t index)
{
	end->index = index;
	end->named = true;
	end->kind = index % 10 < NR_KINDS ? index % 10 : PLAIN;
	/* A few are enough to keep everything busy. */
	if (end->kind == FULL_SPEED && index >= 40)
		end->kind = PLAIN;
	end->sleeps = end->kind == (near ? NEAR_SLEEPS : FAR_SLEEPS);
	end->full_speed = end->kind == FULL_SPEED;
}

static bool ends_early(const struct end *end)
{
	return end->kind == (near ? NEAR_ENDS : FAR_ENDS) && end->sent >= 10 * CHUNK;
}

static void send_some(struct end *end)
{
	size_t most = end->full_speed ? sizeof(stream) : CHUNK;

	if (!end->named || end->no_more)
		return;
	while (most) {
		size_t len = most;
		const unsigned char *at = bytes_at(end, near, end->sent, &len);
		ssize_t n = send(end->fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		/* The error of a reset after the other end's end of file (net/ipv4/tcp_input.c,
		 * tcp_reset()). */
		if (n < 0 && errno == EPIPE && end->ended)
			errno = ECONNRESET;
		if (n < 0)
			wrong(end, "send");
		end->sent += (uint64_t)n;
		most -= (size_t)n;
	}
	if (!stopped && !ends_early(end))
		return;
	end->no_more = true;
	/* Of one that was reset: recv() says it better. */
	if (shutdown(end->fd, SHUT_WR) && errno != ENOTCONN)
		wrong(end, "shutdown");
}

static void look(struct end *end, const unsigned char *buf, size_t n)
{
	while (n) {
		size_t len = n;
		const unsigned char *at = bytes_at(end, !near, end->received, &len);

		if (memcmp(buf, at, len) != 0)
			wrong(end, "other bytes have come than were sent");
		end->received += len;
		buf += len;
		n -= len;
	}
}

static void receive_some(struct end *end)
{
	static unsigned char buf[sizeof(stream)];
	int64_t pause;
	ssize_t n;

	if (end->ended || (end->sleeps && !stopped))
		return;
	if (!end->named) {
		uint32_t index;

		n = recv(end->fd, &index, sizeof(index), 0);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n != sizeof(index))
			wrong(end, "number");
		set_kind(end, index);
		end->last = now_ms();
		return;
	}
	n = recv(end->fd, buf, sizeof(buf), 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		wrong(end, "recv");
	end->ended = n == 0;
	look(end, buf, (size_t)n);
	pause = end->last ? now_ms() - end->last : 0;
	end->last = now_ms();
	if (!end->sleeps && pause > longest_pause)
		longest_pause = pause;
}

/* The other process's ends are compared by the test: one line each. */
static void tell_all(void)
{
	for (size_t i = 0; i < nr_ends; i++)
		printf("%s %u %llu %llu\n", near ? "near" : "far", ends[i].index,
		       (unsigned long long)ends[i].sent, (unsigned long long)ends[i].received);
	printf("longest pause %lld ms\n", (long long)longest_pause);
}

/* A number, then bytes that are all checked. */
static void make(const struct sockaddr_in *addr, uint32_t index)
{
	struct end *end = &ends[nr_ends++];
	int fd = tcp_connect(addr);

	if (fd < 0)
		die("connect");
	if (send_all(fd, &index, sizeof(index)))
		die("number");
	set_up(end, fd);
	set_kind(end, index);
}

/* All that wait: with one a turn, and a thousand ends in each turn, the last would wait for long.
 */
static void accept_all(int listener)
{
	while (nr_ends < NR_MAX) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0) {
			set_up(&ends[nr_ends++], fd);
			continue;
		}
		/* Without a path recv() says it better. */
		if (errno != EAGAIN && errno != ENETDOWN)
			die("accept");
		return;
	}
}

/* Connections that are not accepted: a line in each. */
static void wait_in_backlog(const struct sockaddr_in *addr, int fds[static WAITING])
{
	for (char i = 0; i < WAITING; i++) {
		char line[] = "waits 0";

		line[6] = (char)('0' + i);
		fds[(int)i] = tcp_connect(addr);
		if (fds[(int)i] < 0 || send_all(fds[(int)i], line, sizeof(line)))
			die("waiting connection");
	}
}

static void take_backlog(int listener)
{
	unsigned int seen = 0;

	for (int i = 0; i < WAITING; i++) {
		char line[8] = "";
		int fd = accept(listener, NULL, NULL);

		if (fd < 0 || recv_all(fd, line, sizeof(line)) || strncmp(line, "waits ", 6) != 0)
			die("connection from the backlog");
		seen |= 1u << (line[6] - '0');
		if (recv(fd, line, 1, 0) != 0)
			die("end of a connection from the backlog");
		close(fd);
	}
	if (seen != (1u << WAITING) - 1)
		die("connections of the backlog");
}

static void answer_datagrams(int fd)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	char buf[2048];
	ssize_t n;

	while ((n = recvfrom(fd, buf, sizeof(buf), MSG_DONTWAIT, (struct sockaddr *)&from, &len)) >=
	       0)
		(void)sendto(fd, buf, (size_t)n, 0, (struct sockaddr *)&from, len);
}

/* Echo once and close. */
static void answer_connect(int listener)
{
	int fd = accept(listener, NULL, NULL);
	char buf[64];

	if (fd < 0)
		return;
	if (recv_all(fd, buf, sizeof(buf)) || send_all(fd, buf, sizeof(buf)) ||
	    recv(fd, buf, 1, 0) != 0)
		die("short connection");
	close(fd);
}

static bool all_done(void)
{
	for (size_t i = 0; i < nr_ends; i++)
		if (!ends[i].no_more || !ends[i].ended)
			return false;
	return true;
}

static void turn(int listener, int udp, int echo)
{
	static struct pollfd fds[NR_MAX + 3];
	static int64_t sent_at;
	int64_t now = now_ms();
	bool chunk = now - sent_at >= TURN_MS;
	size_t at = nr_ends;

	for (size_t i = 0; i < nr_ends; i++) {
		const struct end *end = &ends[i];
		bool reads = !end->ended && !(end->sleeps && !stopped);
		bool writes = !end->no_more && end->full_speed;

		fds[i] = (struct pollfd){
			.fd = reads || writes ? end->fd : -1,
			.events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))};
	}
	fds[at] = (struct pollfd){.fd = listener, .events = POLLIN};
	fds[at + 1] = (struct pollfd){.fd = udp, .events = POLLIN};
	fds[at + 2] = (struct pollfd){.fd = echo, .events = POLLIN};
	if (poll(fds, at + 3, TURN_MS / 2) < 0 && errno != EINTR)
		die("poll");
	if (fds[at + 1].revents)
		answer_datagrams(udp);
	if (fds[at + 2].revents)
		answer_connect(echo);
	for (size_t i = 0; i < at; i++) {
		if (fds[i].revents & (POLLIN | POLLHUP | POLLERR))
			receive_some(&ends[i]);
		if (chunk || (fds[i].revents & POLLOUT))
			send_some(&ends[i]);
	}
	if (chunk)
		sent_at = now;
	if (fds[at].revents)
		accept_all(listener);
}

static int run(const char *host, unsigned long port)
{
	struct sockaddr_in here = host_addr(host, port + near),
			   there = host_addr(host, port + !near);
	struct sockaddr_in third = host_addr(host, port + 2), fourth = host_addr(host, port + 3);
	int listener = tcp_listen(&here, SOCK_NONBLOCK), backlog = -1, udp = -1, echo = -1;
	int waiting[WAITING];
	int64_t end = 0;

	if (near) {
		backlog = tcp_listen(&third, 0);
		puts("listens");
		fflush(stdout);
		for (uint32_t i = 0; i < nr_wanted; i += 2)
			make(&there, i);
	} else {
		udp = socket(AF_INET, SOCK_DGRAM, 0);
		echo = tcp_listen(&fourth, 0);
		if (udp < 0 || bind(udp, ADDR(&here)))
			die("datagrams");
		puts("listens");
		fflush(stdout);
	}
	/* The first connection tells far that near listens. */
	while (nr_ends < nr_wanted) {
		if (!near && nr_ends == nr_wanted / 2) {
			wait_in_backlog(&third, waiting);
			for (uint32_t i = 1; i < nr_wanted; i += 2)
				make(&there, i);
		}
		turn(listener, udp, echo);
	}
	puts("connected");
	fflush(stdout);
	if (!near)
		for (int i = 0; i < WAITING; i++)
			close(waiting[i]);
	while (!stopped || !all_done()) {
		turn(listener, udp, echo);
		if (stopped && !end)
			end = now_ms() + PATIENCE_MS;
		if (end && now_ms() > end)
			die("the end does not come");
	}
	if (near)
		take_backlog(backlog);
	tell_all();
	return 0;
}

static int run_connects(const char *host, unsigned long port)
{
	struct sockaddr_in addr = host_addr(host, port + 3);
	unsigned long count = 0;
	char buf[64] = "short", back[64];

	for (; !stopped; count++) {
		int fd = tcp_connect(&addr);

		if (fd < 0 || send_all(fd, buf, sizeof(buf)) || recv_all(fd, back, sizeof(back)) ||
		    memcmp(buf, back, sizeof(buf)) != 0) {
			if (stopped && errno == EINTR)
				break;
			die("connect, send, receive");
		}
		close(fd);
	}
	printf("%lu connections\n", count);
	return 0;
}

static int run_datagrams(const char *host, unsigned long port)
{
	struct sockaddr_in addr = host_addr(host, port);
	struct timeval limit = {.tv_sec = PATIENCE_MS / 1000};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	unsigned long count = 0, back;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		die("socket");
	for (; !stopped; count++) {
		if (sendto(fd, &count, sizeof(count), 0, ADDR(&addr)) != sizeof(count) ||
		    recv(fd, &back, sizeof(back), 0) != sizeof(back) || back != count) {
			if (stopped && errno == EINTR)
				break;
			die("datagram");
		}
	}
	printf("%lu datagrams\n", count);
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_term, .sa_flags = SA_RESTART};

	sigaction(SIGTERM, &action, NULL);
	allow_descriptors();
	pattern(stream, sizeof(stream), 1);
	if (argc == 4 && !strcmp(argv[1], "connects"))
		return run_connects(argv[2], number(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "datagrams"))
		return run_datagrams(argv[2], number(argv[3]));
	if (argc != 5)
		return 64;
	near = !strcmp(argv[1], "near");
	nr_wanted = number(argv[4]);
	return nr_wanted > NR_MAX ? 64 : run(argv[2], number(argv[3]));
}
