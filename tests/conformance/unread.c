/* SPDX-License-Identifier: Apache-2.0 */
/* unread.c - TCP_INQ: recvmsg() tells how much is still unread */
#include "tests/conformance/conform.h"

#ifndef SO_INQ
#define SO_INQ 84
#endif

static int set(int fd, int value)
{
	return set_option(fd, IPPROTO_TCP, TCP_INQ, value);
}

static int get(int fd)
{
	return get_option(fd, IPPROTO_TCP, TCP_INQ);
}

/* Do UNIX sockets? LFP has it from them. */
static bool kernel_tells(void)
{
	int fd[2];
	bool tells;

	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	tells = !set_option(fd[0], SOL_SOCKET, SO_INQ, 1);
	close_pair(fd);
	return tells;
}

static void say_message(const char *what, ssize_t n, struct msghdr *msg)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);
	bool is = cmsg && cmsg->cmsg_level == IPPROTO_TCP && cmsg->cmsg_type == TCP_CM_INQ &&
		  cmsg->cmsg_len == CMSG_LEN(sizeof(int));
	int unread = -1;

	if (is)
		memcpy(&unread, CMSG_DATA(cmsg), sizeof(unread));
	say(what, "%zd %s, flags %x, %zu bytes, %s %d%s", n < 0 ? -1 : n,
	    error_name(n < 0 ? errno : 0), (unsigned int)msg->msg_flags,
	    n < 0 ? 0 : (size_t)msg->msg_controllen,
	    cmsg ? is ? "unread" : "another message" : "no message", unread,
	    is && CMSG_NXTHDR(msg, cmsg) ? ", more" : "");
}

/* @room: of the buffer for control messages, at most 64 */
static void take(const char *what, int fd, size_t len, size_t room, int flags)
{
	union {
		char buf[64];
		struct cmsghdr align;
	} control;
	char buf[16];
	struct iovec iov = {buf, len};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = room ? &control : NULL,
		.msg_controllen = room,
	};

	say_message(what, recvmsg(fd, &msg, flags | MSG_DONTWAIT), &msg);
}

static void take_many(int fd)
{
	union {
		char buf[64];
		struct cmsghdr align;
	} control[2];
	char buf[2][2];
	struct iovec iov[2] = {{buf[0], 2}, {buf[1], 2}};
	struct mmsghdr msgs[2];
	int nr;

	memset(msgs, 0, sizeof(msgs));
	for (int i = 0; i < 2; i++)
		msgs[i].msg_hdr = (struct msghdr){.msg_iov = &iov[i],
						  .msg_iovlen = 1,
						  .msg_control = &control[i],
						  .msg_controllen = sizeof(control[i])};
	nr = (int)TRY("recvmmsg", recvmmsg(fd, msgs, 2, MSG_DONTWAIT, NULL));
	for (int i = 0; i < nr; i++)
		say_message(i ? "recvmmsg: second" : "recvmmsg: first", msgs[i].msg_len,
			    &msgs[i].msg_hdr);
}

static void values(int af)
{
	int fd = new_socket(af, SOCK_STREAM);

	about("tcp%d value", digit(af));
	TRY("of a new socket", get(fd));
	TRY("2", set(fd, 2));
	TRY("-1", set(fd, -1));
	TRY("of one byte", setsockopt(fd, IPPROTO_TCP, TCP_INQ, "\1", 1));
	TRY("of an address that is none",
	    setsockopt(fd, IPPROTO_TCP, TCP_INQ, bad_address(), sizeof(int)));
	TRY("1", set(fd, 1));
	TRY("1: it", get(fd));
	TRY("0", set(fd, 0));
	TRY("0: it", get(fd));
	close(fd);
	fd = new_socket(af, SOCK_DGRAM);
	about("udp%d value", digit(af));
	TRY("of a new socket", get(fd));
	TRY("1", set(fd, 1));
	close(fd);
}

static void tells(int af)
{
	int fd[2];

	about("tcp%d", digit(af));
	stream_pair(af, fd);
	MUST(send(fd[0], "hello, world of sockets", 23, 0));
	wait_bytes(fd[1], 23);
	take("without it", fd[1], 1, 64, 0);
	TRY("set", set(fd[1], 1));
	take("peek", fd[1], 4, 64, MSG_PEEK);
	take("nothing is asked for", fd[1], 0, 64, 0);
	take("some", fd[1], 4, 64, 0);
	take("no room", fd[1], 4, 0, 0);
	take("too little room", fd[1], 2, 8, 0);
	take("room for it alone", fd[1], 2, CMSG_SPACE(sizeof(int)), 0);
	take_many(fd[1]);
	take("thrown away", fd[1], 2, 64, MSG_TRUNC);
	take("the rest", fd[1], 16, 64, 0);
	take("none", fd[1], 16, 64, 0);
	TRY("unset", set(fd[1], 0));
	MUST(send(fd[0], "more", 4, 0));
	wait_bytes(fd[1], 4);
	take("unset: some", fd[1], 2, 64, 0);
	TRY("set again", set(fd[1], 1));
	shutdown(fd[0], SHUT_WR);
	events_with(fd[1], POLLRDHUP);
	take("before the end", fd[1], 1, 64, 0);
	take("with the end", fd[1], 1, 64, 0);
	take("at the end", fd[1], 4, 64, 0);
	take("at the end, nothing is asked for", fd[1], 0, 64, 0);
	close_pair(fd);
}

static void inherited(int af)
{
	struct addr addr;
	int at = listener(af, 0, &addr), fd, conn;

	about("tcp%d listener", digit(af));
	TRY("set", set(at, 1));
	fd = new_socket(af, SOCK_STREAM);
	MUST(connect(fd, ADDR(&addr)));
	conn = (int)MUST(accept(at, NULL, NULL));
	TRY("accepted: it", get(conn));
	MUST(send(fd, "abc", 3, 0));
	wait_bytes(conn, 3);
	take("accepted", conn, 1, 64, 0);
	close(conn);
	close(fd);
	close(at);
}

/* Refused, and then connected: on LFP with another near end. */
static void again(int af)
{
	struct addr none = nobody(af), addr;
	int at = listener(af, 0, &addr), fd = new_socket(af, SOCK_STREAM), conn;

	about("tcp%d connects again", digit(af));
	TRY("set", set(fd, 1));
	set_blocking(fd, false);
	TRY("is begun", connect(fd, ADDR(&none)));
	events_with(fd, POLLERR | POLLHUP);
	TRY("is refused", connect(fd, ADDR(&none)));
	set_blocking(fd, true);
	TRY("connect", connect(fd, ADDR(&addr)));
	set_blocking(at, false);
	readable(at);
	conn = (int)MUST(accept(at, NULL, NULL));
	TRY("it", get(fd));
	MUST(send(conn, "abc", 3, 0));
	wait_bytes(fd, 3);
	take("some", fd, 1, 64, 0);
	close(conn);
	close(fd);
	close(at);
}

/* A UNIX socket of the program's own still reports SCM_INQ as before. */
static void of_unix(void)
{
	int fd[2];

	about("unix");
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	TRY("set", set_option(fd[1], SOL_SOCKET, SO_INQ, 1));
	MUST(send(fd[0], "abc", 3, 0));
	take("some", fd[1], 1, 64, 0);
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	if (kernel_tells())
		of_unix();
	EACH_FAMILY(af)
	{
		values(af);
		tells(af);
		inherited(af);
		again(af);
	}
	return 0;
}
