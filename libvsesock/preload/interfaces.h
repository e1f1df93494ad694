/* SPDX-License-Identifier: Apache-2.0 */
/* interfaces.h - the interfaces and addresses that the instance's lfpd shows */
#ifndef VSESOCK_INTERFACES_H
#define VSESOCK_INTERFACES_H

#include <netinet/in.h>
#include <stdbool.h>

#include "lfp/ctl.h"

struct interfaces {
	uint32_t nr_links, nr_addrs;
	uint8_t data[LFP_CTL_DATA]; /* links, then addresses */
};

/* Ask the instance; 0 or a negative errno. */
int interfaces_get(struct interfaces *list, const char *nn);

/* One of them; @i is below the number. */
struct lfp_ctl_link interfaces_link(const struct interfaces *list, uint32_t i);
struct lfp_ctl_ifaddr interfaces_addr(const struct interfaces *list, uint32_t i);

/* Finds a link; false if it does not exist. @name may have the label of an address, as in
 * eth0:1. */
bool interfaces_by_name(const struct interfaces *list, const char *name, struct lfp_ctl_link *link);
bool interfaces_by_index(const struct interfaces *list, uint32_t index, struct lfp_ctl_link *link);

/* The mask of so many bits; port 0. */
struct lfp_addr interfaces_mask(unsigned int family, uint32_t prefix);

/* Returns true for an ioctl about interfaces. */
bool ifreq_is(unsigned long request);

/* An ioctl for interfaces on a near end; 0 or a negative errno. */
int ifreq_ioctl(int fd, const char *nn, unsigned long request, void *arg);

#endif
