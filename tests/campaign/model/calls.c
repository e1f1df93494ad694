/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - requests of the program on the control channel, which it makes without the library */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lfp/places.h"
#include "tests/campaign/model/parties.h"

static struct sockaddr_un ctl;
struct lfp_ctl_reply reply;

void calls_begin(const char *root)
{
	char place[LFP_PLACE_MAX];

	setenv("LFP_ROOT", root, 1);
	if (lfp_place_vse(place, "01", "ctl") || lfp_unix_addr(&ctl, place))
		die("no place of the control channel");
}

bool is_ready(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, 0) == 1;
}

int call_send(uint16_t op, int a, unsigned int flags, const void *data, size_t len, int fd)
{
	static struct lfp_ctl_request r;
	union {
		struct cmsghdr head;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec iov = {&r, LFP_CTL_REQUEST_HEAD + len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	int conn = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	r = (struct lfp_ctl_request){.magic = LFP_CTL_MAGIC,
				     .op = op,
				     .flags = (uint16_t)flags,
				     .a = a,
				     .b = op == LFP_CTL_SOCKET ? SOCK_STREAM : 0,
				     .len = (uint32_t)len};
	if (len)
		memcpy(r.data, data, len);
	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(int));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
	}
	if (conn < 0 || connect(conn, (struct sockaddr *)&ctl, sizeof(ctl)) ||
	    sendmsg(conn, &msg, MSG_NOSIGNAL) < 0)
		die("a request cannot be sent");
	return conn;
}

int call_answer(int conn)
{
	union {
		struct cmsghdr head;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_type = 0}};
	struct iovec iov = {&reply, sizeof(reply)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(conn, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int fd = -1;

	if (n < (ssize_t)LFP_CTL_REPLY_HEAD) {
		say("a call has ended without an answer");
		reply.error = EIO;
		reply.value = 0;
	}
	if (msg.msg_controllen >= CMSG_LEN(sizeof(int)) && control.head.cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(&control.head), sizeof(int));
	return fd;
}

int call_now(uint16_t op, int a, const void *data, size_t len, int fd)
{
	int conn = call_send(op, a, 0, data, len, fd), got;

	deliver_all();
	for (begin_waiting(); !is_ready(conn) && may_wait();)
		;
	got = call_answer(conn);
	close(conn);
	return got;
}
