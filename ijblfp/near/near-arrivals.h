/* SPDX-License-Identifier: Apache-2.0 */
/* near-arrivals.h - takes the sockets of the maker when they come */
#ifndef IJBLFP_NEAR_NEAR_ARRIVALS_H
#define IJBLFP_NEAR_NEAR_ARRIVALS_H

struct instance;

/* Takes the sockets that the instance's maker of near ends sends out of flight at once
 * (near-network.h). Without memory for that, they stay in flight until they are needed. */
void near_arrivals_begin(struct instance *inst);
void near_arrivals_end(struct instance *inst);

#endif
