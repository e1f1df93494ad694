/* SPDX-License-Identifier: Apache-2.0 */
/* privileged.h - ports that only some users may bind */
#ifndef LFPD_POLICY_PRIVILEGED_H
#define LFPD_POLICY_PRIVILEGED_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the kernel would let @uid bind this port only with CAP_NET_BIND_SERVICE (ip(7)).
 * lfpd may have this capability, and its programs' users not. Port 0 is none. */
bool privileged_port(uint16_t port, uint32_t uid);

#endif
