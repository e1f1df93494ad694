/* SPDX-License-Identifier: Apache-2.0 */
/* carrier.c - many descriptors as one: they wait in the queue of a socket */
#include "lfpd/restart/handover.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/rights.h"

#define BATCH LFP_RIGHTS_MAX

_Static_assert(CARRIER_MAX % BATCH == 0, "whole messages");

static int send_batch(int to, const int *fds, size_t nr)
{
	char byte = 0;
	struct iovec part = {&byte, 1};

	return lfp_rights_send(to, &part, 1, fds, (unsigned int)nr);
}

int carrier_create(const int *fds, size_t nr)
{
	int pair[2], rc = 0;

	if (nr > CARRIER_MAX)
		return -EINVAL;
	/* Datagrams: another kind would hang up when its other end is closed, and systemd before
	 * version 246 keeps nothing in its store that does. */
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	for (size_t i = 0; i < nr && !rc; i += BATCH)
		rc = send_batch(pair[0], fds + i, nr - i < BATCH ? nr - i : BATCH);
	/* The descriptors that were sent already stay in the queue. */
	close(pair[0]);
	if (rc)
		close(pair[1]);
	return rc ? rc : pair[1];
}

/* Descriptors of the next message, or a negative errno; -EAGAIN at the end. */
static int receive_batch(int from, int fds[static BATCH])
{
	char byte;
	struct iovec part = {&byte, 1};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(BATCH * sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &part,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(from, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	unsigned int nr;

	if (n < 0)
		return -errno;
	nr = lfp_rights_take(&msg, fds, BATCH);
	return nr && nr <= BATCH ? (int)nr : -EPROTO;
}

size_t carrier_unpack(int carrier, int fds[static CARRIER_MAX])
{
	size_t nr = 0;
	int rc;

	while (nr <= CARRIER_MAX - BATCH && (rc = receive_batch(carrier, fds + nr)) > 0)
		nr += (size_t)rc;
	return nr;
}
