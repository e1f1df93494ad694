/* SPDX-License-Identifier: Apache-2.0 */
/* raw.c - system calls on near ends, past the library */
#include "tests/system/misuse/misuse.h"

#include <sys/syscall.h>

#include "lfp/ctl.h"

/* Sends through a near end, with the descriptor of another. */
static void raw_pass(struct actor *actor, int fd)
{
	char bytes[8] = "";
	struct iovec iov = {bytes, 1 + pick(actor, sizeof(bytes))};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union control control;

	put_fd(&msg, &control, pick(actor, 2) ? fd : some_fd(actor));
	result(bare(SYS_sendmsg, fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL));
}

/* Takes an accept record, or data, without the rest of accept(). Returns the descriptor, or -1. */
static int raw_take(struct actor *actor, int fd)
{
	char bytes[512];
	struct iovec iov = {bytes,
			    pick(actor, 3) ? sizeof(struct lfp_accept_record) : sizeof(bytes)};
	union control control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	long n = bare(SYS_recvmsg, fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	result(n);
	return n < 0 ? -1 : take_fd(&msg);
}

int raw_call(struct actor *actor, int fd)
{
	struct sockaddr_un addr = mailbox_addr(pick(actor, MAILBOXES));
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	char buf[3000] = "";

	switch (pick(actor, 12)) {
	case 0:
		actor->doing = "bare connect";
		/* To a name of its own, or of another near end. */
		if (pick(actor, 2) && bare(SYS_getsockname, some_fd(actor), &name, &len) == 0)
			result(bare(SYS_connect, fd, &name, len));
		else
			result(bare(SYS_connect, fd, &addr, sizeof(addr)));
		break;
	case 1:
		result(bare(SYS_shutdown, fd, pick(actor, 3)));
		break;
	case 2:
		result(bare(SYS_sendto, fd, "!", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL, NULL,
			    0));
		break;
	case 3:
		raw_pass(actor, fd);
		break;
	case 4:
		result(bare(SYS_getpeername, fd, &name, &len));
		break;
	case 5:
		result(bare(SYS_listen, fd, 3));
		break;
	case 6:
		result(bare(SYS_sendto, fd, buf, 1 + pick(actor, sizeof(buf) - 1),
			    MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0));
		break;
	case 7:
		result(bare(SYS_recvfrom, fd, buf, pick(actor, sizeof(buf)), MSG_DONTWAIT, NULL,
			    NULL));
		break;
	case 8:
		actor->doing = "bare accept";
		return (int)bare(SYS_accept4, fd, NULL, NULL, SOCK_NONBLOCK);
	case 9:
		name.ss_family = AF_UNSPEC;
		result(bare(SYS_connect, fd, &name, sizeof(sa_family_t)));
		break;
	default:
		return raw_take(actor, fd);
	}
	return -1;
}
