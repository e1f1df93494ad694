/* SPDX-License-Identifier: Apache-2.0 */
/* name-servers.h - the name servers of this host (resolv.conf(5)) */
#ifndef LFPD_POLICY_NAME_SERVERS_H
#define LFPD_POLICY_NAME_SERVERS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define NAME_SERVERS_MAX 3u /* as in libc, MAXNS */

/* All zero at first. */
struct name_servers {
	unsigned int nr;
	struct {
		struct in6_addr addr; /* IPv4 is mapped, a wildcard is the loopback's */
		uint16_t port;
	} of[NAME_SERVERS_MAX];
	bool known;
	uint64_t looked;  /* when the file was looked at, ms */
	struct stat file; /* as it was then */
};

/* Returns true if this is a name server of the host. Looks after the file once a second. Another
 * link may have the same link-local address, so that of a server does not count. */
bool name_servers_has(struct name_servers *servers, uint64_t now, const struct in6_addr *addr,
		      uint16_t port);

/* Returns true if a name server of the host has this port. */
bool name_servers_have_port(struct name_servers *servers, uint64_t now, uint16_t port);

/* Returns true if a socket that is bound here could receive what is meant for a name server, or
 * send what seems to come from one. */
bool name_servers_covers(struct name_servers *servers, uint64_t now, const struct in6_addr *addr,
			 uint16_t port);

#endif
