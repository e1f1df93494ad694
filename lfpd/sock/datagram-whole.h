/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-whole.h - whether a datagram of a program stays one datagram */
#ifndef LFPD_SOCK_DATAGRAM_WHOLE_H
#define LFPD_SOCK_DATAGRAM_WHOLE_H

#include <stdbool.h>

#include "lfp/datagram.h"

struct socket;

/* Returns false if the kernel would cut the datagram into others (UDP_SEGMENT), or add the next one
 * to it (MSG_MORE, UDP_CORK). */
bool datagram_is_whole(const struct socket *sock, const struct lfp_meta *meta);

#endif
