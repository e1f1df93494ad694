/* SPDX-License-Identifier: Apache-2.0 */
/* network.h - addresses, routes and name servers of the appliance */
#ifndef VIA_NETWORK_H
#define VIA_NETWORK_H

#include "via/settings.h"

#define VIA_RESOLV_CONF "/run/via/resolv.conf" /* the image's /etc/resolv.conf leads here */

/* Changes the network from @old, NULL at boot, to @new: takes away what is not there any more, and
 * adds what is new. What cannot be done is told, and the rest is done. In a container the network
 * is that of the container, and only the name servers are ours. */
void via_network_apply(const struct via_settings *old, const struct via_settings *new);

/* Waits for the first network device that is no loopback, up to @ms. */
void via_network_wait(int ms);

#endif
