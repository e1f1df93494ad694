/* SPDX-License-Identifier: Apache-2.0 */
/* near-network.h - the empty network namespace of the near ends, and its maker process */
#ifndef IJBLFP_NEAR_NEAR_NETWORK_H
#define IJBLFP_NEAR_NEAR_NETWORK_H

#include <stdbool.h>
#include <sys/types.h>

#include "transport/reactor.h"

/*
 * A program can make any system call on its near ends. A UNIX socket reaches every abstract name of
 * the network namespace in which it was made, and shows the interfaces there. So near ends, and the
 * far ends of datagram sockets, which have abstract names, are made in an empty namespace.
 *
 * The instance cannot enter that namespace: it makes other sockets, too, and keeps rights that a
 * user namespace would take. A small process enters it, the *maker*. It is forked before the
 * instance has threads or drops any right. It makes sockets ahead, sends them, several in a
 * message, and does nothing else. It ends with the instance.
 *
 * While any UNIX socket of the machine is in flight, each close() of one wakes the kernel's
 * collector of unreachable sockets (net/unix/af_unix.c, unix_release_sock()). So near-arrivals.c
 * takes messages when they come.
 */
enum near_socket {
	NEAR_SOCKET_STREAM,
	NEAR_SOCKET_PAIR, /* two connected streams */
	NEAR_SOCKET_DATAGRAM,
};
#define NEAR_SOCKETS (NEAR_SOCKET_DATAGRAM + 1)

#define NEAR_BATCH 16u /* sockets in a message, at most */

struct near_network {
	struct near_stock {
		int from; /* the maker's messages */
		unsigned int nr, nr_held;
		int fds[2 * NEAR_BATCH];
		int held[NEAR_BATCH]; /* received; the maker still has its own copies */
		bool asked;           /* another batch is on its way */
	} stocks[NEAR_SOCKETS];
	struct watch watches[NEAR_SOCKETS]; /* for near-arrivals.c */
	void (*on_ask)(struct near_network *network, enum near_socket kind); /* or NULL */
	pid_t maker;
	unsigned int batch;
	int queue_error; /* why net.unix.max_dgram_qlen has the value of a new namespace; positive
			    errno, or 0 */
	int error;       /* why the maker has no sockets, as it reports; positive errno, or 0 */
	bool late;       /* a wait for the maker timed out, and the instance does not wait again */
	bool ended;
	bool is_starting; /* until near_network_started() */
};

/**
 * near_network_start() - make the namespace, and the process in it
 * @network:	filled; finish with near_network_finish()
 * @step:	set on failure to the failed step
 *
 * No other thread may be there. Return: 0 or a negative errno.
 */
int near_network_start(struct near_network *network, const char **step);
void near_network_finish(struct near_network *network);

/**
 * near_network_take() - a socket of the namespace
 * @network:	NULL: one of this process's own
 * @kind:	which
 * @fds:	filled: two for a pair, else one, blocking and close-on-exec
 *
 * Return: 0; -ENOBUFS if the maker gives none, or another negative errno.
 */
int near_network_take(struct near_network *network, enum near_socket kind, int fds[2]);

/* Receives the messages of the maker that are there. Returns false if no more will come for now:
 * the maker has failed, or has ended. */
bool near_network_collect(struct near_network *network, enum near_socket kind);

/* The start is over: from now on near_network_take() does not wait until the user's processes have
 * fewer descriptors in flight. @network may be NULL. */
static inline void near_network_started(struct near_network *network)
{
	if (network)
		network->is_starting = false;
}

/* After -ENOBUFS: returns true if no other try can succeed. */
static inline bool near_network_has_ended(const struct near_network *network)
{
	return network && network->ended;
}

#endif
