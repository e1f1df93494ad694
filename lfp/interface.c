/* SPDX-License-Identifier: Apache-2.0 */
/* interface.c - binds sockets to one network interface of this host (HOST_INTERFACE) */
#include "lfp/interface.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

int lfp_interface_bind(int fd, const char *name)
{
	if (!*name)
		return 0;
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name)))
		return -errno;
	return 0;
}

int lfp_interface_disconnect(int fd, const char *name)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};
	int index = 0, now = 0;
	socklen_t len = sizeof(index);
	bool by_number = *name && !getsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &index, &len);

	if (connect(fd, &unspec, sizeof(unspec)))
		return -errno;
	/* Without a name the kernel's word counts. Before Linux 5.1 only the name is known. */
	if (!by_number)
		return lfp_interface_bind(fd, name);
	len = sizeof(now);
	(void)getsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &now, &len);
	/* Linux has unbound a UDP socket (net/ipv4/udp.c, __udp_disconnect()). SO_BINDTOIFINDEX
	 * also accepts the number of an interface that is gone (net/core/sock.c,
	 * sock_bindtoindex_locked()). Nothing reaches the socket then. */
	if (index && index != now &&
	    setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &index, sizeof(index)))
		return -errno;
	return 0;
}

int lfp_interface_try(const char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return -errno;
	rc = lfp_interface_bind(fd, name);
	close(fd);
	return rc;
}

bool lfp_interface_needs_capability(void)
{
	unsigned int major, minor;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return false;
	return major < 5 || (major == 5 && minor < 7);
}

const char *lfp_interface_strerror(int error)
{
	switch (error) {
	case -ENODEV:
		return "there is no such interface";
	case -EPERM:
		return "this kernel lets only processes with CAP_NET_RAW bind sockets to it";
	}
	return strerror(-error);
}

const char *lfp_interface_state(const char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq req = {.ifr_flags = 0};
	const char *state = "missing";

	strncpy(req.ifr_name, name, sizeof(req.ifr_name) - 1);
	if (fd >= 0 && !ioctl(fd, SIOCGIFFLAGS, &req))
		state = req.ifr_flags & IFF_UP ? "up" : "down";
	if (fd >= 0)
		close(fd);
	return state;
}
