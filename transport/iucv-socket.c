/* SPDX-License-Identifier: Apache-2.0 */
/* iucv-socket.c - sockets of AF_IUCV, made ready to listen or to connect */
#include "transport/iucv-socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "transport/transport.h"

/* From the kernel's net/iucv/af_iucv.h, which is not exported. */
#define SOL_IUCV    277
#define SO_MSGLIMIT 0x1000
#define SO_MSGSIZE  0x0800

#define HEADERS         118u /* of Ethernet and of AF_IUCV, before a message on HiperSockets */
#define CONNECT_SECONDS 5
#define RECEIVE_BUFFER  (256 * 1024)

_Static_assert(sizeof(struct iucv_addr) == 32, "struct sockaddr_iucv");

static void set_name(char out[static 8], const char *in)
{
	size_t len = in ? strnlen(in, 8) : 0;

	memset(out, ' ', 8);
	memcpy(out, in ? in : "", len);
}

void iucv_addr_set(struct iucv_addr *addr, const char *user, const char *name)
{
	*addr = (struct iucv_addr){.family = AF_IUCV};
	set_name(addr->nodeid, NULL);
	set_name(addr->user, user);
	set_name(addr->name, name);
}

void iucv_name_get(char out[static 9], const char in[static 8])
{
	size_t len = 8;

	while (len && (in[len - 1] == ' ' || !in[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++)
		out[i] = '!' <= in[i] && in[i] <= '~' ? in[i] : '?';
	memset(out + len, 0, 9 - len);
}

/* The message limit can be set before listen() and connect() only. */
static int set_options(int fd, uint32_t msglimit)
{
	struct timeval timeout = {.tv_sec = CONNECT_SECONDS};
	int limit = (int)msglimit, room = RECEIVE_BUFFER;

	if (setsockopt(fd, SOL_IUCV, SO_MSGLIMIT, &limit, sizeof(limit)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	return 0;
}

static int bind_name(int fd, const struct iucv_wanted *wanted, char *why)
{
	struct iucv_addr addr;
	int rc;

	iucv_addr_set(&addr, wanted->hsuid, wanted->name);
	if (!bind(fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return 0;
	rc = -errno;
	if (rc == -EADDRINUSE)
		snprintf(
			why, TRANSPORT_WHY,
			"the application name %s is in use on this system, perhaps by a connection",
			wanted->name);
	else if (rc == -ENODEV && *wanted->hsuid)
		snprintf(why, TRANSPORT_WHY, "no network device has the hsuid %s", wanted->hsuid);
	else if (rc == -ENODEV)
		snprintf(why, TRANSPORT_WHY,
			 "this system is not a guest of z/VM, and no hsuid of a HiperSockets "
			 "device was given");
	return rc;
}

/* In z/VM a wrong hsuid is not refused: the socket silently gets the guest's own id. */
static int check_user(int fd, const struct iucv_wanted *wanted, char vmid[static 9], char *why)
{
	struct iucv_addr addr;
	socklen_t len = sizeof(addr);

	if (getsockname(fd, (struct sockaddr *)&addr, &len) < 0)
		return -errno;
	iucv_name_get(vmid, addr.user);
	if (!*wanted->hsuid || !strcmp(vmid, wanted->hsuid))
		return 0;
	snprintf(why, TRANSPORT_WHY, "no network device has the hsuid %s", wanted->hsuid);
	return -ENODEV;
}

/* The longest message is known only when the device is. Without one it has no bound that matters.
 */
static int check_mtu(int fd, uint32_t mtu, char *why)
{
	int most = 0;
	socklen_t len = sizeof(most);

	if (getsockopt(fd, SOL_IUCV, SO_MSGSIZE, &most, &len) < 0)
		return -errno;
	if (most < 0 || mtu <= (uint32_t)most)
		return 0;
	snprintf(why, TRANSPORT_WHY,
		 "an MTU of %u is more than %d, the most with the device's MTU of %u", mtu, most,
		 (uint32_t)most + HEADERS);
	return -EMSGSIZE;
}

int iucv_open(const struct iucv_wanted *wanted, char vmid[static 9], char *why)
{
	int rc, fd = socket(AF_IUCV, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	*why = *vmid = '\0';
	if (fd < 0) {
		rc = -errno;
		if (rc == -EAFNOSUPPORT)
			snprintf(why, TRANSPORT_WHY,
				 "this kernel does not have AF_IUCV: Linux for s390x provides it "
				 "as the module af_iucv");
		return rc;
	}
	rc = set_options(fd, wanted->msglimit);
	if (!rc)
		rc = bind_name(fd, wanted, why);
	if (!rc)
		rc = check_user(fd, wanted, vmid, why);
	if (!rc)
		rc = check_mtu(fd, wanted->mtu, why);
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

int iucv_connect(int fd, const struct iucv_addr *to, bool hipersockets, char *why)
{
	char user[9];
	int rc;

	*why = '\0';
	if (!connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		return 0;
	rc = -errno;
	iucv_name_get(user, to->user);
	if (rc == -EAGAIN && hipersockets) {
		rc = -ETIMEDOUT;
		snprintf(why, TRANSPORT_WHY, "the hsuid %s has not answered for %d seconds", user,
			 CONNECT_SECONDS);
	} else if (rc == -EAGAIN) {
		snprintf(why, TRANSPORT_WHY,
			 "this guest or %s already has its maximum of IUCV connections", user);
	} else if (rc == -ENETUNREACH) {
		snprintf(why, TRANSPORT_WHY, "%s is not logged on", user);
	} else if (rc == -EACCES) {
		snprintf(why, TRANSPORT_WHY,
			 "the z/VM directory does not authorise a path to %s: statement IUCV",
			 user);
	}
	return rc;
}
