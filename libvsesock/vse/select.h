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
	VSE_WRITE, /* room, or connect() is done */
	VSE_TAKEN, /* the exception: a socket that was given was taken, or is over */
	VSE_SETS,
};

/* Descriptor d is bit d%32, counted from the lowest, of word d/32. */
struct vse_sets {
	uint32_t bits[VSE_SETS][VSE_SELECT_WORDS];
};

/* Words that are zero until somebody posts them, by making them anything else. */
struct vse_ecbs {
	const volatile uint32_t *const *ecbs;
	int nr;
};

/**
 * vse_select() - wait
 * @n:		descriptors below it are looked at, 0 to VSE_DESCRIPTORS
 * @sets:	what is asked for; what is ready replaces it
 * @timeout:	NULL: for ever; 0: do not wait
 * @ecbs:	NULL for none
 *
 * Return: how many bits are set; 0 if the time is over or an ECB is posted (sets are then empty);
 * -EBADF: a set has a descriptor that is none, or (in the first two) one that was given; -EINVAL:
 * the time or @n is none; -EINTR: a signal. The sets are untouched then.
 */
int vse_select(struct vse_api *api, int n, struct vse_sets *sets, const struct timeval *timeout,
	       const struct vse_ecbs *ecbs);

#endif
