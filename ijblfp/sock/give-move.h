/* SPDX-License-Identifier: Apache-2.0 */
/* give-move.h - a connected stream socket gets another near end, with the data that is in the old
 * one */
#ifndef IJBLFP_SOCK_GIVE_MOVE_H
#define IJBLFP_SOCK_GIVE_MOVE_H

struct instance;
struct vsock;

/**
 * give_move() - move a socket to a new near end
 * @vs:		state ESTABLISHED; its copy is the new near end then
 * @near:	the old near end
 * @old_far:	set to the old far end: nothing comes from it any more, what is written to @near
 * fails, and @near hangs up when it is closed
 *
 * Return: 0 or a negative errno; then nothing has changed, or (-ECONNRESET) the connection is over.
 */
int give_move(struct instance *inst, struct vsock *vs, int near, int *old_far);

#endif
