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
 * The kernel says ECONNRESET at a near end if its far end is closed with a byte unread (guard.h).
 * Once the near end is shut down for writing nobody can send that byte any more. So the instance
 * sends it before: the request SHUTDOWN brings the near end along, and with SHUT_WR the instance
 * sends one byte, the stopper, through the near end and shuts it down. The stopper stays unread
 * in the far end until the connection ends. No process has to be alive for the reset to show: a
 * killed instance, or a killed supervisor, leaves it unread as well.
 *
 * The stopper is not data. The instance knows its position and reads up to it; stream_waiting()
 * does not count it.
 *
 * Another thread of the program may write between the send and the shutdown, before the stopper
 * or behind it. The position is therefore looked up after the shutdown, when nothing can be
 * queued any more. SO_PASSCRED is on while the stopper is sent, so the kernel notes its sender;
 * recvmsg() merges no buffers of different senders (net/unix/af_unix.c,
 * unix_stream_read_generic()), and the first one of this process is the stopper. MSG_PEEK at an
 * offset (SO_PEEK_OFF) reads nothing. Data behind the stopper are not lost: the stopper is read
 * and dropped when its turn comes, and a reset that follows is counted as one that cannot be
 * shown.
 *
 * The stopper is dropped as well when the end of file was passed on in order, and when the
 * program reads no more: nothing that follows is a reset to the program.
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

/* Return the bytes before the stopper; take the next byte, which is the stopper. */
size_t stopper_distance(const struct vsock *vs);
void stopper_take(struct vsock *vs);

#endif
