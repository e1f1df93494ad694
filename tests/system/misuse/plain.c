/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c - socket calls, and near ends that programs pass to each other */
#include "tests/system/misuse/misuse.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Passes a near end to another program, or to itself. */
static void mail(struct actor *actor, int fd)
{
	struct sockaddr_un addr = mailbox_addr(pick(actor, MAILBOXES));
	char byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = &iov, .msg_iovlen = 1};
	union control control;

	put_fd(&msg, &control, fd);
	result(sendmsg(mailbox, &msg, MSG_DONTWAIT | MSG_NOSIGNAL));
}

int get_mail(void)
{
	char byte;
	struct iovec iov = {&byte, 1};
	union control control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};

	return recvmsg(mailbox, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0 ? -1 : take_fd(&msg);
}

void be_quick(long (*set)(long, ...), int fd)
{
	const struct timeval soon = {.tv_usec = 10000};

	if (set) {
		(void)set(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
		(void)set(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
		return;
	}
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
}

int make(struct actor *actor)
{
	int fd = socket(AF_INET, SOCK_STREAM | (pick(actor, 2) ? SOCK_NONBLOCK : 0), 0), yes = 1;

	result(fd);
	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	be_quick(NULL, fd);
	return fd;
}

static void connect_somewhere(struct actor *actor, int fd)
{
	struct sockaddr_in addr = port_after(0);

	switch (pick(actor, 8)) {
	case 0:
		addr.sin_family = AF_UNSPEC;
		break;
	case 1:
		addr = port_after(1); /* nobody listens there */
		break;
	case 2:
		addr = port_after(2 + pick(actor, PORTS));
		break;
	case 3:
		addr.sin_port = 0;
		break;
	}
	actor->doing = "connect";
	result(connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
}

static void transfer(struct actor *actor, int fd)
{
	char buf[30000] = "";
	int bytes;

	switch (pick(actor, 8)) {
	case 0:
		result(send(fd, "!", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL));
		break;
	case 1:
		result(recv(fd, buf, 1, MSG_OOB | MSG_DONTWAIT));
		break;
	case 2:
		result(recv(fd, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT));
		break;
	case 3:
		result(ioctl(fd, FIONREAD, &bytes));
		break;
	case 4:
	case 5:
		result(recv(fd, buf, pick(actor, sizeof(buf)), MSG_DONTWAIT));
		break;
	default:
		result(send(fd, buf, pick(actor, sizeof(buf)), MSG_DONTWAIT | MSG_NOSIGNAL));
	}
}

static void ask(struct actor *actor, int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int value = 0;

	switch (pick(actor, 5)) {
	case 0:
		result(getsockname(fd, (struct sockaddr *)&addr, &len));
		break;
	case 1:
		result(getpeername(fd, (struct sockaddr *)&addr, &len));
		break;
	case 2:
		len = sizeof(value);
		result(getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &len));
		break;
	case 3:
		value = 1;
		result(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value)));
		break;
	default:
		value = O_RDWR | (pick(actor, 2) ? O_NONBLOCK : 0);
		result(fcntl(fd, F_SETFL, value));
	}
}

int plain_call(struct actor *actor, int fd)
{
	int fresh = -1;
	const struct linger now = {.l_onoff = 1};
	struct sockaddr_in addr;

	switch (pick(actor, 20)) {
	case 9:
		fresh = dup(fd);
		break;
	case 10:
	case 11:
		actor->doing = "accept";
		fresh = accept4(fd, NULL, NULL, pick(actor, 2) ? SOCK_NONBLOCK : 0);
		result(fresh);
		break;
	case 0:
		addr = port_after(2 + pick(actor, PORTS));
		result(bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
		break;
	case 1:
		result(listen(fd, (int)pick(actor, 8)));
		break;
	case 2:
	case 3:
	case 4:
		connect_somewhere(actor, fd);
		break;
	case 5:
		result(shutdown(fd, (int)pick(actor, 4)));
		break;
	case 6:
		mail(actor, fd);
		break;
	case 7:
		result(setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)));
		break;
	case 8:
		ask(actor, fd);
		break;
	default:
		transfer(actor, fd);
	}
	return fresh;
}
