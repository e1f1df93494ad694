/* SPDX-License-Identifier: Apache-2.0 */
/* datagrams.c - meanings of errors on datagram near ends */
#include "libvsesock/preload/datagrams.h"

#include "libvsesock/preload/hooks.h"

int datagram_explain(int fd, const struct sockaddr_un *near, int error)
{
	struct ctl_call call = {.op = LFP_CTL_WHY_EOF, .fd = fd};
	char nn[3];
	int rc;

	if (error == ENOTCONN)
		return -EDESTADDRREQ;
	if (error != ECONNRESET && error != ECONNREFUSED)
		return -error;
	near_instance(near, nn);
	call.nn = nn;
	rc = ctl_call(&call);
	/* The instance was restarted and does not know the socket. */
	if (rc < 0)
		return rc == -ECONNRESET ? -ENETDOWN : rc;
	/* The far end is gone. */
	return error == ECONNREFUSED ? -ENETDOWN : 0;
}
