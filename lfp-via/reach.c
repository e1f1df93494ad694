/* SPDX-License-Identifier: Apache-2.0 */
/* reach.c - a connection to the appliance */
#include "lfp-via/reach.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "lfp/log.h"
#include "lfp/number.h"
#include "lfp/places.h"
#include "transport/iucv-socket.h"
#include "via/request.h"

#define PATIENCE   60  /* seconds for an answer, or the next piece of it */
#define PRIVILEGED 512 /* the first port that is tried, up to 1023 */

static int tell(const char *where, int rc)
{
	lfp_msg("VLFD560E", "The appliance at %s cannot be reached: %s.", where, strerror(-rc));
	return rc;
}

static int patient(int fd)
{
	const struct timeval time = {.tv_sec = PATIENCE};

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) ||
			       setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time))
		       ? -errno
		       : 0;
}

/* Only who may take such a port gets one; the appliance may want it. */
static void take_port(int fd)
{
	struct sockaddr_vm own = {.svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_ANY};

	for (own.svm_port = PRIVILEGED; own.svm_port < 1024; own.svm_port++)
		if (!bind(fd, (const struct sockaddr *)&own, sizeof(own)) || errno == EACCES)
			return;
}

/* Connects @fd. Returns it, or closes it and returns a negative errno. */
static int reached(int fd, const void *addr, socklen_t len)
{
	int rc = patient(fd);

	if (!rc && connect(fd, addr, len))
		rc = -errno;
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

static int open_vsock(const char *text)
{
	struct sockaddr_vm addr = {.svm_family = AF_VSOCK, .svm_port = VIA_PORT};
	unsigned long cid;
	int fd;

	if (lfp_number(text, 0, UINT_MAX - 1, &cid))
		return -EINVAL;
	addr.svm_cid = (unsigned int)cid;
	fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	take_port(fd);
	return reached(fd, &addr, sizeof(addr));
}

static int open_unix(const char *path)
{
	struct sockaddr_un addr;
	int fd, rc = lfp_unix_addr(&addr, path);

	if (rc)
		return rc;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	return reached(fd, &addr, sizeof(addr));
}

/* The VMM answers "OK PORT" when the guest has accepted, and nothing before its newline is the
 * guest's. */
static int open_vmm(const char *path)
{
	char line[32];
	size_t len = (size_t)snprintf(line, sizeof(line), "CONNECT %d\n", VIA_PORT), at = 0;
	int fd = open_unix(path), rc = 0;

	if (fd < 0)
		return fd;
	if (send(fd, line, len, MSG_NOSIGNAL) != (ssize_t)len)
		rc = -errno;
	while (!rc && at < sizeof(line) && (!at || line[at - 1] != '\n'))
		if (recv(fd, line + at++, 1, 0) != 1)
			rc = -ECONNREFUSED;
	if (!rc && (at < 3 || memcmp(line, "OK ", 3) != 0))
		rc = -ECONNREFUSED;
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

static int open_iucv(const char *user, const char *hsuid)
{
	struct iucv_wanted wanted = {.msglimit = 64, .mtu = VIA_PIECE_MAX};
	char vmid[9], why[TRANSPORT_WHY];
	struct iucv_addr addr;
	int fd, rc;

	if (lfp_check_vmid(user) || (*hsuid && lfp_check_vmid(hsuid)))
		return -EINVAL;
	/* A name may have one socket of the system, also while that is being closed. */
	snprintf(wanted.name, sizeof(wanted.name), "VIA%05X", (unsigned int)getpid() & 0xfffff);
	memcpy(wanted.hsuid, hsuid, strlen(hsuid) + 1);
	fd = iucv_open(&wanted, vmid, why);
	iucv_addr_set(&addr, user, VIA_APPNAME);
	rc = fd < 0 ? fd : iucv_connect(fd, &addr, *hsuid != '\0', why);
	if (!rc)
		rc = patient(fd);
	if (rc && *why)
		lfp_msg("VLFD561E", "AF_IUCV: %s.", why);
	if (!rc)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}

int reach_open(struct reach *reach, const char *where, const char *hsuid)
{
	const char *rest = strchr(where, ':');
	size_t len = rest ? (size_t)(rest - where) : 0;
	int fd = -EINVAL;

	rest = rest ? rest + 1 : "";
	reach->messages = len == 4 && !memcmp(where, "iucv", len);
	if (reach->messages)
		fd = open_iucv(rest, hsuid);
	else if (len == 5 && !memcmp(where, "vsock", len))
		fd = open_vsock(rest);
	else if (len == 3 && !memcmp(where, "vmm", len))
		fd = open_vmm(rest);
	else if (len == 4 && !memcmp(where, "unix", len))
		fd = open_unix(rest);
	if (fd < 0)
		return tell(where, fd);
	reach->fd = fd;
	return 0;
}
