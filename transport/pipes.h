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
 * pipes belong to the process, which uses them on one thread. The process ignores SIGPIPE, as
 * splice() has no MSG_NOSIGNAL.
 *
 * An error of splice() itself ends no connection. The caller then copies the bytes, and the socket
 * reports its own errors.
 */
struct held_pipe {
	struct held_pipe *next; /* in the pool */
	int in, out;            /* ends: in is written, out is read */
	uint32_t held;          /* bytes in the pipe */
};

/* Bytes that a pipe has room for, if they come in whole pages. The kernel lets a user have
 * fs.pipe-user-pages-soft pages in pipes (64 MiB by default). */
#define PIPE_BYTES 262144u

/* A piece of data that is worth a pipe, bytes. */
#define PIPE_WORTH 16384u

/* Maximum of pipes in a process: with PIPE_BYTES each, half of what the kernel lets its user
 * have. */
#define PIPES_MAX 128u

/* Calls of pipe_get() that make no pipe after the system has refused one. */
#define PIPES_SKIPS 256u

/* Returns an empty pipe. Returns NULL if PIPES_MAX are in use, if the process has no descriptors to
 * spare, or if the kernel gives the user no more pages for pipes. Pipes use at most an eighth of
 * the descriptors that the process may have, and none while half of them are in use. */
struct held_pipe *pipe_get(void);

/* Returns a pipe to the pool. Bytes that it holds are lost. */
void pipe_put(struct held_pipe *pipe);

/* Returns true if more than half of the pipes are in use. Bytes that have to wait then leave their
 * pipe, so that stalled connections leave pipes to the others. */
bool pipes_are_scarce(void);

/* Returns true if splice() to a UNIX stream socket never waits for the receiving process. */
bool pipes_suit_unix(void);

/* Moves up to @want bytes from socket @fd. Returns their number, which may be smaller even if more
 * waits; -EAGAIN if nothing waits; -ENOTSUP if splice() is refused; another negative errno of the
 * socket; or 0: at the end of the stream, and before an urgent byte (net/ipv4/tcp.c,
 * tcp_splice_read()), so that only recv() can tell the end. */
ssize_t pipe_fill(struct held_pipe *pipe, int fd, size_t want);

/* Moves the held bytes to the non-blocking socket @fd, until it takes no more. @more: as MSG_MORE,
 * for their end. Returns the number of bytes, or a negative errno: -ENOMEM leaves all as it was;
 * after another one but -EAGAIN bytes may be lost. */
ssize_t pipe_drain(struct held_pipe *pipe, int fd, bool more);

/* The same for the first @most bytes. */
ssize_t pipe_drain_some(struct held_pipe *pipe, int fd, size_t most, bool more);

/* The same by copy, for a socket that another process may make blocking. */
ssize_t pipe_send(struct held_pipe *pipe, int fd, bool more);

/* Takes up to @len of the held bytes out of the pipe. Returns their number, or a negative errno. */
ssize_t pipe_take(struct held_pipe *pipe, uint8_t *to, size_t len);

/* Moves up to @len of the held bytes, the first ones, to another pipe by reference. Returns it, or
 * NULL with nothing done: pipe_get() gives none, or the kernel does not move them. */
struct held_pipe *pipe_split(struct held_pipe *pipe, size_t len);

/* Copies all held bytes to @to; they stay in the pipe. Needs another pipe for a moment. Returns 0,
 * or a negative errno: -ENOBUFS if pipe_get() gives none. */
int pipe_look(struct held_pipe *pipe, uint8_t *to);

/* Closes the pipes that are not in use. Those in use are closed as they come back. */
void pipes_finish(void);

#endif
