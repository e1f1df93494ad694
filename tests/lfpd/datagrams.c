/* SPDX-License-Identifier: Apache-2.0 */
/* datagrams.c - datagram sockets of a scripted z/VSE side, and UDP sockets of the host */
#include "tests/lfpd/datagrams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/sockopt.h"
#include "tests/lfpd/one-path.h"

#define PATIENCE_NS UINT64_C(60000000000)

int make(uint64_t id, unsigned int kind, unsigned int protocol)
{
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = id, .task = 1};

	frame.socket.family = LFP_AF_INET;
	frame.socket.kind = (uint16_t)kind;
	frame.socket.protocol = (uint16_t)protocol;
	return vse_ask(&vse, frame).status;
}

unsigned int make_bound(uint64_t id)
{
	struct lfp_frame bind = {.code = LFP_BIND, .sock = id},
			 name = {.code = LFP_GETSOCKNAME, .sock = id};

	assert_int_equal(make(id, 2, 0), 0);
	bind.bind.local = vse_addr("127.0.0.1", 0);
	assert_int_equal(vse_ask(&vse, bind).status, 0);
	return vse_ask(&vse, name).name.addr.port;
}

int udp(unsigned int *port)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	*port = ntohs(addr.sin_port);
	return fd;
}

void udp_send(int fd, unsigned int port, const void *data, size_t len)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_port = htons((in_port_t)port),
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	assert_int_equal(sendto(fd, data, len, 0, (struct sockaddr *)&addr, sizeof(addr)), len);
}

void udp_wait(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	uint64_t limit = uv_hrtime() + PATIENCE_NS;

	while (poll(&pfd, 1, 1) == 0) {
		host_turn(&host);
		if (uv_hrtime() > limit)
			fail_msg("nothing came by UDP");
	}
}

ssize_t udp_take(int fd, void *buf, size_t room, unsigned int *port)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	ssize_t n;

	udp_wait(fd);
	n = recvfrom(fd, buf, room, 0, (struct sockaddr *)&addr, &len);
	*port = ntohs(addr.sin_port);
	return n;
}

void datagram(uint64_t id, uint64_t position, uint32_t total, uint32_t offset,
	      const struct lfp_addr *to, const void *data, size_t len)
{
	struct lfp_frame frame = {.code = LFP_DATAGRAM, .sock = id};

	frame.datagram.position = position;
	frame.datagram.total = total;
	frame.datagram.offset = offset;
	if (to)
		frame.datagram.addr = *to;
	frame.datagram.payload.ptr = data;
	frame.datagram.payload.len = (uint32_t)len;
	vse_send(&vse, &frame);
}

int last_error(uint64_t id)
{
	return vse_ask(&vse, (struct lfp_frame){.code = LFP_SENT, .sock = id}).status;
}

void set_option(uint64_t id, int level, int name, int value)
{
	struct lfp_frame frame = {.code = LFP_SETSOCKOPT, .sock = id};

	lfp_opt_to_wire(level, name, &value, sizeof(value));
	frame.setsockopt.level = level;
	frame.setsockopt.name = name;
	frame.setsockopt.value.ptr = (const uint8_t *)&value;
	frame.setsockopt.value.len = sizeof(value);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
}

void connect_to(uint64_t id, const struct lfp_addr *peer)
{
	assert_int_equal(vse_connect_to(&vse, id, peer), 0);
}

struct lfp_addr nobody(void)
{
	static int taken = -1;
	struct sockaddr_in own;
	socklen_t len = sizeof(own);
	unsigned int port;

	if (taken >= 0)
		close(taken);
	/* Connected to itself, the socket receives nothing from others: their datagrams cause an
	 * ICMP error, as at an unused port. While it is open, no other socket gets the port. */
	taken = udp(&port);
	assert_int_equal(getsockname(taken, (struct sockaddr *)&own, &len), 0);
	assert_int_equal(connect(taken, (struct sockaddr *)&own, len), 0);
	return vse_addr("127.0.0.1", port);
}
