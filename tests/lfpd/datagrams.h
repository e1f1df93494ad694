/* SPDX-License-Identifier: Apache-2.0 */
/* datagrams.h - datagram sockets of a scripted z/VSE side, and UDP sockets of the host */
#ifndef TESTS_LFPD_DATAGRAMS_H
#define TESTS_LFPD_DATAGRAMS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfp/datagram.h"

/* SOCKET of the z/VSE side; its status. */
int make(uint64_t id, unsigned int kind, unsigned int protocol);

/* A datagram socket of z/VSE at 127.0.0.1; its port. */
unsigned int make_bound(uint64_t id);

/* A UDP socket of the host at 127.0.0.1. */
int udp(unsigned int *port);

void udp_send(int fd, unsigned int port, const void *data, size_t len);

/* Waits for a datagram, and runs lfpd meanwhile. */
void udp_wait(int fd);

/* Receives the next datagram, and its port. */
ssize_t udp_take(int fd, void *buf, size_t room, unsigned int *port);

/* Send a whole datagram, or a part. */
void datagram(uint64_t id, uint64_t position, uint32_t total, uint32_t offset,
	      const struct lfp_addr *to, const void *data, size_t len);

/* The error of sent datagrams, reported once. */
int last_error(uint64_t id);

void set_option(uint64_t id, int level, int name, int value);
void connect_to(uint64_t id, const struct lfp_addr *peer);

/* An unused port, which stays unused until the next call. */
struct lfp_addr nobody(void);

#endif
