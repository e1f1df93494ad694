/* SPDX-License-Identifier: Apache-2.0 */
/* stopper.h - a byte behind the program's data that lets it see a reset after shutdown(SHUT_WR) */
#ifndef IJBLFP_SOCK_STOPPER_H
#define IJBLFP_SOCK_STOPPER_H

#include <stdbool.h>
#include <stddef.h>

struct vsock;
struct near_maker;

/*
 * Theory of operation
 *
 * A near end gets ECONNRESET if its far end is closed with a byte unread (guard.h). No process can
 * send that byte once the near end is shut down for writing. So the instance sends it earlier. The
 * request SHUTDOWN carries the near end. For SHUT_WR the instance sends one byte through it, the
 * stopper, and then shuts it down. The stopper stays unread in the far end until the connection
 * ends, even if instance or supervisor are killed.
 *
 * The stopper is not data. The instance knows its position and reads up to it; stream_waiting()
 * does not count it.
 *
 * Another thread of the program may write between the send and the shutdown, before the stopper
 * or behind it. So the instance looks for it after the shutdown, when the queue cannot grow. It
 * finds the stopper by its sender: SO_PASSCRED is on during the send, recvmsg() merges no buffers
 * of different senders (net/unix/af_unix.c, unix_stream_read_generic()), and the instance sends
 * nothing else. It peeks at an offset (SO_PEEK_OFF), so no data is taken. If data lies behind the
 * stopper, the stopper is dropped when its turn comes, and a later reset counts as one that cannot
 * be shown.
 *
 * The stopper is also dropped after an orderly end of file, and when the program reads no more: the
 * program then sees no reset.
 */

/**
 * stopper_leave() - leave a stopper behind the program's data, and shut the near end down
 * @near:	the near end, not shut down for writing yet
 *
 * Return: 1 if that is done; 0 if nothing was done, for lack of room or because the connection
 * needs none; a negative errno if the stopper cannot be found any more: the connection has to end.
 */
int stopper_leave(const struct near_maker *maker, struct vsock *vs, int near);

/* Returns true if the stopper is the next byte: the program's data ends before it. Otherwise lowers
 * @want to the bytes that may be read, if need be. Drops a stopper that is needed no longer. */
bool stopper_is_next(struct vsock *vs, size_t *want);

/* Drops the stopper if no data is before it. */
void stopper_drop(struct vsock *vs);

/* The far end goes, and with it the stopper. */
void stopper_forget(struct vsock *vs);

/* Return the bytes before the stopper; take the next byte, which is the stopper. */
size_t stopper_distance(const struct vsock *vs);
void stopper_take(struct vsock *vs);

#endif
