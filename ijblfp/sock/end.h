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

/* The latest closed listeners. */
struct past_listeners {
	struct past_listener all[PAST_LISTENERS];
	unsigned int next;
};

struct instance;
struct lfp_frame;
struct vsock;

/* Sends CLOSE and closes everything that the socket holds. lfpd's answer frees the socket. */
void end_close(struct instance *inst, struct vsock *vs, bool abort);

/* Frees the socket whose CLOSE @frame answers, if there was no memory for its request. Returns
 * false if there is no such socket. */
bool end_is_closed(struct instance *inst, const struct lfp_frame *frame);

/* Buries a socket whose connection is over and whose near end the program may still hold. @error is
 * reported once. */
void end_bury(struct instance *inst, struct vsock *vs, int error);

/* Ends the connection in state OVER: the program may still hold the near end, and lfpd still
 * answers for its socket. @error is reported once. */
void end_connection(struct instance *inst, struct vsock *vs, int error);

/* Forgets a socket that lfpd no longer has. */
void end_forget(struct instance *inst, struct vsock *vs);

/* Buries all sockets: the path is gone. */
void end_all(struct instance *inst);

/* Sends the CLOSE frames for which there was no memory before. */
void end_send_closes(struct instance *inst);

/* Ends the waiting of a socket's connections, or of the socket. If it is a listener, connections
 * that wait for it are reset. If it waits for its listener, it stops waiting. */
void end_listener(struct instance *inst, struct vsock *vs);

/* Returns true if this listener was closed just now. The kernel drops the connections in a closed
 * listener a moment later. */
bool end_is_past_listener(struct instance *inst, uint64_t id);

#endif
