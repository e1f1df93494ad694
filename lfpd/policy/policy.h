/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h - what z/VSE's sockets may do on this host (RESTRICT_TO_HOSTID, HOST_INTERFACE) */
#ifndef LFPD_POLICY_POLICY_H
#define LFPD_POLICY_POLICY_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

struct lfpd_config;

/*
 * With RESTRICT_TO_HOSTID = yes z/VSE has two addresses on this host, VSE_HOSTID and VSE_HOSTID6,
 * and calls fail as they would on a host that has no others: sockets can be bound only to these
 * two, and unbound ones send from there. The host's loopback addresses are others', unless
 * ALLOW_LOOPBACK is yes. IPv6 sockets have VSE_HOSTID as ::ffff:VSE_HOSTID; without VSE_HOSTID6
 * that is their only address.
 *
 * Groups (multicast) and 255.255.255.255 are no host's addresses: a datagram socket may be bound to
 * one, because the kernel then delivers only datagrams sent there. Its own datagrams must name a
 * source address.
 */
struct policy {
	bool restricted;
	bool loopback;               /* ALLOW_LOOPBACK */
	struct in_addr hostid;       /* 0.0.0.0: none */
	struct in6_addr hostid6;     /* ::: none */
	char interface[IF_NAMESIZE]; /* HOST_INTERFACE; "": any */
	bool ruled;                  /* POLICY_FILE: destinations are checked */
};

/* Where a socket is bound. */
enum policy_local {
	POLICY_UNBOUND,
	POLICY_INET, /* also mapped */
	POLICY_INET6,
	POLICY_GROUP, /* to an address that is no host's */
};

/* The facts about a socket that the policy depends on. */
struct policy_socket {
	int family;
	bool v6only; /* IPV6_V6ONLY is set */
	bool datagram;
	enum policy_local local;
};

void policy_init(struct policy *policy, const struct lfpd_config *config);

/**
 * policy_bind() - may a socket be bound to this address?
 * @addr:	the address asked for; a wildcard is replaced
 *
 * An address of another family than the socket's is left to the kernel to refuse.
 * Return: 0 or -EADDRNOTAVAIL.
 */
int policy_bind(const struct policy *policy, const struct policy_socket *sock,
		struct sockaddr_storage *addr);

/* Returns the kind of an address that a socket was bound to. */
enum policy_local policy_local(const struct sockaddr_storage *addr);

/**
 * policy_reach() - may it connect or send there?
 * @addr:	the destination; a wildcard, which is the host itself, is replaced
 *
 * Return: 0 or -ENETUNREACH.
 */
int policy_reach(const struct policy *policy, const struct policy_socket *sock,
		 struct sockaddr_storage *addr);

/**
 * policy_implicit() - where must a socket be bound that connects, sends or listens unbound?
 * @to:		the destination, NULL for a listener
 *
 * Return: length of the address set in @addr (port 0), 0 if the kernel may choose, or
 * -EADDRNOTAVAIL.
 */
int policy_implicit(const struct policy *policy, const struct policy_socket *sock,
		    const struct sockaddr_storage *to, struct sockaddr_storage *addr);

/* Returns why policy_bind() or policy_reach() has refused this address: keys of the configuration
 * with their values. */
const char *policy_why(const struct policy *policy, const struct sockaddr_storage *addr);

/* Returns whether a datagram may name this source (AF_INET or AF_INET6, not mapped). The wildcard
 * address names none. */
bool policy_source(const struct policy *policy, const struct sockaddr_storage *addr);

/* Returns true if z/VSE has this address. Programs see these addresses, and AI_ADDRCONFIG counts
 * them. Families other than AF_INET and AF_INET6 have none. */
bool policy_shows(const struct policy *policy, const struct sockaddr *addr);

/* Returns 0 if a program may set the option, else -EPERM, -EACCES or -ENOPROTOOPT. A program may
 * set what an unprivileged user may, whatever privileges lfpd has. A socket that is bound to
 * HOST_INTERFACE stays bound to it. */
int policy_option(const struct policy *policy, int level, int name);

/* An address that the host lacks. */
struct hostid_fault {
	const char *key;             /* VSE_HOSTID or VSE_HOSTID6 */
	char addr[INET6_ADDRSTRLEN]; /* its value */
};

/* Checks that the host has VSE_HOSTID and VSE_HOSTID6, if RESTRICT_TO_HOSTID is yes. Returns 0;
 * -EADDRNOTAVAIL if the host lacks one; or another negative errno of bind(). After an error @fault
 * names the address. */
int hostid_check(const struct lfpd_config *config, struct hostid_fault *fault);

#endif
