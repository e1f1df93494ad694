/* SPDX-License-Identifier: Apache-2.0 */
/* deliver.h - data on its way from the path to a program */
#ifndef IJBLFP_SOCK_DELIVER_H
#define IJBLFP_SOCK_DELIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/frame.h"

struct instance;
struct vsock;

/* Delivers queued data, and the end that follows it. In state RESET that is the end of the
 * connection. */
void deliver_flush(struct instance *inst, struct vsock *vs);

/* Lets the sockets try again whose data waits for memory. */
void deliver_retry(struct instance *inst);

/* Begins the next life of a socket: neither direction to the program has ended. */
void deliver_renew(struct vsock *vs);

/* The queue is dropped, and with it the urgent byte. */
void deliver_forget_mark(struct vsock *vs);

/* Returns the number of bytes of a stream that the far end has not taken; 0 for datagrams. */
uint64_t deliver_held(const struct vsock *vs);

/* Handles the program's end of reading. */
void deliver_stop(struct instance *inst, struct vsock *vs);

/* Handle frames of lfpd. Return 0, or -EPROTO with @why. */
int deliver_on_data(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		    const char **why);
/* Data of an earlier life of the socket: counts it in the window and drops it. */
int deliver_on_late_data(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
			 const char **why);
int deliver_on_shutdown(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
			const char **why);
int deliver_on_reset(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		     const char **why);

#endif
