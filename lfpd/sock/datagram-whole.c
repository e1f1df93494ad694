/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-whole.c - whether a datagram of a program stays one datagram */
#include "lfpd/sock/datagram-whole.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include "lfpd/sock/host-socket.h"

bool datagram_is_whole(const struct socket *sock, const struct lfp_meta *meta)
{
	static const int names[] = {UDP_SEGMENT, UDP_CORK};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int value = 0;
		socklen_t len = sizeof(value);

		if (!getsockopt(sock->fd, IPPROTO_UDP, names[i], &value, &len) && value)
			return false;
	}
	return !(meta->has & (LFP_HAS_SEGMENT | LFP_HAS_MORE));
}
