/* SPDX-License-Identifier: Apache-2.0 */
/* watchers.c - room in a loop for the descriptors that it will watch */
#include "transport/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

static void on_nothing(uv_poll_t *poll, int status, int events)
{
	(void)poll;
	(void)status;
	(void)events;
}

/* libuv doubles, and adds two pointers. */
static int check_memory(unsigned int nr)
{
	void *some = malloc((2 * (size_t)nr + 2) * sizeof(void *));

	free(some);
	return some ? 0 : -ENOMEM;
}

/* A descriptor with the highest number that is free below @nr, or a negative errno. */
static int open_high(unsigned int nr)
{
	int low = eventfd(0, EFD_CLOEXEC), high = -1;

	if (low < 0)
		return -errno;
	for (unsigned int i = 1; high < 0 && i <= nr / 2; i *= 2)
		high = fcntl(low, F_DUPFD_CLOEXEC, nr - i);
	close(low);
	return high < 0 ? -EMFILE : high;
}

int watchers_reserve(uv_loop_t *loop)
{
	struct rlimit limit;
	unsigned int nr = WATCHERS_MOST;
	uv_poll_t *poll;
	int fd, rc;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < nr)
		nr = (unsigned int)limit.rlim_cur;
	rc = check_memory(nr);
	if (rc)
		return rc;
	fd = open_high(nr);
	if (fd < 0)
		return fd;
	poll = malloc(sizeof(*poll));
	rc = poll ? uv_poll_init(loop, poll, fd) : -ENOMEM;
	if (rc) {
		free(poll);
		close(fd);
		return rc;
	}
	rc = uv_poll_start(poll, UV_READABLE, on_nothing);
	uv_close((uv_handle_t *)poll, on_closed);
	close(fd);
	return rc;
}
