/* SPDX-License-Identifier: Apache-2.0 */
/* tls.h - TLS 1.3 between ends and key servers, by OpenSSL, on sockets that do not block
 *
 * Both sides authenticate each other by a secret of 32 bytes that only they have (a pre-shared key,
 * with a Diffie-Hellman exchange beside it): neither accepts the other without, and there are no
 * certificates. TLS_AES_256_GCM_SHA384 only, no tickets, no early data.
 */
#ifndef DEVEMU_FCES_TLS_H
#define DEVEMU_FCES_TLS_H

#include <stddef.h>
#include <stdint.h>

#include "devemu/fces/end.h"

struct tls_context;
struct tls;

/* The secret of the end of that name, or NULL. */
typedef const uint8_t *tls_secret_of(void *context, const char *name);

/* For servers. NULL with errno ENOMEM. */
struct tls_context *tls_server_context(tls_secret_of *secret_of, void *context);
/* For an end called @name. */
struct tls_context *tls_client_context(const char *name, const uint8_t secret[FCES_KEY]);
void tls_context_destroy(struct tls_context *context);

/* On a connected socket, which stays the caller's. NULL with errno ENOMEM. */
struct tls *tls_create(struct tls_context *context, int fd);
void tls_destroy(struct tls *tls);

/*
 * One step each. Return: > 0 bytes moved (tls_handshake(): 1, it is done); -EAGAIN with what to
 * poll for in *@events; 0 from tls_read(): the other side has ended; -EKEYREJECTED if one of the
 * two does not have the secret; -EPROTO if the peer does not speak TLS; -ECONNRESET, or another
 * errno.
 */
int tls_handshake(struct tls *tls, short *events);
int tls_read(struct tls *tls, void *bytes, size_t len, short *events);
int tls_write(struct tls *tls, const void *bytes, size_t len, short *events);

/* Sends the end of the stream if the socket accepts it. */
void tls_end(struct tls *tls);

/* Name of the authenticated peer, after the handshake. */
const char *tls_peer(const struct tls *tls);

#endif
