/* SPDX-License-Identifier: Apache-2.0 */
/* urgent.c - urgent data and other properties of a stream; the output must be the same natively and
 * on LFP
 *
 *	urgent
 *
 * Both ends are in this program, on 127.0.0.1.
 */
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>

#include "tests/system/tool.h"

enum { LONG_MS = 60000 };

static char buf[1 << 16];

static void say(const char *what, long rc)
{
	printf("%s: %s\n", what, rc < 0 ? error_name(errno) : "0");
}

static void say_bytes(const char *what, ssize_t n)
{
	if (n < 0)
		printf("%s: %s\n", what, error_name(errno));
	else
		printf("%s: %zd '%.*s'\n", what, n, (int)n, buf);
}

/* A pair of connected sockets. */
static void join(int pair[2])
{
	struct sockaddr_in addr = host_addr("127.0.0.1", 0);
	socklen_t len = sizeof(addr);
	int listener = tcp_listen(&addr, 0);

	if (getsockname(listener, (struct sockaddr *)&addr, &len) < 0)
		die("getsockname");
	pair[0] = tcp_connect(&addr);
	pair[1] = accept(listener, NULL, NULL);
	if (pair[0] < 0 || pair[1] < 0)
		die("connect");
	close(listener);
}

static void leave(const int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

static bool await(int fd, short events)
{
	struct pollfd pfd = {.fd = fd, .events = events};

	return poll(&pfd, 1, LONG_MS) == 1;
}

static int waiting(int fd)
{
	int bytes = -1;

	ioctl(fd, FIONREAD, &bytes);
	return bytes;
}

static void await_bytes(int fd, int bytes)
{
	for (int64_t end = now_ms() + LONG_MS; waiting(fd) < bytes && now_ms() < end;)
		poll(NULL, 0, 1);
}

static int at_mark(int fd)
{
	int at = -1;

	ioctl(fd, SIOCATMARK, &at);
	return at;
}

static volatile sig_atomic_t urgents;

static void on_urg(int number)
{
	(void)number;
	urgents++;
}

static void out_of_band(void)
{
	int pair[2];

	join(pair);
	signal(SIGURG, on_urg);
	say("owner", fcntl(pair[1], F_SETOWN, getpid()));
	say("recv of no urgent data", recv(pair[1], buf, 1, MSG_OOB));
	say_bytes("send before", send(pair[0], buf, 0, 0));
	if (send(pair[0], "abc", 3, 0) != 3 || send(pair[0], "de!", 3, MSG_OOB) != 3 ||
	    send(pair[0], "fgh", 3, 0) != 3)
		die("send");
	printf("poll for urgent data: %d\n", await(pair[1], POLLPRI));
	for (int64_t end = now_ms() + LONG_MS; !urgents && now_ms() < end;)
		poll(NULL, 0, 1);
	printf("SIGURG: %d\n", urgents > 0);
	say_bytes("urgent", recv(pair[1], buf, sizeof(buf), MSG_OOB));
	say("urgent again", recv(pair[1], buf, 1, MSG_OOB));
	await_bytes(pair[1], 5);
	printf("at the mark: %d\n", at_mark(pair[1]));
	say_bytes("before the mark", recv(pair[1], buf, 5, MSG_WAITALL));
	printf("at the mark then: %d\n", at_mark(pair[1]));
	say_bytes("behind the mark", recv(pair[1], buf, 3, MSG_WAITALL));
	printf("at the mark in the end: %d\n", at_mark(pair[1]));
	leave(pair);
}

static void in_line(void)
{
	int pair[2];

	join(pair);
	say("SO_OOBINLINE", setsockopt(pair[1], SOL_SOCKET, SO_OOBINLINE, &(int){1}, sizeof(int)));
	if (send(pair[0], "abc", 3, 0) != 3 || send(pair[0], "!", 1, MSG_OOB) != 1 ||
	    send(pair[0], "def", 3, 0) != 3)
		die("send");
	await_bytes(pair[1], 7);
	say_bytes("up to the mark", recv(pair[1], buf, sizeof(buf), 0));
	printf("at the mark: %d\n", at_mark(pair[1]));
	say("not out of band", recv(pair[1], buf, 1, MSG_OOB));
	say_bytes("with the urgent byte", recv(pair[1], buf, 4, MSG_WAITALL));
	leave(pair);
}

/* It has its place among much data, in both directions. */
static void among_data(void)
{
	enum { BLOCK = 3000, BLOCKS = 200 };
	int pair[2], sent = 0, urgent = 0, last = 0;
	long got = 0;

	join(pair);
	say("SO_OOBINLINE", setsockopt(pair[1], SOL_SOCKET, SO_OOBINLINE, &(int){1}, sizeof(int)));
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	memset(buf, 'x', sizeof(buf));
	while (got < (long)BLOCKS * BLOCK + 1) {
		static char in[sizeof(buf)];
		ssize_t n = 0;

		if (sent < BLOCKS * BLOCK) {
			n = send(pair[0], buf,
				 sent % BLOCK ? (size_t)(BLOCK - sent % BLOCK) : BLOCK, 0);
			sent += n > 0 ? (int)n : 0;
		} else if (!last) {
			last = send(pair[0], "!", 1, MSG_OOB) == 1;
		}
		if (!await(pair[1], POLLIN))
			die("nothing comes");
		urgent += at_mark(pair[1]) == 1;
		n = recv(pair[1], in, sizeof(in), MSG_DONTWAIT);
		if (n > 0 && memchr(in, '!', (size_t)n) && got + n != (long)BLOCKS * BLOCK + 1)
			printf("the urgent byte is at a wrong place\n");
		got += n > 0 ? n : 0;
	}
	printf("bytes: %ld, at the mark: %d\n", got, urgent > 0);
	leave(pair);
}

static void on_its_way(void)
{
	struct linger linger = {.l_onoff = 1};
	int pair[2], value = -1, quiet = 0;
	struct tcp_info info;
	socklen_t len = sizeof(info);
	ssize_t n;

	join(pair);
	say("SIOCOUTQ", ioctl(pair[0], SIOCOUTQ, &value));
	printf("nothing is on its way: %d\n", value);
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	value = 0;
	/* until the socket stays full for a moment */
	while (quiet < 20) {
		n = send(pair[0], buf, sizeof(buf), 0);
		if (n > 0) {
			value += (int)n;
			quiet = 0;
		} else {
			poll(NULL, 0, 10);
			quiet++;
		}
	}
	len = sizeof(info);
	ioctl(pair[0], SIOCOUTQ, &quiet);
	printf("what was sent is on its way: %d\n", quiet > 0 && quiet <= value);
	say("TCP_INFO", getsockopt(pair[0], IPPROTO_TCP, TCP_INFO, &info, &len));
	for (long got = 0; got < value;) {
		n = recv(pair[1], buf, sizeof(buf), 0);
		if (n <= 0)
			die("recv");
		got += n;
	}
	for (int64_t end = now_ms() + LONG_MS; now_ms() < end; poll(NULL, 0, 1))
		if (!ioctl(pair[0], SIOCOUTQ, &quiet) && !quiet)
			break;
	printf("all of it has come: %d\n", quiet);

	/* SO_LINGER 0, while the peer does not read: it is reset at once. */
	while (send(pair[0], buf, sizeof(buf), 0) > 0)
		;
	say("SO_LINGER", setsockopt(pair[0], SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	close(pair[0]);
	while ((n = recv(pair[1], buf, sizeof(buf), 0)) > 0)
		;
	say("what it has got, and then", n);
	close(pair[1]);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	out_of_band();
	in_line();
	among_data();
	on_its_way();
	return 0;
}
