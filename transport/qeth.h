/* SPDX-License-Identifier: Apache-2.0 */
/* qeth.h - the HiperSockets and OSA devices of this system, from /sys */
#ifndef TRANSPORT_QETH_H
#define TRANSPORT_QETH_H

#include <stdbool.h>

#include "lfp/system.h"

/* A HiperSockets or OSA device of the driver qeth. */
struct qeth_device {
	char id[LFP_SYSTEM_NAME];        /* as 0.0.f000 */
	char interface[LFP_SYSTEM_NAME]; /* "" while it is offline */
	bool hipersockets, layer2, online, up;
	unsigned long mtu; /* bytes, of the interface */
};

/* Finds the device with that hsuid; returns false if no device has it. @devices: number of
 * HiperSockets devices. */
bool qeth_find_hsuid(struct qeth_device *out, const char *hsuid, unsigned int *devices);

#endif
