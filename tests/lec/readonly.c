/* SPDX-License-Identifier: Apache-2.0 */
/* readonly.c - results of LE/C functions where nothing can be written: EFAULT, and no signal */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <vsesock.h>

#include "pair.h"

/* In the program's constants. */
static const unsigned char zeros[256];
static const int sixteen = 16;
static const struct pollfd none = {.fd = -1};

static void *fixed(const void *at)
{
	return (void *)(uintptr_t)at;
}

static void names(void)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
	struct in_addr four = {htonl(INADDR_LOOPBACK)};
	union address addr;

	FAILS(gethostname(fixed(zeros), 256), EFAULT);
	FAILS(getclientid(AF_INET, fixed(zeros)), EFAULT);
	FAILS(inet_pton(AF_INET, "127.0.0.1", fixed(zeros)), EFAULT);
	errno = 0;
	CHECK(!inet_ntop(AF_INET, &four, fixed(zeros), 16) && errno == EFAULT);
	CHECK(getaddrinfo("127.0.0.1", NULL, &hints, fixed(zeros)) == EAI_SYSTEM &&
	      errno == EFAULT);
	family = AF_INET;
	errno = 0;
	CHECK(getnameinfo(&addr.any, loopback(&addr, 7), fixed(zeros), 64, NULL, 0,
			  NI_NUMERICHOST) == EAI_SYSTEM &&
	      errno == EFAULT);
}

static void sockets(void)
{
	struct timeval at_once = {0, 0};
	struct iovec iov;
	union address addr;
	int ends[2], len = sizeof(addr), s, t;
	char data[8];
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	static const struct msghdr nothing;
	in_port_t port;

	make_pair(ends);
	FAILS(getsockname(ends[0], fixed(zeros), &len), EFAULT);
	FAILS(getsockname(ends[0], &addr.any, fixed(&sixteen)), EFAULT);
	FAILS(getpeername(ends[0], fixed(zeros), &len), EFAULT);
	len = 4;
	FAILS(getsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, fixed(zeros), &len), EFAULT);
	FAILS(ioctl(ends[0], FIONREAD, fixed(zeros)), EFAULT);
	FAILS(select(32, fixed(zeros), NULL, NULL, &at_once), EFAULT);
	FAILS(poll(fixed(&none), 1, 0), EFAULT);
	CHECK(send(ends[0], "data", 4, 0) == 4);
	FAILS(recv(ends[1], fixed(zeros), 4, 0), EFAULT);
	FAILS(recvmsg(ends[1], fixed(&nothing), 0), EFAULT);
	iov.iov_base = data;
	iov.iov_len = sizeof(data);
	msg.msg_name = fixed(zeros);
	msg.msg_namelen = 16;
	FAILS(recvmsg(ends[1], &msg, 0), EFAULT);
	/* Nothing is lost. */
	CHECK(recv(ends[1], data, 4, 0) == 4);
	close_pair(ends);

	s = make_listener(&port);
	t = socket(family, SOCK_STREAM, 0);
	CHECK(connect(t, &addr.any, loopback(&addr, port)) == 0);
	len = 16;
	FAILS(accept(s, fixed(zeros), &len), EFAULT);
	ends[0] = accept(s, NULL, NULL);
	CHECK(ends[0] >= 0 && close(ends[0]) == 0 && close(s) == 0 && close(t) == 0);

	s = socket(family, SOCK_DGRAM, 0);
	CHECK(bind(s, &addr.any, loopback(&addr, 0)) == 0);
	CHECK(sendto(s, "data", 4, 0, &addr.any, loopback(&addr, port_of(s))) == 4);
	len = 16;
	FAILS(recvfrom(s, data, 8, 0, fixed(zeros), &len), EFAULT);
	FAILS(recvfrom(s, data, 8, 0, &addr.any, fixed(&sixteen)), EFAULT);
	CHECK(recv(s, data, 8, 0) == 4 && close(s) == 0);
}

/* VSETASK and EZASTRUE, as COBOL calls them. */
static void tasks(void)
{
	unsigned char number[4] = {0}, retcode[4] = {0};
	static const unsigned char task[4] = {0, 0, 0, 0}, end[10] = "EZATRUE T";

	CHECK(VSETASK("BEGIN   ", "        ", fixed(zeros), retcode) == 0);
	CHECK(!memcmp(retcode, "\xFF\xFF\xFF\xFF", 4) && vse_task_current() == 0);
	CHECK(VSETASK("BEGIN   ", "        ", number, fixed(zeros)) == 0);
	CHECK(!memcmp(number, "\0\0\0\0", 4) && vse_task_current() == 0);
	CHECK(VSETASK("CURRENT ", "        ", fixed(zeros), retcode) == 0);
	CHECK(!memcmp(retcode, "\xFF\xFF\xFF\xFF", 4));
	CHECK(VSETASK(bad, bad, number, retcode) == 0);
	CHECK(!memcmp(retcode, "\xFF\xFF\xFF\xFF", 4));
	CHECK(VSETASK("BEGIN   ", bad, number, retcode) == 0);
	CHECK(!memcmp(retcode, "\xFF\xFF\xFF\xFF", 4) && vse_task_current() == 0);
	CHECK(VSETASK("END     ", "        ", bad, retcode) == 0);
	CHECK(!memcmp(retcode, "\xFF\xFF\xFF\xFF", 4));
	CHECK(VSETASK("CURRENT ", "        ", number, bad) == 0);
	/* Arguments that are only read may be constants. */
	CHECK(VSETASK("SWITCH  ", "        ", fixed(task), retcode) == 0);
	CHECK(!memcmp(retcode, "\0\0\0\0", 4));
	CHECK(EZASTRUE(fixed(end)) == 0 && EZASTRUE(bad) == 0);
}

int main(void)
{
	names();
	family = AF_INET;
	sockets();
	tasks();
	return finish();
}
