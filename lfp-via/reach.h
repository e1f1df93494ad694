/* SPDX-License-Identifier: Apache-2.0 */
/* reach.h - a connection to the appliance */
#ifndef LFP_VIA_REACH_H
#define LFP_VIA_REACH_H

#include <stdbool.h>

/* A connection; @messages: each command and each piece is a message (AF_IUCV), and no line. */
struct reach {
	int fd;
	bool messages;
};

/**
 * reach_open() - connect to the appliance
 * @where:	"vsock:CID" (a port below 1024 of this side is taken if it may be), "vmm:PATH" (the
 *UNIX socket of a VMM, as Firecracker, Cloud Hypervisor and vhost-device-vsock have it),
 *"unix:PATH" (a container) or "iucv:USERID"
 * @hsuid:	hsuid of this side for HiperSockets; "": z/VM IUCV
 *
 * Return: 0, or a negative errno, after a message.
 */
int reach_open(struct reach *reach, const char *where, const char *hsuid);

#endif
