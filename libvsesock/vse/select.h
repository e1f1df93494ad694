/* SPDX-License-Identifier: Apache-2.0 */
/* select.h - select() on descriptors of the z/VSE interfaces */
#ifndef VSESOCK_VSE_SELECT_H
#define VSESOCK_VSE_SELECT_H

#include <stdint.h>
#include <sys/time.h>

#include "libvsesock/vse/api.h"

#define VSE_SELECT_WORDS (VSE_DESCRIPTORS / 32)

enum vse_set {
	VSE_READ,  /* data, end of file, a connection */
	VSE_WRITE, /* room, or connect() has ended */
	VSE_TAKEN, /* the exception: a given socket was taken, or is over */
	VSE_SETS,
};

/* Descriptor d is bit d%32 of word d/32; bit 0 is the lowest. */
struct vse_sets {
	uint32_t bits[VSE_SETS][VSE_SELECT_WORDS];
};

/* Words that stay zero until a post stores another value. */
struct vse_ecbs {
	const volatile uint32_t *const *ecbs;
	int nr;
};

/**
 * vse_select() - wait for descriptors or ECBs
 * @n:		only descriptors below it count, 0 to VSE_DESCRIPTORS
 * @sets:	descriptors to wait for; replaced by the ready ones
 * @timeout:	NULL: none; 0: do not wait
 * @ecbs:	NULL: none
 *
 * Return: the number of bits set; 0 with empty sets after the timeout or when an ECB is posted.
 * Errors leave the sets unchanged: -EBADF: a set has an unknown descriptor, or one of the first two
 * has a given one; -EINVAL: a wrong timeout or @n; -EINTR: a signal.
 */
int vse_select(struct vse_api *api, int n, struct vse_sets *sets, const struct timeval *timeout,
	       const struct vse_ecbs *ecbs);

#endif
