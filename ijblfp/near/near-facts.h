/* SPDX-License-Identifier: Apache-2.0 */
/* near-facts.h - checks that this kernel behaves as near ends need */
#ifndef IJBLFP_NEAR_NEAR_FACTS_H
#define IJBLFP_NEAR_NEAR_FACTS_H

#include "ijblfp/near/near.h"

/**
 * near_self_test() - try the facts about AF_UNIX sockets that the design rests on
 * @maker:	ready for use
 *
 * Takes less than a millisecond. Return: NULL, or the fact that does not hold.
 */
const char *near_self_test(struct near_maker *maker);

#endif
