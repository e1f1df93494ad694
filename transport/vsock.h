/* SPDX-License-Identifier: Apache-2.0 */
/* vsock.h - the transport over AF_VSOCK: what its files share */
#ifndef TRANSPORT_VSOCK_H
#define TRANSPORT_VSOCK_H

#include <stdint.h>

#include "transport/needs.h"

/* Returns the CID of the peer's system; 0 if it is not set. */
uint32_t vsock_peer(const struct transport_settings *settings);

/* Its needs; see transport.h. */
extern const char *const vsock_needs[];
void vsock_check_needs(const struct transport_settings *settings, uint32_t mtu,
		       const struct transport_report *report);

#endif
