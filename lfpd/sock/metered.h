/* SPDX-License-Identifier: Apache-2.0 */
/* metered.h - sockets under a rule that has a limit */
#ifndef LFPD_SOCK_METERED_H
#define LFPD_SOCK_METERED_H

#include "lfpd/policy/rules.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/users/meter.h"

/*
 * Theory of operation
 *
 * A socket that a rule with a limit lets connect or send gets the meter of its task and that rule.
 * A connection counts there from connect() until it is lost or closed, and its data is sent.
 *
 * The rate slows data by what slows it anyway. To the host it waits in the socket's queue, which
 * its window bounds. From the host it waits in the kernel: lfpd does not read the socket. A socket
 * that may not go on waits in a list of its meter. A timer of the instance runs while one does, and
 * lets the first ones go on.
 */

/* Part of a socket that has a meter. */
struct metered {
	struct socket *sock;
	struct meter *meter;
	bool counts;                /* as a connection */
	struct lfp_list waiting[2]; /* in meter->waiting */
	unsigned int nr_waiting;    /* lists that it waits in */
	uint64_t since;             /* when it began to wait, ms */
	uint64_t slowed;            /* ms that it has waited before */
};

/* The rules have allowed what @question asks: the socket gets the meter of question->limited, or
 * none for NULL. Returns 0; the negative errno of REFUSE_WITH, noted for the log, if all
 * connections of the limit are in use; or -ENOBUFS. */
int metered_enter(struct socket *sock, const struct rules_question *question);

/* The same for something that goes on already: it counts, however many there are. */
void metered_go_on(struct socket *sock, const struct rules_question *question);

/* Its connection has ended, or has failed. Nothing happens without a meter. The caller ends the
 * socket, or polls for what the socket wants now. */
void metered_leave(struct socket *sock);

/* Its owner has changed: it counts for the new one. */
void metered_move(struct socket *sock);

/* Returns the bytes that may pass now. For 0 the socket waits until it may go on. */
size_t metered_may(struct socket *sock, enum meter_way way);

/* Returns true if so many bytes may pass now. The socket does not wait otherwise. */
bool metered_lets(struct socket *sock, enum meter_way way, size_t bytes);

/* So many bytes have passed. */
void metered_pass(struct socket *sock, enum meter_way way, size_t bytes);

/* Returns ms for which the socket has waited. */
uint64_t metered_slowed(const struct socket *sock);

static inline bool metered_has_rate(const struct socket *sock)
{
	return sock->metered && sock->metered->meter->limit.rate;
}

/* Returns the serial number of its meter; 0: it has none. */
static inline uint64_t metered_serial(const struct socket *sock)
{
	return sock->metered ? sock->metered->meter->node.key : 0;
}

static inline bool metered_waits(const struct socket *sock, enum meter_way way)
{
	return sock->metered && !lfp_list_empty(&sock->metered->waiting[way]);
}

#endif
