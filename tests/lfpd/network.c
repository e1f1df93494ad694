/* SPDX-License-Identifier: Apache-2.0 */
/* network.c - a network namespace with addresses of several kinds */
#include "tests/lfpd/network.h"

#include <arpa/inet.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

int network_own(void)
{
	char map[64];
	uid_t uid = getuid();
	FILE *file;

	if (uid == 0)
		return unshare(CLONE_NEWNET);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return -1;
	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)uid);
	file = fopen("/proc/self/uid_map", "w");
	if (!file)
		return -1;
	fputs(map, file);
	return fclose(file);
}

int network_make(void)
{
	return system(
		"PATH=$PATH:/sbin:/usr/sbin; exec 2>/dev/null; set -e\n"
		"ip link set lo up\n"
		"ip link add vse0 type veth peer name vse1\n"
		"ip addr add 10.0.0.1/24 dev vse0; ip addr add 10.0.1.1/24 dev vse1\n"
		"ip addr add fd00::1/64 dev vse0 nodad; ip addr add fd00:1::1/64 dev vse1 nodad\n"
		"ip link set vse0 up; ip link set vse1 up\n"
		"ip route add 239.0.0.0/8 dev vse1; ip route add ff15::/16 dev vse1 table local\n"
		/* The kernel makes addresses of IPv6 usable later, when it has seen that a link is
		   up. */
		"tries=3000\n"
		"while ip -6 addr show tentative | grep -q fd00; do\n"
		"	tries=$((tries - 1)); [ $tries -gt 0 ]; sleep 0.02\n"
		"done\n");
}

int network_peer(int type, unsigned int *port)
{
	struct sockaddr_in6 addr = {.sin6_family = AF_INET6};
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET6, type | SOCK_CLOEXEC, 0), off = 0;

	if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) ||
	    bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    getsockname(fd, (struct sockaddr *)&addr, &len) ||
	    (type == SOCK_STREAM && listen(fd, 16)))
		return -1;
	*port = ntohs(addr.sin6_port);
	return fd;
}

void network_text(char text[static INET6_ADDRSTRLEN], const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)addr;

	if (addr->ss_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)addr)->sin_addr, text,
			  INET6_ADDRSTRLEN);
	else if (IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr))
		inet_ntop(AF_INET, sin6->sin6_addr.s6_addr + 12, text, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, &sin6->sin6_addr, text, INET6_ADDRSTRLEN);
}
