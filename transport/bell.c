/* SPDX-License-Identifier: Apache-2.0 */
/* bell.c - how two ends of shared memory wake each other and notice that the other one is gone */
#include "transport/meet.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

void bell_ring(int peer_bell, struct transport_conn *conn)
{
	const uint64_t one = 1;

	if (write(peer_bell, &one, sizeof(one)) == sizeof(one))
		conn->counts.wakeups_out++;
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
