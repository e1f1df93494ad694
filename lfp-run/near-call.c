/* SPDX-License-Identifier: Apache-2.0 */
/* near-call.c - the steps that calls on near ends have in common */
#include "lfp-run/near-call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "lfp-run/target.h"
#include "lfp-run/wait.h"
#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/place.h"
#include "libvsesock/preload/listeners.h"

long serve_take_near(struct trap *trap)
{
	int fd = target_take(trap, (int)trap->arg[0]);
	enum near_kind kind;
	char nn[3];

	/* The kernel refuses a bad descriptor. */
	if (fd < 0)
		return TRAP_CONTINUE;
	kind = near_kind(fd, nn);
	if (kind == NEAR_NONE || !ours_is(fd, nn)) {
		near_forget(fd);
		close(fd);
		return TRAP_CONTINUE;
	}
	/* A new number in this process: the hint that it may be a listener has to be set. */
	if (kind == NEAR_STREAM)
		listeners_note(fd);
	return fd;
}

bool serve_may_wait(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

bool serve_is_limited(int fd, int option)
{
	struct timeval tv = {0};
	socklen_t len = sizeof(tv);

	return !getsockopt(fd, SOL_SOCKET, option, &tv, &len) && (tv.tv_sec || tv.tv_usec);
}

void serve_refuse(const char *call, const char *reason)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%s%c%s", call, '\0', reason);
	struct ctl_call refused = {
		.nn = place_instance(),
		.op = LFP_CTL_REFUSED,
		.data = text,
		.len = (uint32_t)n + 1,
		.fd = -1,
	};

	(void)ctl_call(&refused);
}

long serve_wait_begin(struct wait *wait, struct trap *trap)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	long rc = wait_begin(wait, trap);

	if (rc < 0 && !atomic_flag_test_and_set(&told))
		serve_refuse("a call that would block",
			     "the supervisor of lfp-run cannot start more threads");
	return rc;
}

long serve_connect_to(struct trap *trap, int fd, const struct sockaddr *addr, socklen_t len)
{
	struct wait wait;
	long rc;

	if (!serve_may_wait(fd))
		return connect(fd, addr, len) < 0 ? -errno : 0;
	rc = serve_wait_begin(&wait, trap);
	if (rc < 0)
		return rc;
	do
		rc = connect(fd, addr, len) < 0 ? -errno : 0;
	while (wait_again(&wait, rc));
	return wait_end(&wait, rc, serve_is_limited(fd, SO_SNDTIMEO));
}
