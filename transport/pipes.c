/* SPDX-License-Identifier: Apache-2.0 */
/* pipes.c - bytes of a stream that the kernel holds in a pipe, on their way between two sockets */
#define _GNU_SOURCE
#include "transport/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#define KEPT_MAX 8u /* pipes that are kept open though nothing uses them */

static struct {
	struct held_pipe *free;
	unsigned int nr_free, nr; /* free ones; free ones and those in use */
	unsigned int skips;       /* calls of pipe_get() that make no pipe */
	bool finished;
	bool unusable; /* the kernel, or a filter of system calls, refuses splice() */
} pool;

/* Returns true if sockets may need the descriptors that a pipe would take. */
static bool is_short_of_descriptors(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) || (rlim_t)fd >= limit.rlim_cur / 2 ||
	       pool.nr > limit.rlim_cur / 16;
}

static void destroy(struct held_pipe *pipe)
{
	close(pipe->in);
	close(pipe->out);
	free(pipe);
	pool.nr--;
}

static struct held_pipe *create(void)
{
	struct held_pipe *pipe = calloc(1, sizeof(*pipe));
	int ends[2];

	if (!pipe)
		return NULL;
	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC)) {
		free(pipe);
		return NULL;
	}
	pool.nr++;
	pipe->out = ends[0];
	pipe->in = ends[1];
	/* A user with too many pages in pipes gets small pipes (fs/pipe.c, alloc_pipe_info()),
	 * which gain nothing. */
	if (is_short_of_descriptors(pipe->in) ||
	    fcntl(pipe->in, F_SETPIPE_SZ, PIPE_BYTES) < (int)PIPE_BYTES) {
		destroy(pipe);
		return NULL;
	}
	return pipe;
}

/* Tries seldom after a failure: a try costs some system calls for each piece of data. */
static struct held_pipe *create_if_likely(void)
{
	struct held_pipe *pipe;

	if (pool.nr >= PIPES_MAX)
		return NULL;
	if (pool.skips) {
		pool.skips--;
		return NULL;
	}
	pipe = create();
	if (!pipe)
		pool.skips = PIPES_SKIPS;
	return pipe;
}

struct held_pipe *pipe_get(void)
{
	struct held_pipe *pipe = pool.free;

	if (pool.unusable)
		return NULL;
	if (!pipe)
		return create_if_likely();
	pool.free = pipe->next;
	pool.nr_free--;
	pipe->next = NULL;
	return pipe;
}

void pipe_put(struct held_pipe *pipe)
{
	if (pipe->held || pool.nr_free >= KEPT_MAX || pool.finished) {
		destroy(pipe);
		return;
	}
	pipe->next = pool.free;
	pool.free = pipe;
	pool.nr_free++;
}

bool pipes_are_scarce(void)
{
	return pool.nr - pool.nr_free > PIPES_MAX / 2;
}

/*
 * Before Linux 6.5 the sender takes a lock that the receiving process holds while its recv() copies
 * (net/unix/af_unix.c, unix_stream_sendpage()), and a page fault of that process can last forever.
 */
bool pipes_suit_unix(void)
{
	static enum { UNKNOWN, SUIT, STALL } known;
	unsigned int major = 0, minor = 0;
	struct utsname name;

	if (known == UNKNOWN) {
		if (!uname(&name))
			(void)sscanf(name.release, "%u.%u", &major, &minor);
		known = major > 6 || (major == 6 && minor >= 5) ? SUIT : STALL;
	}
	return known == SUIT;
}

/* The call is not allowed here, or unknown. */
static bool is_refusal(int error)
{
	return error == EINVAL || error == ENOSYS || error == EPERM || error == EACCES;
}

static bool is_lack(int error)
{
	return error == ENOMEM || error == ENOBUFS;
}

static bool is_of_splice(int error)
{
	return is_refusal(error) || is_lack(error) || error == EIO;
}

ssize_t pipe_fill(struct held_pipe *pipe, int fd, size_t want)
{
	ssize_t n;

	do
		n = splice(fd, NULL, pipe->in, NULL, want, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	while (n < 0 && errno == EINTR);
	if (n < 0 && is_refusal(errno))
		pool.unusable = true;
	if (n < 0)
		return is_of_splice(errno) ? -ENOTSUP : -errno;
	pipe->held += (uint32_t)n;
	return n;
}

ssize_t pipe_take(struct held_pipe *pipe, uint8_t *to, size_t len)
{
	ssize_t n;

	do
		n = read(pipe->out, to, len < pipe->held ? len : pipe->held);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	pipe->held -= (uint32_t)n;
	return n;
}

/* Takes exactly @len bytes, which the pipe holds. */
static int take(struct held_pipe *pipe, uint8_t *to, size_t len)
{
	while (len) {
		ssize_t n = pipe_take(pipe, to, len);

		if (n <= 0)
			return n ? (int)n : -EIO;
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Puts bytes into an empty pipe, which has room for all that it has held. */
static int put_back(struct held_pipe *pipe, const uint8_t *from, size_t len)
{
	while (len) {
		ssize_t n = write(pipe->in, from, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		pipe->held += (uint32_t)n;
		from += n;
		len -= (size_t)n;
	}
	return 0;
}

static ssize_t send_bytes(int fd, const uint8_t *bytes, size_t len, bool more)
{
	ssize_t n;

	do
		n = send(fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL | (more ? MSG_MORE : 0));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Sends the first @len bytes by copy. Bytes go back into an empty pipe only, so that they stay
 * before those that follow. */
static ssize_t send_some(struct held_pipe *pipe, int fd, size_t len, bool more)
{
	size_t held = pipe->held, sent;
	uint8_t *bytes = malloc(held);
	ssize_t n;
	int rc;

	if (!bytes)
		return -ENOMEM;
	rc = take(pipe, bytes, len);
	n = rc ? 0 : send_bytes(fd, bytes, len, more);
	sent = n > 0 ? (size_t)n : 0;
	if (!rc && sent < len) {
		rc = take(pipe, bytes + len, held - len);
		if (!rc)
			rc = put_back(pipe, bytes + sent, held - sent);
	}
	free(bytes);
	return rc ? -EIO : n;
}

ssize_t pipe_send(struct held_pipe *pipe, int fd, bool more)
{
	return send_some(pipe, fd, pipe->held, more);
}

/* Moves what one call moves: fewer bytes than the socket takes if a signal comes. */
static ssize_t drain_once(struct held_pipe *pipe, int fd, size_t len, bool more)
{
	unsigned int flags = SPLICE_F_NONBLOCK | SPLICE_F_MOVE | (more ? SPLICE_F_MORE : 0u);
	ssize_t n;

	do
		n = splice(pipe->out, NULL, fd, NULL, len, flags);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	pipe->held -= (uint32_t)n;
	return n;
}

ssize_t pipe_drain(struct held_pipe *pipe, int fd, bool more)
{
	return pipe_drain_some(pipe, fd, pipe->held, more);
}

ssize_t pipe_drain_some(struct held_pipe *pipe, int fd, size_t most, bool more)
{
	size_t left = pipe->held < most ? pipe->held : most;
	ssize_t sum = 0, n;

	while (left) {
		bool follows = more || left < pipe->held;

		n = drain_once(pipe, fd, left, follows);
		if (n < 0 && is_of_splice((int)-n)) {
			n = send_some(pipe, fd, left, follows);
			if (n == -EIO)
				return n;
		}
		if (n <= 0)
			return sum ? sum : n ? n : -EAGAIN;
		sum += n;
		left -= (size_t)n;
	}
	return sum;
}

struct held_pipe *pipe_split(struct held_pipe *pipe, size_t len)
{
	struct held_pipe *first = pipe_get();
	ssize_t n;

	if (!first)
		return NULL;
	do
		n = splice(pipe->out, NULL, first->in, NULL, len, SPLICE_F_NONBLOCK);
	while (n < 0 && errno == EINTR);
	if (n <= 0) {
		pipe_put(first);
		return NULL;
	}
	first->held = (uint32_t)n;
	pipe->held -= (uint32_t)n;
	return first;
}

int pipe_look(struct held_pipe *pipe, uint8_t *to)
{
	struct held_pipe *copy = pipe_get();
	ssize_t n;
	int rc;

	if (!copy)
		return -ENOBUFS;
	do
		n = tee(pipe->out, copy->in, pipe->held, SPLICE_F_NONBLOCK);
	while (n < 0 && errno == EINTR);
	copy->held = n > 0 ? (uint32_t)n : 0;
	rc = copy->held == pipe->held ? take(copy, to, copy->held) : -EIO;
	pipe_put(copy);
	return rc;
}

void pipes_finish(void)
{
	pool.finished = true;
	while (pool.free) {
		struct held_pipe *pipe = pool.free;

		pool.free = pipe->next;
		destroy(pipe);
	}
	pool.nr_free = 0;
}
