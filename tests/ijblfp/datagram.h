/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.h - datagram sockets of a program, and the frames of a scripted lfpd for them */
#ifndef TESTS_IJBLFP_DATAGRAM_H
#define TESTS_IJBLFP_DATAGRAM_H

#include <sys/types.h>
#include <sys/un.h>

#include "host.h"
#include "lfp/datagram.h"

/* Calls socket(). Sets the near end, its id and its name. */
int new_datagram(struct host *host, uint64_t *id, struct sockaddr_un *near);

/* sendto(), as the shim does it. */
ssize_t send_to(int fd, const struct sockaddr_un *near, const struct lfp_meta *meta,
		const void *data, size_t len);

/* Makes lfpd send a datagram that comes from @port. */
void from_lfpd(struct host *host, uint64_t id, uint64_t position, uint16_t port, const char *text);

/* recvfrom(), as the shim does it: the text at @buf, and the port of the sender. */
unsigned int take(struct host *host, int fd, char buf[static 64]);

/* Calls connect(), which lfpd allows. */
void connect_to(struct host *host, int fd, const struct lfp_addr *peer);

/* Of this process. */
unsigned int open_descriptors(void);

#endif
