/* SPDX-License-Identifier: Apache-2.0 */
/* serve-names.c - getsockname, getpeername, getsockopt, setsockopt, ioctl */
#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lfp-run/handlers.h"
#include "lfp-run/join.h"
#include "lfp-run/near-call.h"
#include "lfp-run/target.h"

/* Longer option values are cut off; the kernel has none so long. */
#define VALUE_MAX 8192

/* Room for an answer to SIOCGIFCONF. */
#define CONF_MAX 65536

long serve_getname(struct trap *trap)
{
	long fd = serve_take_near(trap), rc;
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int room;

	if (fd < 0)
		return fd;
	if (trap->nr == SYS_getsockname)
		rc = getsockname((int)fd, (struct sockaddr *)&addr, &len) < 0 ? -errno : 0;
	else
		rc = getpeername((int)fd, (struct sockaddr *)&addr, &len) < 0 ? -errno : 0;
	close((int)fd);
	/* Checked after the call, as in the kernel (net/socket.c, __sys_getpeername()): ENOTCONN
	 * comes before EFAULT. */
	if (!rc)
		rc = target_addr_room(trap, trap->arg[2], &room);
	if (!rc)
		rc = target_write_addr(trap, trap->arg[1], trap->arg[2], room, &addr, len);
	return rc;
}

long serve_getsockopt(struct trap *trap)
{
	uint8_t value[VALUE_MAX] = {0};
	socklen_t len;
	long fd, rc;
	int room;

	if (join_is_question(trap))
		return join_answer(trap);
	fd = serve_take_near(trap);
	if (fd < 0)
		return fd;
	rc = target_addr_room(trap, trap->arg[4], &room);
	len = (socklen_t)(rc < 0 ? 0 : room < VALUE_MAX ? room : VALUE_MAX);
	if (!rc && getsockopt((int)fd, (int)trap->arg[1], (int)trap->arg[2], value, &len) < 0)
		rc = -errno;
	close((int)fd);
	if (!rc)
		rc = target_write(trap, trap->arg[3], value, len < VALUE_MAX ? len : VALUE_MAX);
	if (!rc)
		rc = target_write(trap, trap->arg[4], &len, sizeof(len));
	return rc;
}

long serve_setsockopt(struct trap *trap)
{
	int len = (int)trap->arg[4];
	uint8_t value[VALUE_MAX];
	long fd = serve_take_near(trap), rc;

	if (fd < 0)
		return fd;
	if (len < 0 || len > VALUE_MAX)
		rc = -EINVAL;
	else
		rc = target_read(trap, value, trap->arg[3], (size_t)len);
	if (!rc &&
	    setsockopt((int)fd, (int)trap->arg[1], (int)trap->arg[2], value, (socklen_t)len) < 0)
		rc = -errno;
	close((int)fd);
	return rc;
}

/* Returns the size of the request's argument, if that holds no pointer; else 0. */
static size_t ioctl_size(uint32_t request)
{
	switch (request) {
	case SIOCOUTQ:
	case SIOCOUTQNSD:
	case SIOCATMARK:
	case FIONREAD:
		return sizeof(int);
	case SIOCGIFNAME:
	case SIOCGIFINDEX:
	case SIOCGIFFLAGS:
	case SIOCGIFADDR:
	case SIOCGIFDSTADDR:
	case SIOCGIFBRDADDR:
	case SIOCGIFNETMASK:
	case SIOCGIFMETRIC:
	case SIOCGIFMTU:
	case SIOCGIFHWADDR:
	case SIOCGIFTXQLEN:
		return sizeof(struct ifreq);
	default:
		return 0;
	}
}

static long ioctl_conf(struct trap *trap, int fd)
{
	struct ifconf conf;
	uint64_t to;
	long rc = target_read(trap, &conf, trap->arg[2], sizeof(conf));
	int room;

	if (rc < 0)
		return rc;
	to = (uint64_t)(uintptr_t)conf.ifc_buf;
	room = conf.ifc_len;
	if (room < 0)
		return -EINVAL;
	/* Without a buffer the program asks for the length. */
	conf.ifc_len = room < CONF_MAX ? room : CONF_MAX;
	conf.ifc_buf = to ? calloc(1, CONF_MAX) : NULL;
	if (to && !conf.ifc_buf)
		return -ENOMEM;
	rc = ioctl(fd, SIOCGIFCONF, &conf) < 0 ? -errno : 0;
	if (!rc && to && conf.ifc_len > 0)
		rc = target_write(trap, to, conf.ifc_buf, (size_t)conf.ifc_len);
	free(conf.ifc_buf);
	conf.ifc_buf = (char *)(uintptr_t)to;
	return rc < 0 ? rc : target_write(trap, trap->arg[2], &conf, sizeof(conf));
}

static long ioctl_plain(struct trap *trap, int fd, size_t size)
{
	union {
		struct ifreq req;
		int number;
	} arg;
	long rc;

	memset(&arg, 0, sizeof(arg));
	rc = target_read(trap, &arg, trap->arg[2], size);
	if (rc < 0)
		return rc;
	rc = ioctl(fd, (uint32_t)trap->arg[1], &arg);
	if (rc < 0)
		return -errno;
	return target_write(trap, trap->arg[2], &arg, size) < 0 ? -EFAULT : rc;
}

long serve_ioctl(struct trap *trap)
{
	uint32_t request = (uint32_t)trap->arg[1];
	size_t size = ioctl_size(request);
	long fd, rc;

	/* The shim passes other requests to the kernel unchanged, and some hold pointers. */
	if (!size && request != SIOCGIFCONF)
		return TRAP_CONTINUE;
	fd = serve_take_near(trap);
	if (fd < 0)
		return fd;
	rc = size ? ioctl_plain(trap, (int)fd, size) : ioctl_conf(trap, (int)fd);
	close((int)fd);
	return rc;
}
