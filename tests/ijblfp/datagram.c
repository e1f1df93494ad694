/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.c - datagram sockets of a program, and the frames of a scripted lfpd for them */
#include "datagram.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/datagram.h"

int new_datagram(struct host *host, uint64_t *id, struct sockaddr_un *near)
{
	int conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_DGRAM, 0, "", 0, -1);
	struct got got = host_expect(host, LFP_SOCKET);
	socklen_t len = sizeof(*near);
	int fd;

	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	*id = got.sock;
	assert_int_equal(getsockname(fd, (struct sockaddr *)near, &len), 0);
	assert_true(lfp_near_path(near, len) && lfp_near_is_datagram(near));
	return fd;
}

/* Sends with an address, as the shim does. */
ssize_t send_to(int fd, const struct sockaddr_un *near, const struct lfp_meta *meta,
		const void *data, size_t len)
{
	uint8_t head[LFP_META_SIZE];
	struct iovec iov[2] = {{head, sizeof(head)}, {(void *)(uintptr_t)data, len}};
	struct sockaddr_un addr;
	struct msghdr msg = {.msg_name = &addr, .msg_iov = iov, .msg_iovlen = 2};

	msg.msg_namelen = lfp_head_name(near, &addr);
	lfp_meta_put(meta, head);
	return sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void from_lfpd(struct host *host, uint64_t id, uint64_t position, uint16_t port, const char *text)
{
	struct lfp_frame frame = {
		.code = LFP_DATAGRAM,
		.sock = id,
		.datagram =
			{
				.position = position,
				.total = (uint32_t)strlen(text),
				.addr = some_addr(port),
				.payload = {(const uint8_t *)text, (uint32_t)strlen(text)},
			},
	};

	assert_int_equal(path_send_data(host->path, &frame), 0);
}

/* Receives as the shim does: the text at @buf, and the port of the sender. */
unsigned int take(struct host *host, int fd, char buf[static 64])
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control;
	struct sockaddr_un addr;
	struct iovec iov = {buf, 63};
	struct msghdr msg = {
		.msg_name = &addr,
		.msg_namelen = sizeof(addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	socklen_t len = sizeof(addr);
	struct lfp_meta meta;
	ssize_t n;
	int shown;

	host_until(host, poll_now(fd) & POLLIN);
	n = recvmsg(fd, &msg, MSG_DONTWAIT);
	assert_true(n >= 0);
	buf[n] = '\0';
	if (CMSG_FIRSTHDR(&msg)) {
		memcpy(&shown, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(shown));
		assert_int_equal(getsockname(shown, (struct sockaddr *)&addr, &len), 0);
		close(shown);
		assert_int_equal(lfp_source_parse(&addr, len, &meta), 0);
	} else {
		assert_int_equal(lfp_source_parse(&addr, msg.msg_namelen, &meta), 0);
	}
	return meta.addr.port;
}

void connect_to(struct host *host, int fd, const struct lfp_addr *peer)
{
	int conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, peer, sizeof(*peer), fd);
	struct got got = host_expect(host, LFP_CONNECT);

	assert_int_equal(got.addr.port, peer->port);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
}

unsigned int open_descriptors(void)
{
	unsigned int nr = 0;

	for (int fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}
