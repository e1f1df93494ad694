/* SPDX-License-Identifier: Apache-2.0 */
/* end.h - how sockets end */
#ifndef IJBLFP_SOCK_END_H
#define IJBLFP_SOCK_END_H

#include <stdbool.h>
#include <stdint.h>

/* A listener that was closed, and when (the loop's clock, ms). */
struct past_listener {
	uint64_t id, at;
};

#define PAST_LISTENERS 16u

/* The latest of them. */
struct past_listeners {
	struct past_listener all[PAST_LISTENERS];
	unsigned int next;
};

struct instance;
struct lfp_frame;
struct vsock;

/* Send CLOSE and hold nothing any more; the socket is freed when lfpd has answered. */
void end_close(struct instance *inst, struct vsock *vs, bool abort);

/* Frees the socket that @frame answers the CLOSE of, if there was no memory for a request: false if
 * there is none such. */
bool end_is_closed(struct instance *inst, const struct lfp_frame *frame);

/* The connection is over and the program may still hold the near end: bury it. @error is told once.
 */
void end_bury(struct instance *inst, struct vsock *vs, int error);

/* The connection is over and the program may still hold the near end, and lfpd's socket can still
 * be asked: state OVER. @error is told once. */
void end_connection(struct instance *inst, struct vsock *vs, int error);

/* lfpd does not have it any more. */
void end_forget(struct instance *inst, struct vsock *vs);

/* The path is gone: all sockets with it. */
void end_all(struct instance *inst);

/* Send those CLOSE again for which there was no memory. */
void end_send_closes(struct instance *inst);

/* A socket ends: if it is a listener, connections that wait for it are reset; if it waits, it does
 * so no more. */
void end_listener(struct instance *inst, struct vsock *vs);

/* Has this listener been closed just now? The kernel lets go of what waited in it a moment later.
 */
bool end_is_past_listener(struct instance *inst, uint64_t id);

#endif
