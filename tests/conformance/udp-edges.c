/* SPDX-License-Identifier: Apache-2.0 */
/* udp-edges.c - a number that was a stream, as many pieces as may be, bad memory, an error between
 * two datagrams */
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "tests/conformance/conform.h"

#define PIECES 1024 /* UIO_MAXIOV */

enum way { BY_DUP, BY_DUP2, BY_DUP3, BY_FCNTL, BY_RIGHTS, BY_SYSCALL, WAYS };

static const char *const ways[] = {"dup", "dup2", "dup3", "F_DUPFD", "SCM_RIGHTS", "syscall"};

static int by_rights(int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.align = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	char c = 'd';
	struct iovec iov = {&c, 1};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	int channel[2], got = -1;

	memcpy(CMSG_DATA(&control.align), &fd, sizeof(int));
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, channel));
	/* So that the number is the lowest that is free again. */
	MUST(dup2(channel[0], 150));
	MUST(dup2(channel[1], 151));
	close_pair(channel);
	MUST(sendmsg(150, &msg, 0));
	memset(control.bytes, 0, sizeof(control.bytes));
	MUST(recvmsg(151, &msg, 0));
	memcpy(&got, CMSG_DATA(&control.align), sizeof(int));
	close(150);
	close(151);
	return got;
}

/* A number that was used for a stream becomes that of a datagram socket. */
static int become(enum way how, int stream, int fd)
{
	if (how == BY_DUP2)
		return dup2(fd, stream);
	if (how == BY_DUP3)
		return dup3(fd, stream, O_CLOEXEC);
	if (how == BY_SYSCALL)
		return (int)syscall(SYS_dup3, fd, stream, 0);
	close(stream);
	if (how == BY_DUP)
		return dup(fd);
	if (how == BY_FCNTL)
		return fcntl(fd, F_DUPFD, stream);
	return by_rights(fd);
}

static void changed(int af)
{
	for (enum way how = BY_DUP; how < WAYS; how++) {
		int stream = new_socket(af, SOCK_STREAM), fd[2], number;
		struct addr from = {.len = sizeof(from.storage)}, addr[2];
		struct iovec iov = {&(char){0}, 1};
		struct msghdr msg = {
			.msg_name = &from.storage,
			/* No room for the name of a UNIX socket. */
			.msg_namelen = af == AF_INET ? sizeof(from.in) : sizeof(from.in6),
			.msg_iov = &iov,
			.msg_iovlen = 1,
		};
		struct mmsghdr many = {.msg_hdr = msg};

		about("udp%d over tcp%d by %s", digit(af), digit(af), ways[how]);
		(void)!send(stream, "", 0, MSG_NOSIGNAL);
		(void)!sendmsg(stream, &(struct msghdr){0}, MSG_NOSIGNAL);
		fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
		fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
		number = become(how, stream, fd[1]);
		say("the number", "%d", number == stream);
		MUST(sendto(fd[0], "x", 1, 0, ADDR(&addr[1])));
		MUST(sendto(fd[0], "y", 1, 0, ADDR(&addr[1])));
		TRY("recvmsg", recvmsg(number, &msg, 0));
		from.len = msg.msg_namelen;
		say("recvmsg from the sender", "%d", same_addr(&from, &addr[0]));
		memset(&from.storage, 0, sizeof(from.storage));
		TRY("recvmmsg", recvmmsg(number, &many, 1, 0, NULL));
		from.len = many.msg_hdr.msg_namelen;
		say("recvmmsg from the sender", "%d", same_addr(&from, &addr[0]));
		close(number);
		close_pair(fd);
	}
}

/* pidfd_getfd(2) is not interposed: ancillary descriptors of a datagram must not stay open then. */
static void unseen(int af)
{
	int stream = new_socket(af, SOCK_STREAM), self = pidfd_open(getpid(), 0), fd[2], number,
	    low;
	union {
		struct cmsghdr align;
		char bytes[256];
	} control;
	char c;
	struct iovec iov = {&c, 1};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control),
	};

	about("udp%d over tcp%d by pidfd_getfd", digit(af), digit(af));
	MUST(self);
	(void)!sendmsg(stream, &(struct msghdr){0}, MSG_NOSIGNAL);
	datagram_pair(af, fd);
	if (af == AF_INET)
		MUST(set_option(fd[1], IPPROTO_IP, IP_RECVTTL, 1));
	else
		MUST(set_option(fd[1], IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1));
	MUST(send(fd[0], "x", 1, 0));
	say("a datagram", "%d", readable(fd[1]));
	close(stream);
	number = pidfd_getfd(self, fd[1], 0);
	say("the number", "%d", number == stream);
	low = dup(self);
	close(low);
	TRY("recvmsg", recvmsg(number, &msg, 0));
	say("no descriptor is left", "%d", dup(self) == low);
	close(low);
	close(number);
	close(self);
	close_pair(fd);
}

static void pieces(int af)
{
	static char data[PIECES], got[PIECES + 1];
	static struct iovec iov[PIECES + 1];
	struct addr addr[2];
	int fd[2];
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = PIECES};

	about("udp%d pieces", digit(af));
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	pattern((unsigned char *)data, sizeof(data), 7);
	for (size_t i = 0; i < PIECES; i++)
		iov[i] = (struct iovec){data + i, 1};
	iov[PIECES] = iov[0];
	msg.msg_name = &addr[1].storage;
	msg.msg_namelen = addr[1].len;
	TRY("1024", sendmsg(fd[0], &msg, 0));
	if (readable(fd[1]))
		TRY("they", recv(fd[1], got, sizeof(got), MSG_DONTWAIT));
	say("as sent", "%d", !memcmp(got, data, sizeof(data)));
	iov[100].iov_len = 0;
	TRY("1024, one is empty", sendmsg(fd[0], &msg, 0));
	if (readable(fd[1]))
		TRY("these", recv(fd[1], got, sizeof(got), MSG_DONTWAIT));
	say("as sent then", "%d",
	    !memcmp(got, data, 100) && !memcmp(got + 100, data + 101, PIECES - 101));
	for (size_t i = 0; i < PIECES; i++)
		iov[i] = (struct iovec){bad_address(), 1};
	TRY("1024 bad ones", sendmsg(fd[0], &msg, 0));
	msg.msg_iovlen = PIECES + 1;
	TRY("1025", sendmsg(fd[0], &msg, 0));
	TRY("1025 to receive", recvmsg(fd[0], &msg, MSG_DONTWAIT));
	msg.msg_iovlen = (size_t)1 << 40;
	TRY("very many", sendmsg(fd[0], &msg, 0));
	TRY("very many to receive", recvmsg(fd[0], &msg, MSG_DONTWAIT));
	close_pair(fd);
}

static void bad_memory(int af)
{
	struct addr addr[2];
	char buf[8] = "";
	struct iovec iov = {buf, 1}, bad = {bad_address(), 1};
	struct msghdr good = {.msg_iov = &iov, .msg_iovlen = 1}, msg;
	int fd[2];

	about("udp%d bad memory", digit(af));
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	good.msg_name = &addr[1].storage;
	good.msg_namelen = addr[1].len;
	msg = good;
	msg.msg_name = bad_address();
	TRY("sendmsg: name", sendmsg(fd[0], &msg, 0));
	msg = good;
	msg.msg_iov = bad_address();
	TRY("sendmsg: vector", sendmsg(fd[0], &msg, 0));
	msg = good;
	msg.msg_iov = &bad;
	TRY("sendmsg: piece", sendmsg(fd[0], &msg, 0));
	msg = good;
	msg.msg_control = bad_address();
	msg.msg_controllen = 64;
	TRY("sendmsg: control", sendmsg(fd[0], &msg, 0));
	TRY("sendmsg: message", sendmsg(fd[0], bad_address(), 0));
	TRY("sendto: name", sendto(fd[0], "x", 1, 0, bad_address(), addr[1].len));
	TRY("sendmmsg: messages", sendmmsg(fd[0], bad_address(), 1, 0));
	MUST(sendto(fd[0], "x", 1, 0, ADDR(&addr[1])));
	say("a datagram", "%d", readable(fd[1]));
	TRY("recvmsg: message", recvmsg(fd[1], bad_address(), MSG_DONTWAIT));
	TRY("recvmmsg: messages", recvmmsg(fd[1], bad_address(), 1, MSG_DONTWAIT, NULL));
	TRY("it is still there", recv(fd[1], buf, 1, MSG_DONTWAIT));
	close_pair(fd);
}

/* The payload of an entry of the error queue goes to bad memory. */
static void bad_error(int af)
{
	struct addr none = nobody(af);
	int fd = new_socket(af, SOCK_DGRAM | SOCK_NONBLOCK);
	struct iovec bad = {bad_address(), 64};
	struct msghdr msg = {.msg_iov = &bad, .msg_iovlen = 1};
	ssize_t rc = -1;

	about("udp%d bad memory", digit(af));
	MUST(af == AF_INET ? set_option(fd, IPPROTO_IP, IP_RECVERR, 1)
			   : set_option(fd, IPPROTO_IPV6, IPV6_RECVERR, 1));
	MUST(sendto(fd, "payload of nine words", 21, 0, ADDR(&none)));
	errno = EAGAIN;
	for (int i = 0; i < WAIT_MS && rc < 0 && errno == EAGAIN; i++) {
		pause_ms(1);
		rc = recvmsg(fd, &msg, MSG_ERRQUEUE);
	}
	say("error queue: piece", "%s", rc < 0 ? error_name(errno) : "taken");
	close(fd);
}

/* A process that sends to an unused port once the queued datagram has been taken. */
static pid_t spoiler(int fd)
{
	pid_t child = fork();

	if (child)
		return child;
	while (bytes_there(fd) > 0)
		pause_ms(1);
	(void)!send(fd, "x", 1, 0);
	_exit(0);
}

static void between(int af)
{
	char buf[2];
	struct iovec iov[2] = {{buf, 1}, {buf + 1, 1}};
	struct mmsghdr many[2] = {{.msg_hdr = {.msg_iov = &iov[0], .msg_iovlen = 1}},
				  {.msg_hdr = {.msg_iov = &iov[1], .msg_iovlen = 1}}};
	struct addr none = nobody(af), addr[2];
	int fd[2];
	pid_t child;

	about("udp%d an error after the first", digit(af));
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	MUST(sendto(fd[1], "x", 1, 0, ADDR(&addr[0])));
	say("a datagram", "%d", readable(fd[0]));
	MUST(connect(fd[0], ADDR(&none)));
	set_time_limit(fd[0], SO_RCVTIMEO, WAIT_MS);
	child = spoiler(fd[0]);
	TRY("recvmmsg", recvmmsg(fd[0], many, 2, 0, NULL));
	MUST(waitpid(child, NULL, 0));
	/* It waits for the next call. */
	say("SO_ERROR", "%s", socket_error(fd[0]));
	TRY("then", recv(fd[0], buf, 1, MSG_DONTWAIT));
	close_pair(fd);
}

/* Limits of time end the wait for the second one. */
static void limits(int af)
{
	struct iovec iov = {&(char){0}, 1};
	struct mmsghdr many[2] = {{.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}},
				  {.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}}};
	struct addr addr[2];
	int fd[2];

	about("udp%d one of two", digit(af));
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	for (int i = 0; i < 4; i++) {
		static const char *const names[] = {"SO_RCVTIMEO", "MSG_WAITFORONE", "MSG_DONTWAIT",
						    "O_NONBLOCK"};
		static const int flags[] = {0, MSG_WAITFORONE, MSG_DONTWAIT, 0};

		MUST(sendto(fd[1], "x", 1, 0, ADDR(&addr[0])));
		if (!readable(fd[0]))
			break;
		set_time_limit(fd[0], SO_RCVTIMEO, i ? 0 : NOTHING_MS);
		set_blocking(fd[0], i != 3);
		errno = 0;
		say(names[i], "%d", recvmmsg(fd[0], many, 2, flags[i], NULL));
	}
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		changed(af);
		unseen(af);
		pieces(af);
		bad_memory(af);
		bad_error(af);
		between(af);
		limits(af);
	}
	return 0;
}
