/* SPDX-License-Identifier: Apache-2.0 */
/* tun.c - TUN interfaces in network namespaces */
#include "devemu/hipersockets/tun.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_tun.h>

static int name_error(struct tun_error *error, int rc, const char *what, const char *name)
{
	snprintf(error->what, sizeof(error->what), "%s%s%.100s", what, *name ? " " : "", name);
	return rc;
}

int tun_enter(const char *path, struct tun_error *error)
{
	int fd, rc = 0;

	if (!path)
		return unshare(CLONE_NEWNET) < 0
			       ? name_error(error, -errno, "a new network namespace", "")
			       : 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return name_error(error, -errno, "network namespace", path);
	if (setns(fd, CLONE_NEWNET) < 0)
		rc = name_error(error, -errno, "network namespace", path);
	close(fd);
	return rc;
}

static int set_address(int fd, struct ifreq *request, unsigned long ask, uint32_t address)
{
	const struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(address)}};

	memcpy(&request->ifr_addr, &in, sizeof(in));
	return ioctl(fd, ask, request) < 0 ? -errno : 0;
}

static int bring_up(int fd, const char *name)
{
	struct ifreq request = {0};

	strncpy(request.ifr_name, name, IFNAMSIZ - 1);
	if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return -errno;
	request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
	return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
}

/* Without the file, the kernel has no IPv6. */
static void disable_ipv6(const char *name)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* Where this fails, the other end counts packets "With No Protocol". */
	if (write(fd, "1", 1) < 0)
		errno = 0;
	close(fd);
}

static int configure(const struct tun_config *config)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {0};
	int rc = 0;

	if (fd < 0)
		return -errno;
	strncpy(request.ifr_name, config->name, IFNAMSIZ - 1);
	request.ifr_mtu = (int)config->mtu;
	if (ioctl(fd, SIOCSIFMTU, &request) < 0)
		rc = -errno;
	request.ifr_qlen = (int)config->queue;
	if (rc == 0 && ioctl(fd, SIOCSIFTXQLEN, &request) < 0)
		rc = -errno;
	if (!config->ipv6)
		disable_ipv6(config->name);
	if (rc == 0)
		rc = set_address(fd, &request, SIOCSIFADDR, config->address);
	if (rc == 0)
		rc = set_address(fd, &request, SIOCSIFNETMASK, config->mask);
	if (rc == 0)
		rc = bring_up(fd, config->name);
	if (rc == 0)
		rc = bring_up(fd, "lo");
	close(fd);
	return rc;
}

int tun_open(const struct tun_config *config, struct tun_error *error)
{
	struct ifreq request = {.ifr_flags = (short)(IFF_TUN | IFF_NO_PI | IFF_TUN_EXCL)};
	int fd, rc = 0;

	if (strlen(config->name) >= IFNAMSIZ)
		return name_error(error, -ENAMETOOLONG, "TUN interface", config->name);
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return name_error(error, -errno, "/dev/net/tun", "");
	strcpy(request.ifr_name, config->name);
	if (ioctl(fd, TUNSETIFF, &request) < 0)
		rc = -errno;
	if (rc == 0)
		rc = configure(config);
	if (rc == 0)
		return fd;
	close(fd);
	return name_error(error, rc, "TUN interface", config->name);
}
