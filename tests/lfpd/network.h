/* SPDX-License-Identifier: Apache-2.0 */
/* network.h - a network namespace with addresses of several kinds */
#ifndef TESTS_LFPD_NETWORK_H
#define TESTS_LFPD_NETWORK_H

#include <netinet/in.h>
#include <sys/socket.h>

/* Enter a namespace of our own, before there are threads. 0, or -1 with errno. */
int network_own(void);

/*
 * vse0 with 10.0.0.1 and fd00::1, and its other end vse1 with 10.0.1.1 and fd00:1::1; the loopback
 * interface is up. Routes of groups lead to vse1. Returns a value other than 0 on failure.
 */
int network_make(void);

/* A socket at all addresses of both families, which listens if it is a stream; -1 with errno. */
int network_peer(int type, unsigned int *port);

/* The address as text, a mapped one without its prefix. */
void network_text(char text[static INET6_ADDRSTRLEN], const struct sockaddr_storage *addr);

#endif
