/* SPDX-License-Identifier: Apache-2.0 */
/* netstat.h - displays of a HiperSockets network, in the layouts of NETSTAT and ifconfig */
#ifndef DEVEMU_HIPERSOCKETS_NETSTAT_H
#define DEVEMU_HIPERSOCKETS_NETSTAT_H

#include <netinet/in.h>

#include "devemu/hipersockets/interface.h"
#include "devemu/hipersockets/profile.h"

/* Of one end; packets and bytes count from the IP header on. Out: all that the TCP/IP stack has
 * handed over, with those discarded later. In: all that the TCP/IP stack was given. */
struct netstat_counters {
	uint64_t bytes_in, packets_in;
	uint64_t discarded_in; /* arrived, and not taken by the TCP/IP stack */
	uint64_t no_protocol;  /* arrived at z/OS, and no IPv4 packets */
	uint64_t bytes_out, packets_out;
	uint64_t discarded_out; /* the other end had no buffer */
	uint64_t discarded_out_bytes;
};

enum { NETSTAT_GROUPS = 16 };

struct netstat_link {
	char time[9];   /* "hh:mm:ss" */
	uint32_t frame; /* of the channel path, bytes */
	struct netstat_counters counters;
	unsigned int groups;
	struct {
		uint32_t address;
		unsigned int members;
	} group[NETSTAT_GROUPS];
};

/* NETSTAT -d -K LINK, as IBM's paper about MQ prints it. */
void netstat_devlinks(const struct tcpip_profile *profile, const struct profile_link *link,
		      const struct netstat_link *state, FILE *out);

struct netstat_socket {
	char client[9];  /* name of the program, in capitals */
	uint32_t number; /* of the connection */
	const char *state;
	struct in6_addr local, foreign; /* IPv4 addresses are mapped if the socket is IPv6 */
	bool ipv6;
	uint16_t local_port, foreign_port;
};

/* An entry of NETSTAT -a -E CLIENT. Addresses are whole, whatever their length. */
void netstat_socket(const struct netstat_socket *socket, FILE *out);

/* ifconfig NAME of 2008, with flags as Linux's HiperSockets had them. @inet6 is the IPv6 address
 * with its prefix, or "". */
void netstat_ifconfig(const struct linux_interface *interface, const char *inet6,
		      const struct netstat_counters *counters, FILE *out);

#endif
