/* SPDX-License-Identifier: Apache-2.0 */
/* timeouts.c - SO_RCVTIMEO and SO_SNDTIMEO: as values, in recv, send, accept and connect */
#include <sys/time.h>

#include "tests/conformance/jobs.h"
#include "tests/conformance/slow.h"

enum { LIMIT_MS = 80 };

/* Returns true if the call took about as long as the limit. A busy machine may take longer. */
#define TIMED(name, call)                                                                          \
	do {                                                                                       \
		int64_t timed_start = now_ms();                                                    \
		TRY(name, call);                                                                   \
		say(name ", in time", "%d", now_ms() - timed_start >= LIMIT_MS - 10);              \
	} while (0)

static void values(int af, int type, int name, const char *text)
{
	int fd = new_socket(af, type);
	struct timeval tv = {9, 9};
	struct {
		int64_t seconds, micro;
	} wide = {7, 250000};
	socklen_t len = sizeof(tv);

	about("%s%d %s", type == SOCK_STREAM ? "tcp" : "udp", digit(af), text);
	TRY("at first", getsockopt(fd, SOL_SOCKET, name, &tv, &len));
	say("at first: it", "%ld.%06ld, %u bytes", tv.tv_sec, tv.tv_usec, len);
	tv = (struct timeval){3, 500000};
	TRY("set", setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)));
	tv = (struct timeval){0};
	TRY("get", getsockopt(fd, SOL_SOCKET, name, &tv, &len));
	say("get: it", "%ld.%06ld", tv.tv_sec, tv.tv_usec);
	len = 8;
	tv = (struct timeval){0};
	TRY("get, short", getsockopt(fd, SOL_SOCKET, name, &tv, &len));
	say("get, short: it", "%ld.%06ld, %u bytes", tv.tv_sec, tv.tv_usec, len);
	TRY("set, short", setsockopt(fd, SOL_SOCKET, name, &tv, 8));
	tv.tv_usec = 1000000;
	TRY("a second in microseconds", setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)));
	tv = (struct timeval){-1, 0};
	TRY("negative", setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)));
	TRY("bad address", setsockopt(fd, SOL_SOCKET, name, bad_address(), sizeof(tv)));
	/* SO_RCVTIMEO_NEW and SO_SNDTIMEO_NEW */
	TRY("the new number",
	    setsockopt(fd, SOL_SOCKET, name == SO_RCVTIMEO ? 66 : 67, &wide, sizeof(wide)));
	len = sizeof(tv);
	TRY("get then", getsockopt(fd, SOL_SOCKET, name, &tv, &len));
	say("get then: it", "%ld.%06ld", tv.tv_sec, tv.tv_usec);
	close(fd);
}

static void receiving(int af, int type)
{
	char c;
	int fd[2];
	struct iovec iov = {&c, 1};
	struct mmsghdr many = {.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}};

	about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
	if (type == SOCK_STREAM)
		stream_pair(af, fd);
	else
		datagram_pair(af, fd);
	set_time_limit(fd[0], SO_RCVTIMEO, LIMIT_MS);
	TIMED("recv", recv(fd[0], &c, 1, 0));
	TIMED("read", read(fd[0], &c, 1));
	TIMED("recvmsg", recvmsg(fd[0], &many.msg_hdr, 0));
	TIMED("recvmmsg", recvmmsg(fd[0], &many, 1, 0, NULL));
	TRY("recv with MSG_DONTWAIT", recv(fd[0], &c, 1, MSG_DONTWAIT));
	MUST(send(fd[1], "x", 1, 0));
	readable(fd[0]);
	TRY("recv when something comes", recv(fd[0], &c, 1, 0));
	if (type == SOCK_STREAM) {
		MUST(send(fd[1], "x", 1, 0));
		wait_bytes(fd[0], 1);
		TIMED("MSG_WAITALL of more", recv(fd[0], (char[4]){0}, 4, MSG_WAITALL));
	}
	close_pair(fd);
}

static void sending(int af)
{
	static char much[MUCH];
	int fd[2];
	int64_t start;
	ssize_t n;

	about("tcp%d", digit(af));
	stream_pair(af, fd);
	set_time_limit(fd[0], SO_SNDTIMEO, LIMIT_MS);
	start = now_ms();
	n = send(fd[0], much, sizeof(much), 0);
	say("send of much", "%s", n > 0 && n < (ssize_t)sizeof(much) ? "some of it" : "not so");
	say("send of much, in time", "%d", now_ms() - start >= LIMIT_MS - 10);
	fill(fd[0]);
	TIMED("send of more", send(fd[0], much, 1, 0) < 0 && errno == EAGAIN);
	TRY("send with MSG_DONTWAIT", send(fd[0], much, 1, MSG_DONTWAIT));
	TIMED("write", write(fd[0], much, 1));
	close_pair(fd);
}

static void accepting(int af)
{
	struct addr addr;
	int at = listener(af, 0, &addr), fd, conn;
	struct timeval tv = {0};
	socklen_t len = sizeof(tv);

	about("tcp%d", digit(af));
	set_time_limit(at, SO_RCVTIMEO, LIMIT_MS);
	TIMED("accept", accept(at, NULL, NULL));
	TIMED("accept4", accept4(at, NULL, NULL, SOCK_NONBLOCK));
	fd = new_socket(af, SOCK_STREAM);
	MUST(connect(fd, ADDR(&addr)));
	conn = TRY_FD("accept when a client connects", accept(at, NULL, NULL));
	TRY("it has the limit", getsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &tv, &len));
	say("which is", "%ld.%06ld", tv.tv_sec, tv.tv_usec);
	close(fd);
	close(conn);
	close(at);
}

/* No connection is accepted, so connect() waits. */
static void connecting(int af)
{
	struct addr slow = slow_addr(af, 0);
	int fd;

	about("tcp%d", digit(af));
	slow_fill();
	fd = new_socket(af, SOCK_STREAM);
	set_time_limit(fd, SO_SNDTIMEO, LIMIT_MS);
	TIMED("connect", connect(fd, ADDR(&slow)));
	TRY("connect again", connect(fd, ADDR(&slow)));
	say("in between", "%s", events_text(all_events(fd)));
	TRY("getpeername", getpeername(fd, &(struct sockaddr){0}, &(socklen_t){0}));
	slow_let_in();
	say("made in the end", "%s", events_with(fd, POLLOUT));
	TRY("connect in the end", connect(fd, ADDR(&slow)));
	TRY("connect after the end", connect(fd, ADDR(&slow)));
	say("it works", "%s", exchange(fd, fd));
	close(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
			values(af, type, SO_RCVTIMEO, "SO_RCVTIMEO");
			values(af, type, SO_SNDTIMEO, "SO_SNDTIMEO");
			receiving(af, type);
		}
		sending(af);
		accepting(af);
		connecting(af);
	}
	return 0;
}
