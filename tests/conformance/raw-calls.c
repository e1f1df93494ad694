/* SPDX-License-Identifier: Apache-2.0 */
/* raw-calls.c - the same calls by syscall() and their numbers, as some languages make them */
#include "tests/conformance/conform.h"

static void streams(int af)
{
	struct addr addr = loopback(af, 0), from = {.len = sizeof(from.storage)};
	int at, fd, conn, value = 0, one = 1, error = 0;
	socklen_t len = sizeof(value);
	char buf[16] = "";
	struct iovec iov = {buf, 8};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	about("tcp%d", digit(af));
	TRY("socket", (at = (int)syscall(SYS_socket, af, SOCK_STREAM | SOCK_CLOEXEC, 0)) >= 0);
	leak_check(at);
	TRY("setsockopt", syscall(SYS_setsockopt, at, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	TRY("getsockopt", syscall(SYS_getsockopt, at, SOL_SOCKET, SO_REUSEADDR, &value, &len));
	say("getsockopt: it", "%d", value);
	TRY("bind", syscall(SYS_bind, at, ADDR(&addr)));
	addr.len = sizeof(addr.storage);
	TRY("getsockname", syscall(SYS_getsockname, at, &addr.sa, &addr.len));
	say("getsockname: it", "%s", text_of(&addr));
	TRY("listen", syscall(SYS_listen, at, 3));
	fd = (int)syscall(SYS_socket, af, SOCK_STREAM, 0);
	TRY("connect", syscall(SYS_connect, fd, ADDR(&addr)));
	TRY("accept4",
	    (conn = (int)syscall(SYS_accept4, at, &from.sa, &from.len, SOCK_CLOEXEC)) >= 0);
	say("accept4: from", "%s", text_of(&from));
	from.len = sizeof(from.storage);
	TRY("getpeername", syscall(SYS_getpeername, fd, &from.sa, &from.len));
	say("getpeername: it", "%d", same_addr(&from, &addr));
	TRY("sendto", syscall(SYS_sendto, fd, "abc", 3, 0, NULL, 0));
	readable(conn);
	TRY("recvfrom", syscall(SYS_recvfrom, conn, buf, 8, 0, NULL, NULL));
	TRY("write", syscall(SYS_write, conn, "defg", 4));
	readable(fd);
	TRY("read", syscall(SYS_read, fd, buf, 8));
	TRY("sendmsg", syscall(SYS_sendmsg, fd, &msg, 0));
	readable(conn);
	TRY("recvmsg", syscall(SYS_recvmsg, conn, &msg, 0));
	TRY("FIONREAD", (errno = 0, syscall(SYS_ioctl, conn, FIONREAD, &value)));
	TRY("shutdown", syscall(SYS_shutdown, fd, SHUT_WR));
	readable(conn);
	TRY("read at the end", syscall(SYS_read, conn, buf, 8));
	TRY("accept, bad descriptor", syscall(SYS_accept, -1, NULL, NULL));
	TRY("connect twice", syscall(SYS_connect, fd, ADDR(&addr)));
	close(fd);
	fd = (int)syscall(SYS_socket, af, SOCK_STREAM | SOCK_NONBLOCK, 0);
	close(at);
	if (syscall(SYS_connect, fd, ADDR(&addr)) < 0)
		error = errno;
	say("connect, not blocking", "%d", error == EINPROGRESS || error == ECONNREFUSED);
	close(fd);
	close(conn);
}

static void datagrams(int af)
{
	struct addr addr[2], from = {.len = sizeof(from.storage)};
	char buf[16] = "", out[] = "xyz";
	struct iovec iov = {out, 3};
	struct mmsghdr many = {0};
	int fd[2];

	about("udp%d", digit(af));
	for (int i = 0; i < 2; i++) {
		fd[i] = (int)syscall(SYS_socket, af, SOCK_DGRAM, 0);
		leak_check(fd[i]);
		addr[i] = loopback(af, 0);
		TRY(i ? "bind" : "bind, first", syscall(SYS_bind, fd[i], ADDR(&addr[i])));
		addr[i] = name_of(fd[i]);
	}
	TRY("sendto", syscall(SYS_sendto, fd[0], "abc", 3, 0, ADDR(&addr[1])));
	readable(fd[1]);
	TRY("recvfrom", syscall(SYS_recvfrom, fd[1], buf, 16, 0, &from.sa, &from.len));
	say("recvfrom: the sender", "%d", same_addr(&from, &addr[0]));
	many.msg_hdr = (struct msghdr){.msg_iov = &iov, .msg_iovlen = 1};
	many.msg_hdr.msg_name = &addr[1].storage;
	many.msg_hdr.msg_namelen = addr[1].len;
	TRY("sendmmsg", syscall(SYS_sendmmsg, fd[0], &many, 1, 0));
	readable(fd[1]);
	many.msg_hdr.msg_name = &from.storage;
	many.msg_hdr.msg_namelen = sizeof(from.storage);
	TRY("recvmmsg", syscall(SYS_recvmmsg, fd[1], &many, 1, 0, NULL));
	from.len = many.msg_hdr.msg_namelen;
	say("recvmmsg: the sender", "%d", same_addr(&from, &addr[0]));
	TRY("connect", syscall(SYS_connect, fd[0], ADDR(&addr[1])));
	TRY("write", syscall(SYS_write, fd[0], "connected", 9));
	readable(fd[1]);
	TRY("read", syscall(SYS_read, fd[1], buf, 16));
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		streams(af);
		datagrams(af);
	}
	/* Calls that are not about sockets go to the kernel unchanged. */
	about("others");
	TRY("getpid", syscall(SYS_getpid) == getpid());
	TRY("a number that is none", syscall(99999));
	TRY("a UNIX socket", syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0) >= 0);
	return 0;
}
