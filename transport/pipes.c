/* SPDX-License-Identifier: Apache-2.0 */
/* pipes.c - bytes of a stream that the kernel holds in a pipe, on their way between two sockets */
#define _GNU_SOURCE
#include "transport/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define KEPT_MAX 8u /* pipes that are kept open though nothing uses them */

static struct {
	struct held_pipe *free;
	unsigned int nr_free, nr; /* free ones; free ones and those in use */
	bool finished;
	bool unusable; /* the kernel, or a filter of system calls, refuses splice() */
} pool;

/* Returns true if sockets may need the descriptors that a pipe would take. */
static bool is_short_of_descriptors(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) || (rlim_t)fd >= limit.rlim_cur / 8 * 7;
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
	/* A user with too many pages in pipes gets small pipes, which gain nothing. */
	if (is_short_of_descriptors(pipe->in) ||
	    fcntl(pipe->in, F_SETPIPE_SZ, PIPE_BYTES) < (int)PIPE_BYTES) {
		destroy(pipe);
		return NULL;
	}
	return pipe;
}

struct held_pipe *pipe_get(void)
{
	struct held_pipe *pipe = pool.unusable ? NULL : pool.free;

	if (!pipe)
		return pool.nr < PIPES_MAX && !pool.unusable ? create() : NULL;
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

ssize_t pipe_fill(struct held_pipe *pipe, int fd, size_t want)
{
	ssize_t n;

	do
		n = splice(fd, NULL, pipe->in, NULL, want, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EINVAL || errno == ENOSYS || errno == EPERM)) {
		pool.unusable = true;
		return -ENOTSUP;
	}
	if (n < 0)
		return -errno;
	pipe->held += (uint32_t)n;
	return n;
}

ssize_t pipe_drain(struct held_pipe *pipe, int fd, size_t most, bool more)
{
	unsigned int flags = SPLICE_F_NONBLOCK | SPLICE_F_MOVE | (more ? SPLICE_F_MORE : 0u);
	ssize_t n;

	do
		n = splice(pipe->out, NULL, fd, NULL, most < pipe->held ? most : pipe->held, flags);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	pipe->held -= (uint32_t)n;
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
