/* SPDX-License-Identifier: Apache-2.0 */
/* near-datagram-facts.h - checks that this kernel behaves as near ends of datagram sockets need */
#ifndef IJBLFP_NEAR_NEAR_DATAGRAM_FACTS_H
#define IJBLFP_NEAR_NEAR_DATAGRAM_FACTS_H

#include "ijblfp/near/near.h"

/**
 * near_datagram_self_test() - try the facts about AF_UNIX datagram sockets that the design rests on
 * @maker:	ready for use; id UINT64_MAX is used for the test. `shows_errors` is set: without it
 *		datagram sockets work, but only SO_ERROR tells of errors by ICMP.
 *
 * Return: NULL, or the fact that does not hold.
 */
const char *near_datagram_self_test(struct near_maker *maker);

#endif
