/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - what the kernel knows in the network namespace of an end: sockets, groups, addresses */
#ifndef DEVEMU_HIPERSOCKETS_VIEW_H
#define DEVEMU_HIPERSOCKETS_VIEW_H

#include "devemu/hipersockets/netstat.h"

/*
 * @tid is a thread of this process in the namespace. TCP connections come from its
 * /proc/.../net/tcp and tcp6. The client's name is the name of a process that has the socket open,
 * in capitals and at most 8 characters; "" if none is found or may be looked at. The number is that
 * of the kernel's inode.
 */

/* Calls @take for each TCP socket of @client (in either case), or of all with NULL. Return: how
 * many, or a negative errno. */
int view_sockets(int tid, const char *client,
		 void (*take)(void *context, const struct netstat_socket *socket), void *context);

/* Fills the multicast groups of an interface. */
void view_groups(int tid, const char *interface, struct netstat_link *state);

enum { VIEW_INET6 = 56 };

/* The link-local IPv6 address of an interface with its prefix, or "". */
void view_inet6(int tid, const char *interface, char text[VIEW_INET6]);

#endif
