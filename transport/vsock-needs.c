/* SPDX-License-Identifier: Apache-2.0 */
/* vsock-needs.c - what AF_VSOCK needs of the system, a host or a guest */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "lfp/system.h"
#include "transport/vsock.h"

const char *const vsock_needs[] = {"/dev/vsock", "vsock driver", "CID", NULL};

static void say(const struct transport_report *report, bool met, const char *what, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));

static void say(const struct transport_report *report, bool met, const char *what, const char *fmt,
		...)
{
	char text[TRANSPORT_NEED_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	report->line(report->data, met ? TRANSPORT_NEED_MET : TRANSPORT_NEED_MISSING, what, text);
}

static void check_device(const struct transport_report *report)
{
	if (lfp_system_has("/dev/vsock"))
		say(report, true, "/dev/vsock", "the kernel has AF_VSOCK");
	else
		say(report, false, "/dev/vsock", "load the module: modprobe vsock");
}

/* A driver that is part of the kernel shows as a bus's driver, or as nothing but its device. */
static void check_driver(const struct transport_report *report)
{
	static const char *const guests[] = {
		"/sys/module/vmw_vsock_virtio_transport",
		"/sys/bus/virtio/drivers/vmw_vsock_virtio_transport",
		"/sys/module/hv_sock",
		"/sys/module/vmw_vsock_vmci_transport",
	};
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(guests) / sizeof(guests[0]) && !found; i++)
		if (lfp_system_has("%s", guests[i]))
			found = strrchr(guests[i], '/') + 1;
	if (found)
		say(report, true, "vsock driver", "%s: this system is a guest", found);
	else if (lfp_system_has("/sys/module/vhost_vsock"))
		say(report, true, "vsock driver", "vhost_vsock: this system is a host of guests");
	else
		say(report, false, "vsock driver",
		    "modprobe vhost_vsock on a host, vmw_vsock_virtio_transport in a guest of KVM; "
		    "where the VMM gives the guest's AF_VSOCK as UNIX sockets, use TRANSPORT = unix "
		    "with UNIX_STREAM");
}

/* Returns this system's CID, or a negative errno. */
static int64_t own_cid(void)
{
	char path[PATH_MAX];
	unsigned int cid = 0;
	int fd, rc = 0;

	if (!lfp_system_path(path, "/dev/vsock"))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, IOCTL_VM_SOCKETS_GET_LOCAL_CID, &cid))
		rc = -errno;
	close(fd);
	return rc ? (int64_t)rc : (int64_t)cid;
}

void vsock_check_needs(const struct transport_settings *settings, uint32_t mtu,
		       const struct transport_report *report)
{
	const uint32_t peer = vsock_peer(settings);
	int64_t cid;

	(void)mtu;
	check_device(report);
	check_driver(report);
	cid = own_cid();
	if (cid < 0)
		say(report, false, "CID", "/dev/vsock does not tell it: %s", strerror((int)-cid));
	else if (cid == (int64_t)VMADDR_CID_ANY)
		say(report, false, "CID", "this system has none: no driver gives it one");
	else if (cid == peer)
		say(report, false, "CID", "this system has %u, and so has PEER_CID", peer);
	else
		say(report, true, "CID", "this system has %u%s, the peer %u", (uint32_t)cid,
		    cid == VMADDR_CID_HOST ? " (the host)" : "", peer);
}
