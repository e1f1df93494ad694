/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - raw calls on near ends in any state, as a program makes them past the library */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/campaign/machines/machines.h"

/* Takes data, or an accept record with a descriptor in it. */
static void take(struct world *w, int fd)
{
	char buf[3000];
	struct iovec iov = {buf, pick(w, 2) ? sizeof(struct lfp_accept_record)
					    : 1 + pick(w, sizeof(buf) - 1)};
	union {
		struct cmsghdr head;
		char buf[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	int got = -1;

	if (recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0 ||
	    msg.msg_controllen < CMSG_LEN(sizeof(int)) || control.head.cmsg_type != SCM_RIGHTS)
		return;
	memcpy(&got, CMSG_DATA(&control.head), sizeof(int));
	if (pick(w, 4)) /* accept() leaves this byte */
		(void)send(got, "!", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL);
	put(&w->near[pick(w, NEAR_ENDS)], got);
}

static void connect_to_another(struct world *w, int fd)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);

	if (getsockname(w->near[some(w, w->near, NEAR_ENDS)], (struct sockaddr *)&name, &len) == 0)
		(void)connect(fd, (struct sockaddr *)&name, len);
}

/* Sends a descriptor to the instance, which must not keep it. */
static void pass(struct world *w, int fd)
{
	char byte = 'x';
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr head;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.head), &w->near[some(w, w->near, NEAR_ENDS)], sizeof(int));
	(void)sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void step_near(struct world *w)
{
	unsigned int slot = some(w, w->near, NEAR_ENDS), what = pick(w, 16);
	static char buf[40000];
	int fd = w->near[slot];

	told(w, "near end %u: call %u", slot, what);
	switch (what) {
	case 0:
		connect_to_another(w, fd);
		break;
	case 1:
		(void)shutdown(fd, (int)pick(w, 3));
		break;
	case 2:
		(void)send(fd, "!", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 3:
		pass(w, fd);
		break;
	case 4:
		(void)listen(fd, 3);
		break;
	case 5:
		put(&w->near[pick(w, NEAR_ENDS)], accept4(fd, NULL, NULL, SOCK_NONBLOCK));
		break;
	case 6:
		put(&w->near[pick(w, NEAR_ENDS)], fd < 0 ? -1 : dup(fd));
		break;
	case 7:
	case 8:
		put(&w->near[slot], -1);
		break;
	case 9:
		(void)recv(fd, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT);
		break;
	case 10:
	case 11:
		(void)send(fd, buf, 1 + pick(w, sizeof(buf) - 1), MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 12:
		(void)recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		break;
	default:
		take(w, fd);
	}
}
