/* SPDX-License-Identifier: Apache-2.0 */
/* iucv-socket.h - sockets of AF_IUCV, made ready to listen or to connect */
#ifndef TRANSPORT_IUCV_SOCKET_H
#define TRANSPORT_IUCV_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "transport/transport.h"

/* struct sockaddr_iucv, 32 bytes, which no header exports; with less the kernel returns EINVAL.
 * Names are padded with blanks and in ASCII, which the kernel converts to EBCDIC. */
struct iucv_addr {
	sa_family_t family;
	uint16_t port;  /* 0 */
	uint32_t addr;  /* 0 */
	char nodeid[8]; /* blanks */
	char user[8];   /* z/VM user id, or hsuid */
	char name[8];   /* of the application */
};

#ifndef AF_IUCV
#define AF_IUCV 32
#endif

/* User id and name; only the first 8 characters count, NULL is empty. */
void iucv_addr_set(struct iucv_addr *addr, const char *user, const char *name);

/* Copies a name of 8 bytes that is padded with blanks, or with zeros (the hsuid of some devices).
 * A byte that no name can have becomes '?'. */
void iucv_name_get(char out[static 9], const char in[static 8]);

struct iucv_wanted {
	char name[9];      /* application name of this side */
	char hsuid[9];     /* "": z/VM IUCV */
	uint32_t msglimit; /* 1 to 65535 */
	uint32_t mtu;      /* longest packet, bytes */
};

/**
 * iucv_open() - a socket that is bound
 * @vmid:	filled: z/VM user id of this system, or the hsuid
 * @why:	TRANSPORT_WHY bytes: on failure the reason, a half-sentence; "" where errno says it
 * all
 *
 * Return: the descriptor, which blocks and is closed on exec, or a negative errno: -EAFNOSUPPORT
 * (no AF_IUCV), -ENODEV (no device has that hsuid, or no z/VM), -EADDRINUSE, -EMSGSIZE (@mtu does
 * not fit the device), ...
 */
int iucv_open(const struct iucv_wanted *wanted, char vmid[static 9], char *why);

/* Connects @fd, and waits for some seconds. Returns as above; -ETIMEDOUT without an answer. */
int iucv_connect(int fd, const struct iucv_addr *to, bool hipersockets, char *why);

/* Returns the hsuid of our HiperSockets device, "" if it is not set: z/VM IUCV. */
const char *iucv_hsuid(const struct transport_settings *settings);

/* Its needs; see transport.h. */
extern const char *const iucv_needs[];
void iucv_check_needs(const struct transport_settings *settings, uint32_t mtu,
		      const struct transport_report *report);

#endif
