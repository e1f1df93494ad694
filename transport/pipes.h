/* SPDX-License-Identifier: Apache-2.0 */
/* pipes.h - bytes of a stream that the kernel holds in a pipe, on their way between two sockets */
#ifndef TRANSPORT_PIPES_H
#define TRANSPORT_PIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * splice(2) moves pages from a socket to a pipe and from there to another socket by reference. A
 * pipe has one owner at a time: the packet that carries it, or the queue where its bytes wait. All
 * pipes belong to the process, which uses them on one thread.
 */
struct held_pipe {
	struct held_pipe *next; /* in the pool */
	int in, out;            /* ends: in is written, out is read */
	uint32_t held;          /* bytes in the pipe */
};

/* Bytes that a pipe has room for, if they come in whole pages. The kernel lets a user have
 * fs.pipe-user-pages-soft pages in pipes (64 MiB by default). */
#define PIPE_BYTES 262144u

/* Pipes of a process at most: with PIPE_BYTES each, half of what the kernel lets its user have. */
#define PIPES_MAX 128u

/* An empty pipe, or NULL: PIPES_MAX are in use, or the process has no descriptors to spare, or the
 * kernel gives the user no more pages for pipes. */
struct held_pipe *pipe_get(void);

/* Returns a pipe to the pool. Bytes that it holds are lost. */
void pipe_put(struct held_pipe *pipe);

/* Moves up to @want bytes from socket @fd. Returns their number, which may be smaller even if more
 * waits; 0 at the end of the stream; -EAGAIN if nothing waits; -ENOTSUP if splice() is refused:
 * then pipe_get() returns no pipes any more; another negative errno. */
ssize_t pipe_fill(struct held_pipe *pipe, int fd, size_t want);

/* Moves up to @most of the held bytes to the non-blocking socket @fd. @more: as MSG_MORE, for their
 * end. Returns the number of bytes, or a negative errno. */
ssize_t pipe_drain(struct held_pipe *pipe, int fd, size_t most, bool more);

/* Takes up to @len of the held bytes out of the pipe. Returns their number, or a negative errno. */
ssize_t pipe_take(struct held_pipe *pipe, uint8_t *to, size_t len);

/* Closes the pipes that are not in use. Those in use are closed as they come back. */
void pipes_finish(void);

#endif
