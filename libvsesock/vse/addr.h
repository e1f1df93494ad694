/* SPDX-License-Identifier: Apache-2.0 */
/* addr.h - socket addresses as the z/VSE interfaces have them */
#ifndef VSESOCK_VSE_ADDR_H
#define VSESOCK_VSE_ADDR_H

#include <stddef.h>
#include <sys/socket.h>

/*
 * 16 bytes for IPv4, 28 for IPv6, in network byte order, laid out as Linux's but for the first two:
 * LE/C has a byte with the length, which is not looked at, and one with the family; EZA has the
 * family as a halfword, of whose first byte nothing is expected. IPv6 is family 19.
 */
#define VSE_AF_INET6 19

#define VSE_SOCKADDR_IN  16u
#define VSE_SOCKADDR_IN6 28u

enum vse_addr_form {
	VSE_ADDR_LEC,
	VSE_ADDR_EZA,
};

/* Linux's family, or -EAFNOSUPPORT; and back (what is neither comes as it is). */
int vse_family_take(int family);
int vse_family_give(int family);

/* Take an address of @len bytes from a program; 0, -EINVAL (too short) or -EAFNOSUPPORT. Family 0
 * is taken as it is. */
int vse_addr_take(struct sockaddr_storage *to, socklen_t *tolen, const void *from, size_t len);

/* Put an address into @room bytes of a program, cut off there; its length. */
size_t vse_addr_give(void *to, size_t room, const struct sockaddr_storage *from,
		     enum vse_addr_form form);

#endif
