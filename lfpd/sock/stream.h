/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - the data of a connection, both ways */
#ifndef LFPD_SOCK_STREAM_H
#define LFPD_SOCK_STREAM_H

#include "lfpd/sock/host-socket.h"

/* How far the reading of a host's socket has come. */
enum pump {
	PUMP_IDLE,    /* nothing more to read, the window is closed, or the stream has ended */
	PUMP_AGAIN,   /* its turn is over */
	PUMP_NO_ROOM, /* the path takes no more now */
};

int stream_handle_data(struct socket *sock, const struct lfp_frame *frame, const char **why);
/* DATA of an earlier life of the socket: its bytes count, and are thrown away. */
int stream_handle_late_data(struct socket *sock, const struct lfp_frame *frame, const char **why);
int stream_handle_outq(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* Reports to z/VSE how much the host's TCP has taken, unless z/VSE already knows. */
void stream_report(struct socket *sock);

/* The connection is made: data may come. */
void stream_begin(struct socket *sock);

/* Sending has failed with @error, a positive errno. z/VSE hears of it after the data that has
 * arrived. */
void stream_note_broken(struct socket *sock, int error);

/* The host's socket can be read, or has an error. */
void stream_on_readable(struct socket *sock);

/* Send what is queued; also of an orphan, which is released when all is sent. */
void stream_flush(struct socket *sock);

/* Throw away what is queued; it counts as consumed. A socket of datagrams has nothing queued here.
 */
void stream_drop(struct socket *sock);

/* Forget the connection, which was dissolved: neither direction has ended, nothing is queued. */
void stream_reset(struct socket *sock);

struct saved_socket;

/* Set what saved state says of a new socket's connection; what is queued follows by itself. */
void stream_restore(struct socket *sock, const struct saved_socket *saved);

/* Move what the host's socket has to the path; @moved is set to the bytes. */
enum pump stream_pump(struct socket *sock, size_t *moved);

/* SHUTDOWN of an established connection; nothing happens in other states. */
void stream_shutdown(struct socket *sock, int how);

/* The first @n queued bytes have gone without TCP (joined.h). @shifted: they have left the queue.
 */
void stream_left(struct socket *sock, size_t n, bool shifted);

struct gather;

/* Send to the host what was gathered of this socket's data. */
void stream_take(struct socket *sock, struct gather *gather);

/* The rest is for the files of this header: stream.c, stream-out.c, stream-in.c. */

struct held_pipe;

/* @len bytes of z/VSE are consumed: sends a WINDOW if one is due. */
void stream_consume(struct socket *sock, size_t len);

/* All that was queued is sent: sends the end of the stream if it follows, or releases an orphan. */
void stream_sent_all(struct socket *sock);

/* Returns whether the gated bytes may go. @is_end: no more will come. */
bool stream_opens(struct socket *sock, bool is_end);

/* Sends @pipe's bytes to the host; those that the kernel does not take wait in the pipe. */
void stream_take_pipe(struct socket *sock, struct held_pipe *pipe, bool more);

#endif
