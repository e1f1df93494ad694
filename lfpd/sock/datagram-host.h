/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-host.h - one datagram to or from the host's socket */
#ifndef LFPD_SOCK_DATAGRAM_HOST_H
#define LFPD_SOCK_DATAGRAM_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfp/datagram.h"

struct socket;

/* Receive into @buf; bytes or a negative errno. @meta is the sender and the ancillary data. */
ssize_t datagram_host_receive(const struct socket *sock, uint8_t *buf, size_t size,
			      struct lfp_meta *meta);

/* Send: 0 or a negative errno; -EAGAIN if the host's socket has no room now. The implicit bind and
 * what z/VSE may not do are looked after. */
int datagram_host_send(struct socket *sock, const struct lfp_meta *asked, const uint8_t *data,
		       size_t len);

/* Take an entry of the host's error queue; its payload goes to @payload. 0 or a negative errno. */
int datagram_host_error(const struct socket *sock, struct lfp_errqueue *entry,
			uint8_t payload[static 576]);

#endif
