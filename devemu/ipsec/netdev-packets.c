/* SPDX-License-Identifier: Apache-2.0 */
/* netdev-packets.c - packets from and to the sockets, several a system call */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "devemu/ipsec/netdev.h"
#include "lfp/bigend.h"

enum { FRONT = IP6_HEADER + UDP_HEADER, WAIT_MS = 100 };

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

union control {
	struct cmsghdr align;
	uint8_t bytes[128];
};

struct arrival {
	struct ip_addr dst;
	uint8_t tos;
};

static void read_control(struct msghdr *head, struct arrival *arrival)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(head); c; c = CMSG_NXTHDR(head, c)) {
		struct in_pktinfo four;
		struct in6_pktinfo six;
		int tclass;

		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			memcpy(&four, CMSG_DATA(c), sizeof(four));
			arrival->dst = ip_addr4((const uint8_t *)&four.ipi_addr);
		} else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) {
			arrival->tos = *CMSG_DATA(c);
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			memcpy(&six, CMSG_DATA(c), sizeof(six));
			arrival->dst = ip_addr6(six.ipi6_addr.s6_addr);
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS) {
			memcpy(&tclass, CMSG_DATA(c), sizeof(tclass));
			arrival->tos = (uint8_t)tclass;
		}
	}
}

/* Puts the headers that the kernel has taken off in front of @len bytes. Returns the start. */
static uint8_t *restore(const struct netdev_socket *socket, const union address *from,
			const struct arrival *arrival, uint8_t *data, size_t *len)
{
	struct ip_header header = {
		.src = socket->version == 6 ? ip_addr6(from->six.sin6_addr.s6_addr)
					    : ip_addr4((const uint8_t *)&from->four.sin_addr),
		.dst = arrival->dst,
		.protocol = socket->protocol,
		.tos = arrival->tos,
		.ttl = 64,
	};
	const size_t front = ip_header_len(socket->version);

	if (socket->port) {
		data -= UDP_HEADER;
		*len += UDP_HEADER;
		be16_put(data,
			 ntohs(socket->version == 6 ? from->six.sin6_port : from->four.sin_port));
		be16_put(data + 2, socket->port);
		be16_put(data + 4, (uint16_t)*len);
		be16_put(data + 6, 0);
	}
	ip_put(&header, data - front, *len);
	*len += front;
	return data - front;
}

/* RFC 3948: a single byte 0xff keeps a binding of NAT alive; 4 bytes of 0 mark IKE. */
static bool is_esp_in_udp(const uint8_t *data, size_t len)
{
	return len >= 4 && be32_get(data) != 0;
}

static void deliver(const struct netdev_socket *socket, struct mmsghdr *message,
		    void (*take)(void *context, const struct netdev_socket *socket,
				 const uint8_t *packet, size_t len),
		    void *context)
{
	struct msghdr *head = &message->msg_hdr;
	struct arrival arrival = {0};
	uint8_t *data = head->msg_iov->iov_base;
	size_t len = message->msg_len;

	/* Raw sockets of IPv4 give the header, too. */
	if (socket->version == 4 && !socket->port) {
		take(context, socket, data, len);
		return;
	}
	if (socket->port && !is_esp_in_udp(data, len))
		return;
	read_control(head, &arrival);
	if (arrival.dst.version != socket->version || len + FRONT > IP_PACKET_MAX)
		return;
	data = restore(socket, head->msg_name, &arrival, data, &len);
	take(context, socket, data, len);
}

int netdev_receive(struct netdev *device, const struct netdev_socket *socket,
		   void (*take)(void *context, const struct netdev_socket *socket,
				const uint8_t *packet, size_t len),
		   void *context)
{
	struct mmsghdr message[NETDEV_BATCH];
	struct iovec iov[NETDEV_BATCH];
	union address from[NETDEV_BATCH];
	union control control[NETDEV_BATCH];
	int got;

	memset(message, 0, sizeof(message));
	for (int i = 0; i < NETDEV_BATCH; i++) {
		iov[i].iov_base = device->buffer + (size_t)i * NETDEV_ROOM + FRONT;
		iov[i].iov_len = NETDEV_ROOM - FRONT;
		message[i].msg_hdr.msg_iov = &iov[i];
		message[i].msg_hdr.msg_iovlen = 1;
		message[i].msg_hdr.msg_name = &from[i];
		message[i].msg_hdr.msg_namelen = sizeof(from[i]);
		message[i].msg_hdr.msg_control = &control[i];
		message[i].msg_hdr.msg_controllen = sizeof(control[i]);
	}
	got = recvmmsg(socket->fd, message, NETDEV_BATCH, MSG_DONTWAIT, NULL);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < got; i++)
		deliver(socket, &message[i], take, context);
	return got;
}

static void set_address(union address *to, const struct netdev_packet *packet, struct msghdr *head)
{
	memset(to, 0, sizeof(*to));
	if (packet->bytes[0] >> 4 == 4) {
		to->four.sin_family = AF_INET;
		memcpy(&to->four.sin_addr, packet->bytes + 16, 4);
		head->msg_namelen = sizeof(to->four);
	} else {
		to->six.sin6_family = AF_INET6;
		memcpy(&to->six.sin6_addr, packet->bytes + 24, 16);
		head->msg_namelen = sizeof(to->six);
	}
	head->msg_name = to;
}

static int wait_for_room(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLOUT};

	return poll(&pfd, 1, WAIT_MS) == 1 ? 0 : -DROP_NO_ROOM;
}

/* Sends packets of one version; a packet that is refused is left out. */
static void send_all(int fd, struct mmsghdr *message, unsigned int nr,
		     void (*refused)(void *context, int reason), void *context)
{
	unsigned int done = 0;

	while (done < nr) {
		const int sent = sendmmsg(fd, message + done, nr - done, MSG_DONTWAIT);
		const int rc = sent < 0 ? errno : 0;

		if (sent > 0) {
			done += (unsigned int)sent;
		} else if (rc == EAGAIN || rc == ENOBUFS) {
			if (rc == ENOBUFS || wait_for_room(fd) < 0) {
				refused(context, -DROP_NO_ROOM);
				done++;
			}
		} else if (rc != EINTR) {
			refused(context, rc == EMSGSIZE ? -DROP_TOO_BIG : -DROP_UNSENT);
			done++;
		}
	}
}

void netdev_send(const struct netdev *device, const struct netdev_packet *packet, size_t nr,
		 void (*refused)(void *context, int reason), void *context)
{
	struct mmsghdr message[NETDEV_BATCH];
	struct iovec iov[NETDEV_BATCH];
	union address to[NETDEV_BATCH];

	for (size_t at = 0; at < nr;) {
		const uint8_t version = packet[at].bytes[0] >> 4;
		unsigned int n = 0;

		memset(message, 0, sizeof(message));
		for (; at < nr && n < NETDEV_BATCH && packet[at].bytes[0] >> 4 == version;
		     at++, n++) {
			iov[n].iov_base = (void *)(uintptr_t)packet[at].bytes;
			iov[n].iov_len = packet[at].len;
			message[n].msg_hdr.msg_iov = &iov[n];
			message[n].msg_hdr.msg_iovlen = 1;
			set_address(&to[n], &packet[at], &message[n].msg_hdr);
		}
		send_all(version == 4 ? device->send4 : device->send6, message, n, refused,
			 context);
	}
}
