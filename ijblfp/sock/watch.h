/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - functions by which sockets reach the rooms above them */
#ifndef IJBLFP_SOCK_WATCH_H
#define IJBLFP_SOCK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct instance;
struct vsock;

/* inst->watch, set by wiring.c. */
struct sock_watch {
	/* connect() has made the connection of @vs. */
	void (*connected)(struct instance *inst, struct vsock *vs);

	/* The connection of @vs is in its listener's queue. @near stays the caller's. */
	void (*accepted)(struct instance *inst, struct vsock *vs, int near);

	/* The far end of @vs is about to be closed. @reset: unless the end of file was passed on,
	 * the program has to see a reset. */
	void (*ends)(struct instance *inst, struct vsock *vs, bool reset);

	/* @vs is reset, and data from before the reset are still to be delivered. Returns false if
	 * the caller has to shut the far end for reading. */
	bool (*prime)(struct instance *inst, struct vsock *vs);

	/* Data of @vs is about to be read: options that its program has set before come first.
	 * Returns their number. */
	unsigned int (*reads)(struct instance *inst, struct vsock *vs);

	/* Returns the process that may post options of the listener's connections, or 0. */
	int32_t (*poster)(const struct instance *inst, const struct vsock *listener);

	/* Returns the program of the task with the number @task, or NULL if the task is unknown. */
	const char *(*program_of)(const struct instance *inst, uint32_t task);
};

#endif
