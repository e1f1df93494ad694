/* SPDX-License-Identifier: Apache-2.0 */
/* interfaces.h - the network interfaces that z/VSE's programs are shown */
#ifndef LFPD_NAMES_INTERFACES_H
#define LFPD_NAMES_INTERFACES_H

#include <ifaddrs.h>
#include <stdbool.h>

#include "lfpd/policy/policy.h"
#include "lfpd/state/session.h"

/*
 * They are those of this host that carry an address which z/VSE has (policy_shows()), with these
 * addresses alone; with HOST_INTERFACE, only this interface.
 */

/* Returns whether the entry is one of these AF_INET or AF_INET6 addresses. Interfaces that are down
 * count, too. */
bool interfaces_show(const struct policy *policy, const struct ifaddrs *entry);

/**
 * interfaces_families() - which families z/VSE has addresses of
 * @ipv4, @ipv6:	set; without RESTRICT_TO_HOSTID those of the host count, but for loopback
 *		addresses, as in libc's AI_ADDRCONFIG
 *
 * For any thread. Return: 0, or a negative errno.
 */
int interfaces_families(const struct policy *policy, bool *ipv4, bool *ipv6);

/* Returns the number of HOST_INTERFACE, or else of the interface that carries VSE_HOSTID (for IPv6
 * VSE_HOSTID6 if there is one); 0: none does. */
unsigned int interfaces_index(const struct policy *policy, int family);

/* Returns true if the interface is HOST_INTERFACE or, without that key, has an address of z/VSE. */
bool interfaces_has(const struct policy *policy, unsigned int index);

/* Returns whether an interface that z/VSE has carries the address. The wildcard becomes the first
 * one that it carries. */
bool interfaces_carry(const struct policy *policy, struct in_addr *addr);

int interfaces_handle(struct session *session, const struct lfp_frame *frame, const char **why);

#endif
