/* SPDX-License-Identifier: Apache-2.0 */
/* key-address.h - where a key server is: HOST:PORT, [IPv6]:PORT, or the path of a UNIX socket */
#ifndef DEVEMU_FCES_KEY_ADDRESS_H
#define DEVEMU_FCES_KEY_ADDRESS_H

#include <sys/socket.h>

enum { KEY_ADDRESS_TEXT = 128 };

struct key_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

/* @text begins with '/' (a path of up to 107 bytes), or has a host (a number, or a name that is
 * looked up) and a port. 0; -EINVAL: it is neither; -ENAMETOOLONG; -EADDRNOTAVAIL: there is no such
 * host. */
int key_address_parse(struct key_address *address, const char *text);

/* As text, with the port that the kernel has chosen for @fd. */
void key_address_of(int fd, char text[KEY_ADDRESS_TEXT]);

/* A socket that listens there, does not block, and is closed by exec; a UNIX socket of the same
 * path where nobody listens is removed. The descriptor or a negative errno. */
int key_address_listen(const struct key_address *address);

#endif
