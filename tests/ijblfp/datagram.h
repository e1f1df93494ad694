/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.h - datagram sockets of a program, and what a scripted lfpd sends to them */
#ifndef TESTS_IJBLFP_DATAGRAM_H
#define TESTS_IJBLFP_DATAGRAM_H

#include <sys/types.h>
#include <sys/un.h>

#include "host.h"
#include "lfp/datagram.h"

/* socket(): the near end, its id and its name. */
int new_datagram(struct host *host, uint64_t *id, struct sockaddr_un *near);

/* sendto(), as the shim does it. */
ssize_t send_to(int fd, const struct sockaddr_un *near, const struct lfp_meta *meta,
		const void *data, size_t len);

/* lfpd sends one that comes from @port. */
void from_lfpd(struct host *host, uint64_t id, uint64_t position, uint16_t port, const char *text);

/* recvfrom(), as the shim does it: the text at @buf, and the port of the sender. */
unsigned int take(struct host *host, int fd, char buf[static 64]);

/* connect() that lfpd allows. */
void connect_to(struct host *host, int fd, const struct lfp_addr *peer);

/* Of this process. */
unsigned int open_descriptors(void);

#endif
