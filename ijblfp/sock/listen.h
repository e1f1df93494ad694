/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - listeners: credits, accept records */
#ifndef IJBLFP_SOCK_LISTEN_H
#define IJBLFP_SOCK_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/frame.h"

struct instance;
struct vsock;

/* Returns the part of @backlog for the host's queue, which LISTEN gives to lfpd. */
int listen_host_backlog(int backlog);

/* Checks whether @vs, with the near end @near, may listen, before LISTEN is sent, and allocates its
 * vs->as_listener. Returns 0 or a positive errno. After EBADFD the program needs another near end.
 */
int listen_check(struct instance *inst, struct vsock *vs, int near);

/**
 * listen_start() - make a listener of a socket for which lfpd listens
 * @vs:		not CLOSING; listen_check() has returned 0 for it
 * @epoch:	the life of @vs that LISTEN was sent in
 * @near:	the near end that the program had then; stays the caller's
 * @backlog:	as the program gives it
 *
 * If the socket has changed since LISTEN was sent, lfpd is made to stop listening.
 *
 * Return: 0 or a positive errno. After EBADFD the program needs another near end.
 */
int listen_start(struct instance *inst, struct vsock *vs, uint16_t epoch, int near, int backlog);

/* Handles ACCEPTED. @vs is NULL or CLOSING if the listener is gone. */
int listen_on_accepted(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		       const char **why);

/* Hand over waiting connections: there is room in the far end, or there may be descriptors again.
 */
void listen_hand_over(struct instance *inst, struct vsock *vs);
void listen_retry(struct instance *inst);

#endif
