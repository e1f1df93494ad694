/* SPDX-License-Identifier: Apache-2.0 */
/* renew.h - another near end for a socket whose connection is over (RENEW) */
#ifndef IJBLFP_SOCK_RENEW_H
#define IJBLFP_SOCK_RENEW_H

#include <stdbool.h>

struct instance;
struct near_id;
struct vsock;
struct vsock_table;

/* Makes the near end. Returns the descriptor to hand out, which the caller closes, or a negative
 * errno. renew_end() must follow. */
int renew_begin(struct instance *inst, struct vsock *vs, struct near_id *id);

/* Makes @id the near end of the socket, and the socket NEW. If the program has not @taken that near
 * end, the socket stays as it was. */
void renew_end(struct instance *inst, struct vsock *vs, const struct near_id *id, bool taken);

/* Makes the socket NEW: forgets its connection. */
void renew_life(struct vsock_table *table, struct vsock *vs);

#endif
