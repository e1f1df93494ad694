/* SPDX-License-Identifier: Apache-2.0 */
/* option.h - GETSOCKOPT and SETSOCKOPT */
#ifndef LFPD_SOCK_OPTION_H
#define LFPD_SOCK_OPTION_H

#include <stddef.h>
#include <stdint.h>

#include "lfpd/policy/policy.h"
#include "lfpd/sock/host-socket.h"

int option_handle_get(struct socket *sock, const struct lfp_frame *frame, const char **why);
int option_handle_set(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* Copy from the listener to an accepted socket the options that the kernel does not hand on. */
void option_inherit(struct socket *sock, const struct socket *listener);

/**
 * membership_option() - may z/VSE name this interface?
 * @value:	of the option, in this host's form; no interface is replaced by the one that carries
 *		VSE_HOSTID (joining a group), so that none of another address is taken
 *
 * Options that name none, and values that are too short, are left to the kernel. Return: 0, or the
 * kernel's errno for an address or interface that the host lacks: -ENODEV or -EADDRNOTAVAIL.
 */
int membership_option(const struct policy *policy, int level, int name, uint8_t *value, size_t len);

#endif
