/* SPDX-License-Identifier: Apache-2.0 */
/* tier.h - put the calling process under the seccomp filter and its supervisor */
#ifndef LFP_RUN_TIER_H
#define LFP_RUN_TIER_H

#include <stdbool.h>
#include <stdint.h>

struct tier {
	bool joined;       /* the supervisor of a lfp-run around this one serves */
	char nn[4];        /* the instance that it serves */
	uint64_t cookie;   /* of the calls that pass the filter; 0: kept secret */
	bool no_new_privs; /* set-user-id files do not change the user of programs */
	bool installed;    /* the filter is installed: calls fail without the supervisor */
	bool no_unix;      /* UNIX sockets with a path are closed (unix-door.h) */
	bool guards;       /* joined: resets are shown to programs (guard.h) */
};

/**
 * tier_find() - find out whether the tier is possible here
 * @tier:	filled, if it is possible
 * @nn:		the chosen instance
 *
 * Return: NULL, or the reason why the tier is unavailable.
 */
const char *tier_find(struct tier *tier, const char *nn);

/**
 * tier_start() - start the supervisor and install the filter, unless one is joined
 * @tells_cookie: the program has the cookie in its environment: another lfp-run may ask for it
 * @strict:	a supervisor that cannot show resets to programs does not start
 *
 * The environment must be the program's already. After this call only execve() remains. Return:
 * NULL, or the reason of the failure.
 */
const char *tier_start(struct tier *tier, bool tells_cookie, bool strict);

#endif
