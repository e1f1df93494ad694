/* SPDX-License-Identifier: Apache-2.0 */
/* near-datagram.h - making near ends of datagram sockets, and the sockets that send to them */
#ifndef IJBLFP_NEAR_NEAR_DATAGRAM_H
#define IJBLFP_NEAR_NEAR_DATAGRAM_H

#include "ijblfp/near/near.h"

/* Makes a near end. Returns a descriptor or a negative errno. */
int near_datagram_create(struct near_maker *maker, bool is_v6, struct near_id *id);

/* Makes a program's new UNIX datagram socket @fd a near end. Returns 0 or a negative errno: -EMFILE
 * if its network namespace is not that of its head. */
int near_datagram_adopt(struct near_maker *maker, int fd, bool is_v6, struct near_id *id);

/* Makes a socket for the instance's end, close-on-exec. Returns a descriptor or a negative errno.
 */
int near_datagram_far(struct near_network *network);

/**
 * near_datagram_self_test() - try the facts about AF_UNIX datagram sockets that the design rests on
 * @maker:	ready for use; id UINT64_MAX is used for the test. `shows_errors` is set: without it
 *		datagram sockets work, but only SO_ERROR tells of errors by ICMP.
 *
 * Return: NULL, or the fact that does not hold.
 */
const char *near_datagram_self_test(struct near_maker *maker);

#endif
