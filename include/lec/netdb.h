/* SPDX-License-Identifier: Apache-2.0 */
/* netdb.h - names. lfpd's host looks up hosts; networks, protocols and services are files here. */
#ifndef VSESOCK_LEC_NETDB_H
#define VSESOCK_LEC_NETDB_H

#include "netinet/in.h"

struct hostent {
	char *h_name;
	char **h_aliases;
	int h_addrtype;
	int h_length;
	char **h_addr_list;
};
#define h_addr h_addr_list[0]

struct netent {
	char *n_name;
	char **n_aliases;
	int n_addrtype;
	uint32_t n_net;
};

struct servent {
	char *s_name;
	char **s_aliases;
	int s_port; /* network byte order */
	char *s_proto;
};

struct protoent {
	char *p_name;
	char **p_aliases;
	int p_proto;
};

#define HOST_NOT_FOUND 1
#define TRY_AGAIN      2
#define NO_RECOVERY    3
#define NO_DATA        4
#define NO_ADDRESS     NO_DATA

struct addrinfo {
	int ai_flags;
	int ai_family;
	int ai_socktype;
	int ai_protocol;
	socklen_t ai_addrlen;
	char *ai_canonname;
	struct sockaddr *ai_addr;
	struct addrinfo *ai_next;
};

#define AI_PASSIVE     1
#define AI_CANONNAME   2
#define AI_NUMERICHOST 4
#define AI_NUMERICSERV 8
#define AI_V4MAPPED    16
#define AI_ALL         32
#define AI_ADDRCONFIG  64

#define NI_NOFQDN      1
#define NI_NUMERICHOST 2
#define NI_NAMEREQD    4
#define NI_NUMERICSERV 8
#define NI_DGRAM       16

#define NI_MAXHOST 1025
#define NI_MAXSERV 32

/* Ours: no source has z/VSE's numbers. */
#define EAI_NONAME   1
#define EAI_AGAIN    2
#define EAI_FAIL     3
#define EAI_OVERFLOW 4
#define EAI_FAMILY   5
#define EAI_MEMORY   6
#define EAI_BADFLAGS 7
#define EAI_SERVICE  8
#define EAI_SOCKTYPE 9
#define EAI_SYSTEM   10

LEC_BEGIN

extern int *lec_h_errno_location(void) __attribute__((__const__));
#define h_errno (*lec_h_errno_location())

extern struct hostent *gethostbyname(const char *name) LEC_NAME(gethostbyname);
extern struct hostent *gethostbyaddr(const void *addr, socklen_t len, int family)
	LEC_NAME(gethostbyaddr);
extern struct hostent *gethostent(void) LEC_NAME(gethostent);
extern void sethostent(int stay_open);
extern void endhostent(void);

extern struct netent *getnetbyname(const char *name);
extern struct netent *getnetbyaddr(uint32_t net, int family);
extern struct netent *getnetent(void);
extern void setnetent(int stay_open);
extern void endnetent(void);

extern struct protoent *getprotobyname(const char *name);
extern struct protoent *getprotobynumber(int number);
extern struct protoent *getprotoent(void);
extern void setprotoent(int stay_open);
extern void endprotoent(void);

extern struct servent *getservbyname(const char *name, const char *proto);
extern struct servent *getservbyport(int port, const char *proto);
extern struct servent *getservent(void);
extern void setservent(int stay_open);
extern void endservent(void);

extern int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **result) LEC_NAME(getaddrinfo);
extern void freeaddrinfo(struct addrinfo *list) LEC_NAME(freeaddrinfo);
extern const char *gai_strerror(int error) LEC_NAME(gai_strerror);
extern int getnameinfo(const struct sockaddr *addr, socklen_t addrlen, char *host,
		       socklen_t hostlen, char *service, socklen_t servicelen, int flags)
	LEC_NAME(getnameinfo);

LEC_END

#endif
