/* SPDX-License-Identifier: Apache-2.0 */
/* connect.h - connect(): blocking, non-blocking, and from one to the other */
#ifndef IJBLFP_SOCK_CONNECT_H
#define IJBLFP_SOCK_CONNECT_H

#include <stdbool.h>

#include "lfp/frame.h"

struct connect_waiter;
struct instance;
struct vsock;

/**
 * connect_begin() - connect() of a program
 * @waiter:	its `blocking` and `done` are set
 * @peer:	of the family LFP_AF_UNSPEC: ends the connection
 * @near:	the descriptor of the near end; if the attempt begins, the socket keeps it, and
 *@near is set to -1
 *
 * Return: true if @waiter waits for the connection, and may go on or leave. False if it was
 * answered, maybe within this call and so is gone, or will be answered by the end of a connection.
 */
bool connect_begin(struct instance *inst, struct vsock *vs, struct connect_waiter *waiter,
		   const struct lfp_addr *peer, int *near);

/* A blocking waiter stops waiting. It is answered soon. */
void connect_go_on(struct instance *inst, struct connect_waiter *waiter);

/* Notes that the program knows of the connection. */
void connect_note_told(struct vsock *vs);

/* Notes that the program knows of the end of the connection: RENEW is allowed. */
void connect_spend(struct vsock *vs);

/* Begins the next life of a socket: forgets all of these. */
void connect_forget(struct vsock *vs);

/* State NEW: notes that shutdown() has shut the near end. */
void connect_note_shut(struct vsock *vs);

/* Makes the far end of the near end @near, and sends the options that the program has set there.
 * Returns 0 or a negative errno; the socket may have its far end in both cases. */
int connect_make_far(struct instance *inst, struct vsock *vs, int near);

/* A waiter is gone and gets no answer. */
void connect_leave(struct instance *inst, struct connect_waiter *waiter);

/* Ends the connection, or the attempt; @waiter is answered, maybe later, and its program needs
 * another near end. Until then it can neither go on nor leave. */
void connect_dissolve(struct instance *inst, struct vsock *vs, struct connect_waiter *waiter);

/* Handles CONNECTED. */
int connect_on_connected(struct instance *inst, struct vsock *vs, int status, const char **why);

#endif
