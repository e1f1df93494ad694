/* SPDX-License-Identifier: Apache-2.0 */
/* membership.h - options that name an interface or a source address of this host */
#ifndef LFPD_SOCK_MEMBERSHIP_H
#define LFPD_SOCK_MEMBERSHIP_H

#include <stddef.h>
#include <stdint.h>

#include "lfpd/policy/policy.h"

/**
 * membership_option() - may z/VSE name this interface?
 * @value:	of the option, in this host's form; no interface is replaced by the one that carries
 *		VSE_HOSTID (joining a group), so that none of another address is taken
 *
 * Options that name none, and values that are too short, are left to the kernel. Return: 0, or what
 * the kernel says where the host does not have the address or the interface: -ENODEV or
 * -EADDRNOTAVAIL.
 */
int membership_option(const struct policy *policy, int level, int name, uint8_t *value, size_t len);

#endif
