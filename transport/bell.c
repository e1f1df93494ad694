/* SPDX-License-Identifier: Apache-2.0 */
/* bell.c - how two ends of shared memory wake each other and notice that the other one is gone */
#include "transport/meet.h"

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <unistd.h>

void bell_ring(int peer_bell, struct transport_conn *conn)
{
	const uint64_t one = 1;

	if (write(peer_bell, &one, sizeof(one)) == sizeof(one))
		conn->counts.wakeups_out++;
}

/*
 * Each write to an eventfd is an edge, even if nobody has read the count of the one before. So a
 * bell that is watched for edges need not be read, which saves a system call a wake-up. libuv
 * watches levels only, but the bell's entry in its epoll set can be changed afterwards. If libuv
 * changed it back, the bell would be reported until somebody reads it. So now and then the bell is
 * read, and its entry is changed again.
 */
#define READ_EVERY 65536u

static void watch_edges(int bell, const uv_loop_t *loop)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = (uint64_t)bell};

	(void)epoll_ctl(uv_backend_fd(loop), EPOLL_CTL_MOD, bell, &event);
}

void bell_hear(int bell, uv_loop_t *loop, struct transport_conn *conn)
{
	uint64_t count;

	if (conn->counts.wakeups_in++ % READ_EVERY)
		return;
	(void)!read(bell, &count, sizeof(count));
	watch_edges(bell, loop);
}

bool bell_peer_is_gone(int fd, int status)
{
	int fds[GREETING_FDS];
	ssize_t n;
	char byte;

	n = greeting_receive(fd, &byte, 1, fds);
	greeting_drop(fds);
	return status || (n != -EAGAIN && n != -EINTR);
}
