/* SPDX-License-Identifier: Apache-2.0 */
/* early.h - options that programs set without a call (lfp/early.h), on their way to lfpd */
#ifndef IJBLFP_SOCK_EARLY_H
#define IJBLFP_SOCK_EARLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instance;
struct vsock;

/* Sends what the program has set at its near end @near since the last look. Call it before
 * everything that depends on options, and after the near end has been connected. Returns 0, or a
 * negative errno if something could not be sent: the program believes that it is set, so what
 * depends on it has to fail. */
int early_send(struct instance *inst, struct vsock *vs, int near);

/* An option was sent for a call of the program, or is about to be if lfpd may refuse it, with the
 * value in host layout: notes it, at the near end, too. */
void early_note(struct vsock *vs, int near, int level, int name, const void *value, size_t len);

/* The program has set a flag of the connected @vs without a call. Sends it. Returns 0 or a negative
 * errno. */
int early_take(struct instance *inst, struct vsock *vs, int option, bool on);

/* The socket gets the near end @near, which is not connected. */
void early_show(const struct vsock *vs, int near);

/* @conn is a connection of the listener @vs. The host passes options on when the connection comes,
 * so the values are not sure. */
void early_inherit(struct vsock *conn, const struct vsock *vs);

#endif
