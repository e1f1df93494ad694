/* SPDX-License-Identifier: Apache-2.0 */
/* refusals.h - what users/refusal.c remembers of the messages that it has logged */
#ifndef LFPD_BASE_REFUSALS_H
#define LFPD_BASE_REFUSALS_H

#include <stdint.h>

enum refusal {
	REFUSAL_SOCKET, /* MAX_SOCKETS, or no descriptor */
	REFUSAL_TASK,   /* MAX_VSE_TASKS */
	REFUSAL_NAME,   /* not in the code page */
	REFUSAL_FRAME,  /* see sock/disagree.h */
	REFUSAL_KINDS,
};

/* All zero at first. */
struct refusals {
	struct {
		uint64_t told;     /* uv_now(); 0: never */
		unsigned int more; /* that were not told since */
	} of[REFUSAL_KINDS];
	uint64_t shares_since;    /* lines about users: when the first was told, uv_now(), */
	unsigned int shares_told; /* and how many since then */
};

#endif
