/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h - the two ends of a HiperSockets network, out of both systems' definitions */
#ifndef DEVEMU_HIPERSOCKETS_PAIR_H
#define DEVEMU_HIPERSOCKETS_PAIR_H

#include "devemu/hipersockets/interface.h"
#include "devemu/hipersockets/profile.h"

/* The end of z/OS is the only IPAQIDIO link of a started device that has an address. The end of
 * Linux is the only interface hsiN. */
struct hsi_pair {
	const struct tcpip_profile *profile;
	const struct profile_link *link;
	const struct profile_home *home;
	const struct linux_side *side;
	const struct linux_interface *interface;
	uint32_t frame;   /* bytes of a frame of the channel path */
	uint32_t mtu;     /* ActMtu */
	uint32_t buffers; /* input buffers of each end */
};

enum { PAIR_WHY = 400 };

/* Finds the ends and checks that they reach each other. @frame is valid (qdio_mtu()); profile and
 * side must live as long as @pair. Return: 0, or -EINVAL with @why filled. */
int pair_find(struct hsi_pair *pair, const struct tcpip_profile *profile,
	      const struct linux_side *side, uint32_t frame, char why[PAIR_WHY]);

/* Tells each contradiction between the definitions that does not keep the pair from working, as a
 * sentence without its dot. */
void pair_warn(const struct hsi_pair *pair, void (*tell)(void *context, const char *text),
	       void *context);

#endif
