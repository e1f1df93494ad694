/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h - what z/VSE's sockets may do on this host (RESTRICT_TO_HOSTID) */
#ifndef LFPD_POLICY_H
#define LFPD_POLICY_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

/*
 * With RESTRICT_TO_HOSTID = yes z/VSE has one address on this host, VSE_HOSTID: sockets are bound
 * to it and to nothing else, and the host's loopback interface is out of reach. IPv6 sockets have
 * that address as ::ffff:VSE_HOSTID; VSE_HOSTID is IPv4, so there is no other IPv6 address for
 * them.
 */
struct policy {
	bool restricted;
	struct in_addr hostid;
};

/**
 * policy_bind() - may a socket be bound to this address?
 * @family:	AF_INET or AF_INET6, of the socket
 * @v6only:	IPV6_V6ONLY is set on it
 * @addr:	the address asked for; a wildcard is replaced by VSE_HOSTID
 *
 * An address of another family than the socket's is left to the kernel to refuse.
 * Return: 0 or -EADDRNOTAVAIL.
 */
int policy_bind(const struct policy *policy, int family, bool v6only,
		struct sockaddr_storage *addr);

/* May it connect there? 0 or -ENETUNREACH. */
int policy_connect(const struct policy *policy, int family, const struct sockaddr_storage *addr);

/**
 * policy_implicit() - where must a socket be bound that connects or listens unbound?
 * Return: length of the address set in @addr (port 0), 0 if the kernel may choose, or
 * -EADDRNOTAVAIL.
 */
int policy_implicit(const struct policy *policy, int family, bool v6only,
		    struct sockaddr_storage *addr);

/* Is this one of the addresses that z/VSE has, which programs are shown and AI_ADDRCONFIG counts?
 * VSE_HOSTID and the loopback addresses; all of the host's if there is no VSE_HOSTID. Families other
 * than AF_INET and AF_INET6 have none. */
bool policy_shows(const struct policy *policy, const struct sockaddr *addr);

/* May the option be set? 0, -EPERM, -EACCES or -ENOPROTOOPT. What the program of a user without privileges
 * may set is not changed by lfpd's own privileges. */
int policy_option(int level, int name);

#endif
