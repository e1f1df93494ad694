/* SPDX-License-Identifier: Apache-2.0 */
/* proc.c - fopen of /proc/net/if_inet6, the way in which Java finds IPv6 addresses */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libvsesock/core/memory.h"
#include "libvsesock/core/place.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/preload/interfaces.h"

/*
 * Java assumes a machine without IPv6 if this file is empty, as it is in an empty network
 * namespace. It is the only file of /proc that the shim replaces, and only for fopen(); open()
 * finds the kernel's.
 */
#define IF_INET6  "/proc/net/if_inet6"
#define PERMANENT 0x80 /* IFA_F_PERMANENT */

/* Scopes as in the kernel (net/ipv6.h): IPV6_ADDR_LOOPBACK, _LINKLOCAL, and 0 for all others. */
static unsigned int scope_of(const struct in6_addr *addr)
{
	if (IN6_IS_ADDR_LOOPBACK(addr))
		return 0x10;
	return IN6_IS_ADDR_LINKLOCAL(addr) ? 0x20 : 0;
}

static void put_line(FILE *file, const struct lfp_ctl_link *link, const struct lfp_ctl_ifaddr *addr)
{
	struct in6_addr in6;

	memcpy(&in6, addr->addr.ip, sizeof(in6));
	for (size_t i = 0; i < sizeof(in6); i++)
		fprintf(file, "%02x", in6.s6_addr[i]);
	fprintf(file, " %02x %02x %02x %02x %8s\n", link->index, addr->prefix, scope_of(&in6),
		PERMANENT, link->name);
}

/* Returns NULL if the kernel's file is to be used. */
static FILE *open_if_inet6(const char *mode)
{
	struct interfaces list;
	FILE *file;
	int fd;

	if (mode[0] != 'r' || strchr(mode, '+') || interfaces_get(&list, place_now()) < 0)
		return NULL;
	fd = memfd_create("if_inet6", strchr(mode, 'e') ? MFD_CLOEXEC : 0);
	file = fd < 0 ? NULL : fdopen(fd, "r+");
	if (!file) {
		if (fd >= 0)
			raw_close(fd);
		return NULL;
	}
	for (uint32_t i = 0; i < list.nr_addrs; i++) {
		struct lfp_ctl_ifaddr addr = interfaces_addr(&list, i);
		struct lfp_ctl_link link;

		if (addr.addr.family == LFP_AF_INET6 &&
		    interfaces_by_index(&list, addr.index, &link))
			put_line(file, &link, &addr);
	}
	rewind(file);
	return file;
}

static FILE *open_file(const char *path, const char *mode,
		       FILE *(*libc)(const char *, const char *))
{
	int saved = errno;
	FILE *file = NULL;

	/* The kernel refuses bad pointers. */
	if (path && mode && !memory_check_read(path, 1) && strcmp(path, IF_INET6) == 0)
		file = open_if_inet6(mode);
	if (!file)
		return libc(path, mode);
	errno = saved;
	return file;
}

/* libc has both names for one function. */
#undef fopen64
FILE *fopen64(const char *restrict path, const char *restrict mode);

EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
	return open_file(path, mode, real()->fopen);
}

EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
	return open_file(path, mode, real()->fopen64);
}
