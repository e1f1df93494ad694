/* SPDX-License-Identifier: Apache-2.0 */
/* arpa/inet.h - Internet addresses as text */
#ifndef VSESOCK_LEC_ARPA_INET_H
#define VSESOCK_LEC_ARPA_INET_H

#include "../netinet/in.h"

LEC_BEGIN

extern in_addr_t inet_addr(const char *text);
extern in_addr_t inet_network(const char *text);
extern char *inet_ntoa(struct in_addr addr);
extern struct in_addr inet_makeaddr(in_addr_t net, in_addr_t host);
extern in_addr_t inet_lnaof(struct in_addr addr);
extern in_addr_t inet_netof(struct in_addr addr);

/* The family is AF_INET or AF_INET6 of this folder. */
extern const char *inet_ntop(int family, const void *addr, char *text, socklen_t room)
	LEC_NAME(inet_ntop);
extern int inet_pton(int family, const char *text, void *addr) LEC_NAME(inet_pton);

LEC_END

#endif
