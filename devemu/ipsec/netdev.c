/* SPDX-License-Identifier: Apache-2.0 */
/* netdev.c - opening and closing the TUN interface and the sockets */
#include "devemu/ipsec/netdev.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_tun.h>

enum { BUFFER = 4 << 20, TUN_QUEUE = 1000 };

static int name_error(struct netdev_error *error, int rc, const char *what, const char *name)
{
	snprintf(error->what, sizeof(error->what), "%s %s", what, name);
	return rc;
}

/* Sets MTU and length of the queue, and brings the interface up. */
static int bring_up(const char *name, unsigned int mtu)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {0};
	int rc = 0;

	if (fd < 0)
		return -errno;
	strncpy(request.ifr_name, name, IFNAMSIZ - 1);
	request.ifr_mtu = (int)mtu;
	if (ioctl(fd, SIOCSIFMTU, &request) < 0)
		rc = -errno;
	request.ifr_qlen = TUN_QUEUE;
	if (rc == 0 && ioctl(fd, SIOCSIFTXQLEN, &request) < 0)
		rc = -errno;
	if (rc == 0 && ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		rc = -errno;
	request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
	if (rc == 0 && ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static int open_tun(struct netdev *device, const char *name, unsigned int mtu,
		    struct netdev_error *error)
{
	struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
	int rc = 0;

	if (strlen(name) >= IFNAMSIZ)
		return name_error(error, -EINVAL, "TUN interface", name);
	strcpy(request.ifr_name, name);
	device->tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (device->tun < 0 || ioctl(device->tun, TUNSETIFF, &request) < 0)
		rc = -errno;
	if (rc == 0)
		rc = bring_up(name, mtu);
	return rc < 0 ? name_error(error, rc, "TUN interface", name) : 0;
}

static void enable(int fd, int level, int option)
{
	const int on = 1;

	/* Without this option of the kernel only the traffic class is lost. */
	(void)setsockopt(fd, level, option, &on, sizeof(on));
}

/* The second option is subject to the machine's limit (net.core.rmem_max, wmem_max). */
static void set_queue(int fd, int force, int option)
{
	const int size = BUFFER;

	if (setsockopt(fd, SOL_SOCKET, force, &size, sizeof(size)) < 0)
		setsockopt(fd, SOL_SOCKET, option, &size, sizeof(size));
}

static int bind_port(int fd, uint8_t version, uint16_t port)
{
	struct sockaddr_in6 any6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port)};

	if (version == 6)
		return bind(fd, (struct sockaddr *)&any6, sizeof(any6));
	return bind(fd, (struct sockaddr *)&any, sizeof(any));
}

static int open_socket(struct netdev *device, uint8_t version, uint8_t protocol, uint16_t port,
		       struct netdev_error *error)
{
	const int family = version == 6 ? AF_INET6 : AF_INET;
	const int fd = socket(family, (port ? SOCK_DGRAM : SOCK_RAW) | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      protocol);
	char name[32];

	snprintf(name, sizeof(name), "IPv%d, protocol %d", version, protocol);
	if (fd < 0)
		return name_error(error, -errno, "socket of", name);
	device->socket[device->sockets++] = (struct netdev_socket){fd, version, protocol, port};
	set_queue(fd, SO_RCVBUFFORCE, SO_RCVBUF);
	if (version == 6) {
		enable(fd, IPPROTO_IPV6, IPV6_V6ONLY);
		enable(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO);
		enable(fd, IPPROTO_IPV6, IPV6_RECVTCLASS);
	} else {
		enable(fd, IPPROTO_IP, IP_PKTINFO);
		enable(fd, IPPROTO_IP, IP_RECVTOS);
	}
	if (port && bind_port(fd, version, port) < 0)
		return name_error(error, -errno, "UDP port of", name);
	return 0;
}

static bool is_open(const struct netdev *device, uint8_t version, uint8_t protocol, uint16_t port)
{
	for (unsigned int i = 0; i < device->sockets; i++)
		if (device->socket[i].version == version &&
		    device->socket[i].protocol == protocol && device->socket[i].port == port)
			return true;
	return false;
}

static int need(struct netdev *device, uint8_t version, uint8_t protocol, uint16_t port,
		struct netdev_error *error)
{
	if (is_open(device, version, protocol, port))
		return 0;
	if (device->sockets == NETDEV_SOCKETS_MAX)
		return name_error(error, -EMFILE, "sockets", "for so many ports");
	return open_socket(device, version, protocol, port, error);
}

static int open_sender(int *fd, int family, struct netdev_error *error)
{
	if (*fd >= 0)
		return 0;
	/* IPPROTO_RAW: packets have their IP headers. */
	*fd = socket(family, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_RAW);
	if (*fd < 0)
		return name_error(error, -errno, "socket", "to send");
	set_queue(*fd, SO_SNDBUFFORCE, SO_SNDBUF);
	return 0;
}

static int open_action(struct netdev *device, const struct sa_config *config,
		       struct netdev_error *error)
{
	const uint8_t version = config->dst.version;
	const uint8_t protocol = config->udp_port              ? PROTO_UDP
				 : config->ah || config->in_ah ? PROTO_AH
							       : PROTO_ESP;
	int rc = need(device, version, protocol, config->udp_port, error);

	if (rc == 0)
		rc = need(device, version, version == 6 ? PROTO_ICMPV6 : PROTO_ICMP, 0, error);
	return rc;
}

static int open_all(struct netdev *device, const struct policy *policy, struct netdev_error *error)
{
	int rc = open_sender(&device->send4, AF_INET, error);

	if (rc == 0)
		rc = open_sender(&device->send6, AF_INET6, error);
	for (unsigned int i = 0; rc == 0 && i < policy->actions; i++)
		if (policy->action[i].active)
			rc = open_action(device, &policy->action[i].in[0], error);
	return rc;
}

static int set_mark(const struct netdev *device, unsigned int mark, struct netdev_error *error)
{
	if (setsockopt(device->send4, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) < 0 ||
	    setsockopt(device->send6, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) < 0)
		return name_error(error, -errno, "mark", "of packets");
	return 0;
}

int netdev_open(struct netdev *device, const struct netdev_config *config,
		const struct policy *policy, struct netdev_error *error)
{
	int rc;

	*device = (struct netdev){.tun = -1, .send4 = -1, .send6 = -1};
	device->buffer = malloc((size_t)NETDEV_BATCH * NETDEV_ROOM);
	if (!device->buffer)
		return name_error(error, -ENOMEM, "buffer", "for packets");
	rc = open_tun(device, config->tun, config->mtu, error);
	if (rc == 0)
		rc = open_all(device, policy, error);
	if (rc == 0 && config->mark)
		rc = set_mark(device, config->mark, error);
	if (rc < 0)
		netdev_close(device);
	return rc;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

void netdev_close(struct netdev *device)
{
	for (unsigned int i = 0; i < device->sockets; i++)
		close(device->socket[i].fd);
	device->sockets = 0;
	close_one(device->tun);
	close_one(device->send4);
	close_one(device->send6);
	free(device->buffer);
	device->buffer = NULL;
}
