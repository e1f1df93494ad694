/* SPDX-License-Identifier: Apache-2.0 */
/* addr.h - struct lfp_addr and the system's struct sockaddr */
#ifndef LFP_ADDR_H
#define LFP_ADDR_H

#include <sys/socket.h>

#include "lfp/frame.h"

/**
 * lfp_addr_from() - take over a struct sockaddr
 * @addr:	the result
 * @sa:		from the caller
 * @len:	its length, bytes
 *
 * Return: 0, -EINVAL if it is too short for its family (IPv6 may have 24 bytes, as in the kernel),
 * -EAFNOSUPPORT for another family than AF_INET, AF_INET6, AF_UNSPEC.
 */
int lfp_addr_from(struct lfp_addr *addr, const struct sockaddr *sa, socklen_t len);

/* Make a struct sockaddr; returns its length: 16, 28, or 2 for AF_UNSPEC. */
socklen_t lfp_addr_to(const struct lfp_addr *addr, struct sockaddr_storage *sa);

/* AF_INET, AF_INET6 <-> the wire's numbers; others are -EAFNOSUPPORT. */
int lfp_family_from(int af);
int lfp_family_to(unsigned int family);

#endif
