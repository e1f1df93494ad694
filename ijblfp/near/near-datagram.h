/* SPDX-License-Identifier: Apache-2.0 */
/* near-datagram.h - making near ends of datagram sockets, and the sockets that send to them */
#ifndef IJBLFP_NEAR_NEAR_DATAGRAM_H
#define IJBLFP_NEAR_NEAR_DATAGRAM_H

#include "ijblfp/near/near.h"

/* A near end; a descriptor or a negative errno. */
int near_datagram_create(struct near_maker *maker, bool is_v6, struct near_id *id);

/* Make a new UNIX datagram socket of a program's, @fd, a near end; 0 or a negative errno: -EMFILE
 * if it is of another network namespace than its head is to be. */
int near_datagram_adopt(struct near_maker *maker, int fd, bool is_v6, struct near_id *id);

/* A socket for the instance's end of it, close-on-exec; a descriptor or a negative errno. */
int near_datagram_far(struct near_network *network);

#endif
